import Bytes
import Crypto

/// Sessions as they lie in Redis for all replicas: sealed, each under a name and a label of its own, until it ends. One replica at a time
/// is to fetch one; if it dies, another may when its turn is over.
package struct SessionBoard: Sendable {
    /// A session as replicas tell it to each other.
    package struct Session: Sendable {
        /// What is no secret of it.
        package let text: [UInt8]
        package let secret: Secret

        package init(text: [UInt8], secret: Secret) {
            self.text = text
            self.secret = secret
        }
    }

    package enum Answer: Sendable {
        /// A session, and the seconds since it was put there, by Redis' clock.
        case session(Session, age: Int64)
        /// This replica is to fetch it.
        case turn
        /// Another replica is fetching it.
        case taken
    }

    private let names: ClusterNames
    private let key: SharedKey
    private let scripts: Scripts

    package struct Scripts: Sendable {
        let find, put, renew, release: RedisScript

        package init() throws(CryptoError) {
            find = try RedisScript(SessionBoard.findText)
            put = try RedisScript(SessionBoard.putText)
            renew = try RedisScript(SessionBoard.renewText)
            release = try RedisScript(SessionBoard.releaseText)
        }

        package var all: [RedisScript] { [find, put, renew, release] }
    }

    /// Gives the session if it ends late enough, else the turn to fetch it, to one at a time.
    private static let findText: StaticString = """
        local stored = redis.call('HMGET', KEYS[1], 'end', 'since', 'sealed')
        if stored[1] and tonumber(stored[1]) > tonumber(ARGV[1]) then
            return { tonumber(redis.call('TIME')[1]) - tonumber(stored[2]), stored[3] }
        end
        if redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return 1 end
        return 0
        """

    private static let putText: StaticString = """
        redis.call('HSET', KEYS[1], 'end', ARGV[1], 'since', redis.call('TIME')[1], 'sealed', ARGV[2])
        redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[3]))
        if redis.call('GET', KEYS[2]) == ARGV[4] then redis.call('DEL', KEYS[2]) end
        return 1
        """

    private static let renewText: StaticString = """
        if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2])) end
        return 1
        """

    private static let releaseText: StaticString = """
        if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
        return 1
        """

    package init(_ settings: ClusterSettings, _ names: ClusterNames, _ scripts: Scripts) throws(CryptoError) {
        self.names = names
        self.scripts = scripts
        key = try SharedKey(settings, for: "countersign cluster sessions")
    }

    /// - Parameters:
    ///   - slot: what the session is of: everything that shapes it.
    ///   - end: seconds since 1970; a session must end later to be of use.
    ///   - turn: what this turn is called.
    ///   - duration: milliseconds that it lasts.
    package func question(
        of slot: [UInt8], endingAfter end: Int64, turn: [UInt8], lasting duration: Int64
    ) throws(CryptoError) -> RedisCommand {
        scripts.find.call(on: [try names.name(.session, of: slot), try names.name(.fetch, of: slot)]).adding(end)
            .adding(turn).adding(duration)
    }

    /// - Returns: nil for what is no answer to `question`, or was not put there by a replica for this slot.
    package func read(_ reply: RedisReply, of slot: [UInt8]) throws(CryptoError) -> Answer? {
        switch reply {
        case .integer(1): return .turn
        case .integer(0): return .taken
        case .list(let parts):
            guard parts.count == 2, let age = parts[0].integer, let sealed = parts[1].bytes else { return nil }
            let found = try key.open { key throws(CryptoError) in try key.openPair(sealed.span, label: slot.span) }
            return found.map { found in
                .session(
                    Session(text: found.opened.text, secret: found.opened.secret),
                    age: min(max(0, age), SessionBoard.longestAge))
            }
        case .integer, .nothing, .bytes, .error: return nil
        }
    }

    /// Seconds that anything can have been there: some thousand years.
    private static let longestAge: Int64 = 1 << 36

    /// Puts a session there, and ends the turn.
    /// - Parameters:
    ///   - end: when it ends, in seconds since 1970.
    ///   - life: milliseconds that it has left.
    package func put(
        _ session: Session, of slot: [UInt8], until end: Int64, lasting life: Int64, turn: [UInt8]
    ) throws(CryptoError) -> RedisCommand {
        scripts.put.call(on: [try names.name(.session, of: slot), try names.name(.fetch, of: slot)]).adding(end)
            .adding(try key.seal(session.text.span, with: session.secret, label: slot.span)).adding(max(1, life))
            .adding(turn)
    }

    /// Has a turn last so many milliseconds from now on, if it is not over.
    package func renew(_ slot: [UInt8], turn: [UInt8], lasting duration: Int64) throws(CryptoError) -> RedisCommand {
        scripts.renew.call(on: [try names.name(.fetch, of: slot)]).adding(turn).adding(duration)
    }

    /// Ends a turn that brought nothing.
    package func release(_ slot: [UInt8], turn: [UInt8]) throws(CryptoError) -> RedisCommand {
        scripts.release.call(on: [try names.name(.fetch, of: slot)]).adding(turn)
    }
}
