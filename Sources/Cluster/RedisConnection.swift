import Bytes
import Crypto
import Net

/// A connection to Redis that may be used: the server is a master that knows us and has our scripts. A thread's own.
final class RedisConnection {
    /// What the server's process calls itself; another process has another name.
    private(set) var runID: [UInt8] = []
    private let stream: WaitingStream
    private let reader: RedisReader

    /// - Parameter deadline: monotonic milliseconds until all of it is done.
    init(
        to server: RedisSettings.Server, _ settings: RedisSettings, trusting trust: TLSTrust?,
        loading scripts: [RedisScript],
        waking bell: Bell, until deadline: Int64
    ) throws(RedisFault) {
        guard let reader = RedisReader() else { throw .protocolBroken }
        self.reader = reader
        do throws(WaitingStream.Fault) {
            stream = try WaitingStream(
                to: server.host, port: server.port, trusting: server.isSecured ? trust : nil, waking: bell,
                until: deadline)
        } catch {
            throw .stream(error)
        }
        try introduce(settings, until: deadline)
        try checkServer(until: deadline)
        for script in scripts {
            let load = RedisCommand("SCRIPT").adding("LOAD").adding(script.text)
            guard try ask(load, "SCRIPT LOAD", until: deadline).bytes == script.name else {
                throw .unexpected(to: "SCRIPT LOAD", kind: "another script")
            }
        }
    }

    /// Sends commands together.
    func send(_ commands: some Sequence<RedisCommand>, until deadline: Int64) throws(RedisFault) {
        var output = ByteWriter(capacity: 1024)
        for command in commands { command.write(into: &output) }
        let bytes = output.array
        do throws(WaitingStream.Fault) { try stream.write(bytes.span, until: deadline) } catch { throw .stream(error) }
    }

    /// Waits for replies until one has come, the bell rings, or the time is over.
    func receive(until deadline: Int64, _ take: (RedisReply) throws(RedisFault) -> Void) throws(RedisFault) {
        let bytes: [UInt8]
        do throws(WaitingStream.Fault) { bytes = try stream.read(until: deadline) } catch { throw .stream(error) }
        guard !bytes.isEmpty else { return }
        var replies: [RedisReply] = []
        do throws(RedisReader.Fault) {
            try reader.feed(bytes)
            while let reply = try reader.next() { replies.append(reply) }
        } catch {
            throw .protocolBroken
        }
        for reply in replies { try take(reply) }
    }

    // MARK: How it begins

    private func introduce(_ settings: RedisSettings, until deadline: Int64) throws(RedisFault) {
        guard let password = settings.password else { return }
        var text = ByteWriter()
        password.reveal(into: &text)
        let command = settings.user.map { RedisCommand("AUTH").adding($0) } ?? RedisCommand("AUTH")
        guard try ask(command.adding(text.array), "AUTH", until: deadline) == .bytes(Array(text: "OK")) else {
            throw .unexpected(to: "AUTH", kind: "something else")
        }
    }

    private func checkServer(until deadline: Int64) throws(RedisFault) {
        let asked = RedisCommand("INFO").adding("server").adding("replication").adding("memory")
        guard let text = try ask(asked, "INFO", until: deadline).bytes else {
            throw .unexpected(to: "INFO", kind: "no text")
        }
        var facts: [[UInt8]: [UInt8]] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            facts[Array(line[..<colon])] = line[(colon + 1)...].filter { $0 != UInt8(ascii: "\r") }
        }
        let major = facts[Array(text: "redis_version")]?.prefix { $0 != UInt8(ascii: ".") } ?? []
        guard major.count >= 2 || major.first ?? 0 >= UInt8(ascii: "7") else {
            throw .unfit("Redis is older than 7.0")
        }
        guard facts[Array(text: "role")] == Array(text: "master") else { throw .unfit("Redis is a replica, no master") }
        guard facts[Array(text: "maxmemory_policy")] == Array(text: "noeviction") else {
            throw .unfit(
                "Redis may evict keys, and forget how often a ticket was used: its maxmemory-policy must be noeviction")
        }
        guard let runID = facts[Array(text: "run_id")], (1...64).contains(runID.count) else {
            throw .unexpected(to: "INFO", kind: "a text without run_id")
        }
        self.runID = runID
    }

    /// A command and its reply, before any other is under way.
    func ask(_ command: RedisCommand, _ name: StaticString, until deadline: Int64) throws(RedisFault) -> RedisReply {
        try send([command], until: deadline)
        var reply: RedisReply?
        while reply == nil {
            guard SystemClock.now().monotonic < deadline else { throw .stream(.timeout) }
            try receive(until: deadline) { reply = $0 }
        }
        guard let reply else { throw .gone }
        if case .error = reply { throw .unexpected(to: name, kind: reply.kind) }
        return reply
    }
}
