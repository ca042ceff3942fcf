import Bytes
import Cluster
import Crypto
import Net
import Providers
import Upstream

/// The sessions that all replicas share: one replica fetches each, and all use it. Where Redis is gone, each fetches its own.
final class SharedSessions: Sendable {
    enum Found: Sendable {
        /// A session, and the moment by the vendor's clock, in seconds since 1970.
        case session(SessionCredential, at: Int64)
        /// It is to be fetched here; `put` or `release` is owed for the turn.
        case turn([UInt8])
        /// Another replica is fetching it.
        case taken
        /// Redis does not say.
        case unknown
    }

    private let board: SessionBoard
    private let link: RedisLink

    /// Seconds that a session has left at least to be of use for a replica that has none: ten minutes, or a third of its life (R17).
    static func leastLife(of lifetime: Int64?) -> Int64 { min(600, (lifetime ?? 3600) / 3) }
    /// Milliseconds of a turn to fetch: less than a request waits by default, so that one whose holder has died costs nobody an answer.
    static let turn: Int64 = 1_000

    init(_ board: SessionBoard, by link: RedisLink) {
        self.board = board
        self.link = link
    }

    /// - Parameters:
    ///   - end: seconds since 1970; a session must end later to be of use.
    ///   - then: told once, from any thread.
    func find(_ key: CredentialKey, endingAfter end: Int64, then: @escaping @Sendable (Found) -> Void) {
        let slot = key.bytes
        do throws(CryptoError) {
            let turn = Hex.encode(try SecureRandom.bytes(8))
            let question = try board.question(
                of: slot, endingAfter: end, turn: turn, lasting: SharedSessions.turn)
            link.send(question) { [board] result in
                guard case .success(let reply) = result, let answer = try? board.read(reply, of: slot) else {
                    return then(.unknown)
                }
                switch answer {
                case .turn: then(.turn(turn))
                case .taken: then(.taken)
                case .session(let session, let age):
                    guard let (credential, moment) = SessionCredential.read(session.text, with: session.secret) else {
                        return then(.unknown)
                    }
                    then(.session(credential, at: moment.addingReportingOverflow(age).partialValue))
                }
            }
        } catch {
            then(.unknown)
        }
    }

    /// Has a session that was fetched serve all replicas.
    /// - Parameter moment: when the vendor gave it, by its clock, in seconds since 1970.
    func put(_ credential: SessionCredential, of key: CredentialKey, at moment: Int64, turn: [UInt8]) {
        let (left, overflow) = credential.expiresAt.subtractingReportingOverflow(moment)
        guard !overflow, (1...SessionForm.durations.upperBound).contains(left) else { return release(key, turn: turn) }
        let parts = credential.parts(at: moment)
        let command = try? board.put(
            SessionBoard.Session(text: parts.text, secret: parts.secret), of: key.bytes, until: credential.expiresAt,
            lasting: left * 1000, turn: turn)
        if let command { link.send(command) { _ in } }
    }

    /// A turn has brought nothing.
    func release(_ key: CredentialKey, turn: [UInt8]) {
        if let command = try? board.release(key.bytes, turn: turn) { link.send(command) { _ in } }
    }
}
