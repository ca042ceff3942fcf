import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("Several replicas, one Redis", .waiting) struct ReplicaTests {
    private struct Failure: Error, CustomStringConvertible { let description: String }
    private static let audit = "audit: { file: \"audit.jsonl\", key: \"an-audit-key-of-the-tests-with-32-bytes\" },"

    /// Waits until something holds.
    private static func wait(for what: String, until isDone: () throws -> Bool) throws {
        let deadline = Date.now.addingTimeInterval(Program.patience)
        while try !isDone() {
            guard Date.now < deadline else { throw Failure(description: "never: \(what)") }
            usleep(20_000)
        }
    }

    /// How the service says that it stands with the others.
    private static func part(_ service: Service) throws -> String {
        try #require(service.admin.get("/readyz").json["parts"]?["cluster"]?.string)
    }

    private static func start(_ names: [String], on redis: RedisProcess) throws -> [Service] {
        let replicas = try names.map { try Service(.replica($0, of: redis), .epoll) }
        try wait(for: "all replicas know each other") {
            try redis.ask("ZCARD", "countersign:replicas") == "\(names.count)"
        }
        for replica in replicas { try wait(for: "Redis is heard") { try part(replica) == "ok" } }
        return replicas
    }

    /// Asks so many times, one after the other.
    /// - Returns: how often the answer was 200; all others were 429.
    private static func ask(_ service: Service, _ target: String, _ fields: [String] = [], times: Int) throws -> Int {
        var client = try service.connect()
        var allowed = 0
        for number in 1...times {
            // A connection is good for some hundred requests.
            if number % 400 == 0 { client = try service.connect() }
            try client.send(service.text("GET", target, fields))
            let status = try client.answer().status
            guard [200, 429].contains(status) else { throw Failure(description: "status \(status)") }
            if status == 200 { allowed += 1 }
        }
        return allowed
    }

    @Test func `a grant's limit holds over all replicas that are asked at once`() throws {
        let redis = try RedisProcess()
        let replicas = try ReplicaTests.start(["a", "b", "c"], on: redis)
        let counts = Collected()
        DispatchQueue.concurrentPerform(iterations: replicas.count) { index in
            counts.add { try ReplicaTests.ask(replicas[index], "/qiniu/uptoken?key=photos/1.jpg", times: 1500) }
        }
        // Who was done first may have had some in hand that the others could not give out.
        let last = try replicas.map { try ReplicaTests.ask($0, "/qiniu/uptoken?key=photos/1.jpg", times: 16) }
        let allowed = try counts.sum() + last.reduce(0, +)
        // A lease of 1,000 an hour among three is of 16 tokens; within the minute that this may take, 17 more come.
        #expect((1000...1000 + 3 * 16 + 17).contains(allowed))
    }

    @Test func `one replica gets all of a limit that it alone has need of`() throws {
        let redis = try RedisProcess()
        let replicas = try ReplicaTests.start(["a", "b"], on: redis)
        var allowed = 0
        try ReplicaTests.wait(for: "59 of 60 are given") {
            allowed += try ReplicaTests.ask(
                replicas[0], "/qiniu/uptoken?key=few/1.jpg", [APIKey.alice.bearer], times: 5)
            return allowed >= 59
        }
        #expect(allowed <= 60 + 16 + 2)
    }

    @Test func `without Redis each replica serves, and with it again, they share`() throws {
        let redis = try RedisProcess()
        let replicas = try ReplicaTests.start(["a", "b"], on: redis)
        redis.kill()
        for replica in replicas {
            try ReplicaTests.wait(for: "Redis is missed") { try ReplicaTests.part(replica) == "failing" }
            #expect(try replica.get("/qiniu/uptoken?key=photos/1.jpg").status == 200)
            #expect(try replica.admin.get("/readyz").status == 200)
        }
        try redis.start()
        for replica in replicas {
            try ReplicaTests.wait(for: "Redis is heard again") { try ReplicaTests.part(replica) == "ok" }
        }
        #expect(try redis.ask("ZCARD", "countersign:replicas") == "2")
    }

    @Test func `a Redis that is full counts as gone, and each replica gives out its share`() throws {
        let redis = try RedisProcess()
        let replica = try #require(try ReplicaTests.start(["a"], on: redis).first)
        try redis.ask("CONFIG", "SET", "maxmemory", "1")
        try ReplicaTests.wait(for: "it is noticed") { try ReplicaTests.part(replica) == "failing" }
        #expect(try ReplicaTests.ask(replica, "/qiniu/uptoken?key=photos/1.jpg", times: 100) == 100)
        try redis.ask("CONFIG", "SET", "maxmemory", "0")
        try ReplicaTests.wait(for: "Redis is heard again") { try ReplicaTests.part(replica) == "ok" }
    }

    /// A ticket for one of alice's objects.
    private static func ticket(of service: Service, uses: Int) throws -> String {
        let answer = try service.post(
            "/tickets", "application/json", #"{ "grant": "few", "key": "few/1.jpg", "uses": \#(uses) }"#,
            APIKey.alice.bearer)
        return try #require(answer.json["ticket"]?.string, "\(answer.status): \(answer.text)")
    }

    private static func use(_ ticket: String, at service: Service) throws -> Answer {
        try service.get("/qiniu/uptoken?ticket=\(ticket)")
    }

    @Test func `a ticket is used so many times, wherever and however many ask at once`() throws {
        let redis = try RedisProcess()
        let replicas = try ReplicaTests.start(["a", "b"], on: redis)
        let once = try ReplicaTests.ticket(of: replicas[0], uses: 1)
        #expect(try ReplicaTests.use(once, at: replicas[1]).json["token"] != nil)
        for replica in replicas {
            let second = try ReplicaTests.use(once, at: replica)
            #expect(second.status == 403 && second.json["code"] == "ticket_spent" && second.json["token"] == nil)
        }
        // A request that is refused for another reason is no use.
        let thrice = try ReplicaTests.ticket(of: replicas[1], uses: 3)
        #expect(try replicas[0].get("/qiniu/uptoken?ticket=\(thrice)&key=other/1.jpg").status == 403)
        #expect(try replicas[0].ask("HEAD", "/qiniu/uptoken?ticket=\(thrice)").status == 200)
        let counts = Collected()
        DispatchQueue.concurrentPerform(iterations: 12) { index in
            counts.add { try ReplicaTests.use(thrice, at: replicas[index % 2]).status == 200 ? 1 : 0 }
        }
        #expect(try counts.sum() == 3)
    }

    @Test func `a ticket that is counted is of no use without Redis, nor with one that has begun anew`() throws {
        let redis = try RedisProcess()
        let replica = try #require(try ReplicaTests.start(["a"], on: redis).first)
        let (one, two) = (try ReplicaTests.ticket(of: replica, uses: 1), try ReplicaTests.ticket(of: replica, uses: 2))
        #expect(try ReplicaTests.use(one, at: replica).status == 200)
        redis.kill()
        try ReplicaTests.wait(for: "Redis is missed") { try ReplicaTests.part(replica) == "failing" }
        let gone = try ReplicaTests.use(one, at: replica)
        #expect(gone.status == 503 && gone["Retry-After"] == "1" && gone.json["code"] == "cluster_unavailable")
        let mint = try replica.post(
            "/tickets", "application/json", #"{ "grant": "few", "key": "few/1.jpg", "uses": 1 }"#, APIKey.alice.bearer)
        #expect(mint.status == 503)
        try redis.start()
        try ReplicaTests.wait(for: "Redis is heard again") { try ReplicaTests.part(replica) == "ok" }
        for ticket in [one, two] {
            let answer = try ReplicaTests.use(ticket, at: replica)
            #expect(answer.status == 403 && answer.json["code"] == "ticket_spent")
        }
        try redis.ask("FLUSHALL")
        #expect(try ReplicaTests.use(two, at: replica).status == 403)
        let anew = try ReplicaTests.ticket(of: replica, uses: 1)
        #expect([200, 403].contains(try ReplicaTests.use(anew, at: replica).status))
    }

    @Test func `a ticket that the command makes is counted, too, and without Redis it makes none`() throws {
        let redis = try RedisProcess()
        let replica = try #require(try ReplicaTests.start(["a"], on: redis).first)
        func make(_ more: String...) throws -> Program.Outcome {
            try Program(
                Program.countersign,
                [
                    "ticket", "--config", replica.configuration, "--caller", "apiKey:alice", "--grant", "few",
                    "--parameter",
                    "key=few/1.jpg", "--host", "tokens.example.com", "--format", "json",
                ] + more,
                environment: Setup.environment
            ).wait()
        }
        let made = try make("--uses", "1")
        #expect(made.code == 0, "\(made.err)")
        let ticket = try #require(try JSONDecoder().decode(JSON.self, from: Data(made.out.utf8))["ticket"]?.string)
        #expect(try ReplicaTests.use(ticket, at: replica).status == 200)
        #expect(try ReplicaTests.use(ticket, at: replica).json["code"] == "ticket_spent")
        #expect(try redis.ask("ZCARD", "countersign:replicas") == "1")
        let wrong = try make("--uses", "1001")
        #expect(wrong.code == 1 && (wrong.out + wrong.err).contains("from 1 to 1000"), "\(wrong.out)\(wrong.err)")
        redis.kill()
        #expect(try make().code == 0)
        let gone = try make("--uses", "1")
        #expect(gone.code == 1 && gone.err.contains("Redis counts the uses"), "\(gone.err)")
    }

    @Test(arguments: ["0", "1001", "1.5", "true", #""x""#, "[1]"]) func `uses are a number from 1 to 1000`(uses: String)
        throws
    {
        let redis = try RedisProcess()
        let replica = try #require(try ReplicaTests.start(["a"], on: redis).first)
        let answer = try replica.post(
            "/tickets", "application/json", "{ \"grant\": \"few\", \"key\": \"few/1.jpg\", \"uses\": \(uses) }",
            APIKey.alice.bearer)
        #expect(answer.status == 400 && answer.json["parameter"] == "uses")
    }

    @Test func `one replica fetches a session, and all serve it`() throws {
        let redis = try RedisProcess()
        let replicas = try ["a", "b", "c"].map { try Service(.sessionReplica($0, of: redis), .epoll) }
        for replica in replicas {
            try ReplicaTests.wait(for: "Redis is heard") { try ReplicaTests.part(replica) == "ok" }
        }
        let answers = Gathered()
        DispatchQueue.concurrentPerform(iterations: 60) { index in
            answers.add { try replicas[index % 3].get("/distribute-token.json") }
        }
        let keys = try answers.all().map { try #require($0.json["AccessKeyId"]?.string, "\($0.status)") }
        #expect(Set(keys).count == 1 && keys.count == 60)
        let calls = try replicas.map { replica in
            try replica.admin.get("/metrics").text.split(separator: "\n").filter {
                $0.hasPrefix("countersign_upstream_calls_total{") && $0.contains("target=\"sts\"")
            }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
        }
        #expect(calls.reduce(0, +) == 1)
        // What lies in Redis opens nothing.
        let names = try redis.ask("--raw", "KEYS", "countersign:session:*").split(separator: "\n")
        #expect(names.count == 1)
        #expect(
            try !redis.ask("--raw", "HGETALL", String(try #require(names.first))).contains(try #require(keys.first)))
        // It serves on without Redis.
        redis.kill()
        for replica in replicas { #expect(try replica.get("/distribute-token.json").status == 200) }
    }

    @Test func `a session that takes long is fetched once, however long`() throws {
        let redis = try RedisProcess()
        // Longer than the turn of a replica that has died.
        let vendor = try SessionVendor(pause: 1500)
        defer { vendor.stop() }
        let replicas = try ReplicaTests.startSessions(["a", "b", "c"], on: redis, asking: vendor)
        let answers = Gathered()
        DispatchQueue.concurrentPerform(iterations: 6) { index in
            answers.add { try replicas[index % 3].get("/distribute-token.json") }
        }
        let keys = try answers.all().map { try #require($0.json["AccessKeyId"]?.string, "\($0.status)") }
        #expect(keys == [String](repeating: "STS.e2e1", count: 6) && vendor.calls.count == 1)
    }

    @Test func `what a replica was fetching when it died, another fetches for all`() throws {
        let redis = try RedisProcess()
        let vendor = try SessionVendor(pause: 1500)
        defer { vendor.stop() }
        let replicas = try ReplicaTests.startSessions(["a", "b", "c"], on: redis, asking: vendor)
        let client = Thread { _ = try? replicas[0].get("/distribute-token.json") }
        client.start()
        try ReplicaTests.wait(for: "it is being fetched") { vendor.calls.count == 1 }
        _ = replicas[0].process.stop(within: 0)
        let answers = Gathered()
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            answers.add { try replicas[1 + index % 2].get("/distribute-token.json") }
        }
        let keys = try answers.all().map { try #require($0.json["AccessKeyId"]?.string, "\($0.status)") }
        #expect(keys == [String](repeating: "STS.e2e2", count: 4) && vendor.calls.count == 2)
    }

    @Test func `who waits for another replica's session fetches it when Redis is gone`() throws {
        let redis = try RedisProcess()
        let vendor = try SessionVendor(pause: 1500)
        defer { vendor.stop() }
        let replicas = try ReplicaTests.startSessions(["a", "b"], on: redis, asking: vendor)
        let killer = Thread {
            try? ReplicaTests.wait(for: "it is being fetched") { vendor.calls.count == 1 }
            redis.kill()
        }
        killer.start()
        let answers = Gathered()
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            answers.add { try replicas[index].get("/distribute-token.json") }
        }
        #expect(try answers.all().map(\.status) == [200, 200] && vendor.calls.count == 2)
    }

    @Test func `a replica that has just begun serves what the others have, before it has heard Redis`() throws {
        let redis = try RedisProcess()
        let vendor = try SessionVendor()
        defer { vendor.stop() }
        let first = try #require(try ReplicaTests.startSessions(["a"], on: redis, asking: vendor).first)
        #expect(try first.get("/distribute-token.json").status == 200)
        for name in ["b", "c", "d", "e"] {
            let newcomer = try Service(.sessionReplica(name, of: redis, asking: vendor), .epoll)
            #expect(try newcomer.get("/distribute-token.json").json["AccessKeyId"] == "STS.e2e1")
        }
        #expect(vendor.calls.count == 1)
    }

    private static func startSessions(_ names: [String], on redis: RedisProcess, asking vendor: SessionVendor) throws
        -> [Service]
    {
        let replicas = try names.map { try Service(.sessionReplica($0, of: redis, asking: vendor), .epoll) }
        for replica in replicas { try wait(for: "Redis is heard") { try part(replica) == "ok" } }
        return replicas
    }

    @Test func `a brake and its release reach every replica, and a Redis that has begun anew`() throws {
        let redis = try RedisProcess()
        let replicas = try ["a", "b"].map { name in
            try Service(.replica(name, of: redis, "brake: { file: \"brakes-\(name).json\" },"), .epoll)
        }
        for replica in replicas {
            try ReplicaTests.wait(for: "Redis is heard") { try ReplicaTests.part(replica) == "ok" }
        }
        let target = "/qiniu/uptoken?key=photos/1.jpg"
        func order(_ words: String..., at replica: Service) throws {
            let outcome = try Program(
                Program.countersign, words + ["--config", replica.configuration], environment: Setup.environment
            ).wait()
            #expect(outcome.code == 0, "\(outcome.err)")
        }
        try order("brake", "grant", "limited", "--reason", "a test", at: replicas[0])
        for replica in replicas {
            try ReplicaTests.wait(for: "the brake holds") { try replica.get(target).status == 403 }
        }
        #expect(try !redis.ask("HGETALL", "countersign:brakes").contains("limited"))
        redis.kill()
        try redis.start()
        let newcomer = try Service(.replica("c", of: redis, "brake: { file: \"brakes-c.json\" },"), .epoll)
        try ReplicaTests.wait(for: "it is ready") { try newcomer.admin.get("/readyz").status == 200 }
        try ReplicaTests.wait(for: "a newcomer learns of it") { try newcomer.get(target).status == 403 }
        try order("release", "grant", "limited", "--reason", "over", at: newcomer)
        for replica in replicas + [newcomer] {
            try ReplicaTests.wait(for: "it is released") { try replica.get(target).status == 200 }
        }
    }

    @Test func `an audit whose end was cut off is found by what Redis knows`() throws {
        let redis = try RedisProcess()
        let replica = try Service(.replica("a", of: redis, Self.audit), .epoll)
        for _ in 0..<3 { #expect(try replica.get("/qiniu/uptoken?key=photos/1.jpg").status == 200) }
        let outcome = replica.process.stop()
        #expect(outcome.code == 0)
        let file = replica.folder + "/audit.jsonl"
        func verify(_ instance: String) throws -> Program.Outcome {
            try Program(
                Program.countersign,
                ["audit", "verify", "--cluster", "--instance", instance, "--config", replica.configuration, file],
                environment: Setup.environment
            ).wait()
        }
        let whole = try verify("a")
        #expect(whole.code == 0, "\(whole.out)\(whole.err)")
        let other = try verify("b")
        #expect(other.code == 1 && other.err.contains("replica a") && other.err.contains("no audit of the replica b"))
        var lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        lines.removeLast()
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
        let cut = try verify("a")
        #expect(cut.code == 1 && cut.out.contains("NOT WHOLE"), "\(cut.out)\(cut.err)")
    }

    @Test func `the console shows all replicas, their leases and their heads, and those that are gone`() throws {
        let redis = try RedisProcess()
        var first = Setup.replica("a", of: redis, Self.audit)
        first.admin += ", console: true"
        let (looked, other) = (try Service(first, .epoll), try Service(.replica("b", of: redis, Self.audit), .epoll))
        for replica in [looked, other] {
            try ReplicaTests.wait(for: "Redis is heard") { try ReplicaTests.part(replica) == "ok" }
        }
        var given = 0
        try ReplicaTests.wait(for: "30 tokens are given, as leases come") {
            given += try ReplicaTests.ask(other, "/qiniu/uptoken?key=photos/1.jpg", times: 10)
            return given >= 30
        }
        func entry(_ name: String) throws -> JSON? {
            try looked.admin.get("/console/status").json["cluster"]?["replicas"]?.list?
                .first { $0["instance"]?.string == name }
        }
        try ReplicaTests.wait(for: "the other is shown, with its line and its leases") {
            guard let shown = try entry("b") else { return false }
            return shown["audit"]?["lines"]?.integer ?? 0 >= 30 && shown["leases"]?.integer ?? 0 >= 1
        }
        let shown = try #require(try entry("b"))
        #expect(shown["silence"]?.integer ?? .max < 5_000 && shown["failedLeases"]?.integer == 0)
        #expect(shown["audit"]?["head"]?.string?.count == 64)
        _ = other.stop()
        try ReplicaTests.wait(for: "it is gone, and its head is known") {
            guard let shown = try entry("b") else { return false }
            return shown["silence"] == .null && shown["leases"] == .null && shown["audit"] != .null
        }
        #expect(try entry("a")?["silence"]?.integer != nil)
        redis.kill()
        try ReplicaTests.wait(for: "nobody is shown who may not live") { try entry("a") == nil }
    }

    @Test func `a master that becomes a replica is left for the other, which knows no tickets from before`() throws {
        let (first, second) = (try RedisProcess(), try RedisProcess())
        var setup = Setup.replica("a", of: first)
        setup.rest = setup.rest.replacing(
            "redis://127.0.0.1:\(first.port)\"",
            with: "redis://127.0.0.1:\(first.port)\", \"redis://127.0.0.1:\(second.port)\"")
        let replica = try Service(setup, .epoll)
        try ReplicaTests.wait(for: "Redis is heard") { try ReplicaTests.part(replica) == "ok" }
        let ticket = try ReplicaTests.ticket(of: replica, uses: 2)
        #expect(try ReplicaTests.use(ticket, at: replica).status == 200)
        try first.ask("REPLICAOF", "127.0.0.1", "\(second.port)")
        try ReplicaTests.wait(for: "the other is used") {
            try second.ask("ZCARD", "countersign:replicas") == "1" && ReplicaTests.part(replica) == "ok"
        }
        #expect(try ReplicaTests.use(ticket, at: replica).json["code"] == "ticket_spent")
        #expect(try replica.get("/qiniu/uptoken?key=photos/1.jpg").status == 200)
    }

    @Test func `a Redis that evicts keys, or that follows another, is not used`() throws {
        let redis = try RedisProcess("--maxmemory-policy", "allkeys-lru")
        let replica = try Service(.replica("a", of: redis), .epoll)
        #expect(try replica.process.waitForError(holding: "maxmemory-policy must be noeviction").contains("not heard"))
        let follower = try RedisProcess("--replicaof", "127.0.0.1", "\(redis.port)")
        let other = try Service(.replica("b", of: follower), .epoll)
        #expect(try other.process.waitForError(holding: "is a replica").contains("Redis is not heard"))
    }

    @Test func `a Redis that asks for a password is not used without it`() throws {
        let redis = try RedisProcess("--requirepass", "the-password")
        let stranger = try Service(.replica("stranger", of: redis), .epoll)
        #expect(try stranger.process.waitForError(holding: "NOAUTH").contains("Redis is not heard"))
        let wrong = try Service(.replica("wrong", of: redis, beside: #"password: "another","#), .epoll)
        #expect(try wrong.process.waitForError(holding: "WRONGPASS").contains("Redis is not heard"))
        let known = try Service(.replica("known", of: redis, beside: #"password: "the-password","#), .epoll)
        try ReplicaTests.wait(for: "Redis is heard") { try ReplicaTests.part(known) == "ok" }
        for replica in [stranger, wrong, known] {
            #expect(try replica.get("/qiniu/uptoken?key=photos/1.jpg").status == 200)
            #expect(!replica.process.errorText.contains("the-password"))
        }
    }
}

/// What threads have counted, or why one could not.
private final class Collected: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result<Int, any Error>] = []

    func add(_ count: () throws -> Int) {
        let result = Result { try count() }
        lock.withLock { results.append(result) }
    }

    func sum() throws -> Int { try lock.withLock { results }.reduce(0) { try $0 + $1.get() } }
}

/// What threads were answered, or why one was not.
private final class Gathered: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result<Answer, any Error>] = []

    func add(_ answer: () throws -> Answer) {
        let result = Result { try answer() }
        lock.withLock { results.append(result) }
    }

    func all() throws -> [Answer] { try lock.withLock { results }.map { try $0.get() } }
}
