import Bytes
import Foundation
import Net
import TestPeers
import TestTraits
import Testing

@testable import Cluster

/// What became of commands, told by any thread.
private final class Outcomes: @unchecked Sendable {
    private let condition = NSCondition()
    private var replies: [Result<RedisReply, RedisFault>] = []

    func add(_ result: Result<RedisReply, RedisFault>) {
        condition.lock()
        replies.append(result)
        condition.broadcast()
        condition.unlock()
    }

    /// Waits for so many.
    func wait(for count: Int) -> [Result<RedisReply, RedisFault>] {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date.now.addingTimeInterval(30)
        while replies.count < count, condition.wait(until: deadline) {}
        return replies
    }
}

private final class Owner: RedisLinkOwner {
    /// What is done on the link's thread when a connection may be used.
    private let opened: @Sendable () -> Void
    let faults = Outcomes()

    init(opened: @escaping @Sendable () -> Void = {}) { self.opened = opened }

    func linkOpened(to runID: [UInt8]) { opened() }
    func linkFailed(because fault: RedisFault) { faults.add(.failure(fault)) }
    // It has nothing to do of its own, so that nothing but a command wakes the thread.
    func linkTick(at now: Int64) -> Int64 { .max }
}

@Suite("The link to Redis", .waiting) struct RedisLinkTests {
    private static func link(to peer: RedisPeer, timeout: Int64 = 10_000) throws -> RedisLink {
        try #require(
            RedisLink(
                RedisSettings(
                    servers: [.init(host: "127.0.0.1", port: peer.port, isSecured: false)], user: nil, password: nil,
                    timeout: timeout), trusting: nil, loading: [try Heartbeat.script()]))
    }

    private static func text(_ result: Result<RedisReply, RedisFault>) -> String {
        switch result {
        case .success(let reply): reply.bytes?.text ?? "\(reply)"
        case .failure(let fault): "\(fault)"
        }
    }

    private static let echo: RedisPeer.Script = { words, _ in
        words.first == "ECHO" ? .says(RedisPeer.bulk(words.last ?? "")) : nil
    }

    @Test func `what is sent from other threads, from the link's own, and by what it answers leaves at once, in order`()
        throws
    {
        let peer = try RedisPeer(RedisLinkTests.echo)
        let link = try RedisLinkTests.link(to: peer)
        let outcomes = Outcomes()
        let owner = Owner { [weak link] in
            // The thread is about to wait; nothing else wakes it.
            guard let link else { return }
            link.send(RedisCommand("ECHO").adding(0)) { first in
                outcomes.add(first)
                link.send(RedisCommand("ECHO").adding(1)) { outcomes.add($0) }
            }
        }
        #expect(link.start(for: owner))
        defer { link.stop() }
        #expect(outcomes.wait(for: 2).map(RedisLinkTests.text) == ["0", "1"])
        // Each is sent when the thread waits for nothing at all.
        for number in 2..<100 as Range<Int64> {
            link.send(RedisCommand("ECHO").adding(number)) { outcomes.add($0) }
            #expect(outcomes.wait(for: Int(number) + 1).last.map(RedisLinkTests.text) == "\(number)")
        }
        DispatchQueue.concurrentPerform(iterations: 100) { number in
            link.send(RedisCommand("ECHO").adding(Int64(number))) { outcomes.add($0) }
        }
        #expect(outcomes.wait(for: 200).count == 200)
    }

    @Test func `a command for a connection that is over is not sent by the next`() throws {
        let peer = try RedisPeer(RedisLinkTests.echo)
        let link = try RedisLinkTests.link(to: peer)
        let opened = Outcomes()
        #expect(link.start(for: Owner { opened.add(.success(.nothing)) }))
        defer { link.stop() }
        _ = opened.wait(for: 1)
        let first = link.connections
        link.drop(because: .gone)
        _ = opened.wait(for: 2)
        let outcomes = Outcomes()
        link.send(RedisCommand("ECHO").adding(1), by: first) { outcomes.add($0) }
        link.send(RedisCommand("ECHO").adding(2), by: link.connections) { outcomes.add($0) }
        #expect(
            outcomes.wait(for: 2).map(RedisLinkTests.text) == ["there is no connection to Redis", "2"])
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "*70000\r\n", "$x\r\n", ":1\r\n:2\r\n"])
    func `what answers by something else than one reply is left, and all that waits is told so`(_ bytes: String) throws
    {
        let peer = try RedisPeer { words, connection in
            guard words.first == "ECHO" else { return nil }
            return connection == 1 ? .says(bytes) : .says(RedisPeer.bulk("well"))
        }
        let link = try RedisLinkTests.link(to: peer)
        let (opened, outcomes) = (Outcomes(), Outcomes())
        let owner = Owner { opened.add(.success(.nothing)) }
        #expect(link.start(for: owner))
        defer { link.stop() }
        _ = opened.wait(for: 1)
        link.send(RedisCommand("ECHO").adding(1)) { outcomes.add($0) }
        #expect(RedisLinkTests.text(owner.faults.wait(for: 1)[0]).contains("protocol"))
        _ = opened.wait(for: 2)
        #expect(outcomes.wait(for: 1).count == 1)
        link.send(RedisCommand("ECHO").adding(2)) { outcomes.add($0) }
        #expect(outcomes.wait(for: 2).last.map(RedisLinkTests.text) == "well")
    }

    @Test func `an answer that does not come ends the connection, and what waits behind it`() throws {
        let peer = try RedisPeer { words, connection in words.first == "ECHO" && connection == 1 ? .nothing : nil }
        let link = try RedisLinkTests.link(to: peer, timeout: 300)
        let (opened, outcomes) = (Outcomes(), Outcomes())
        #expect(link.start(for: Owner { opened.add(.success(.nothing)) }))
        defer { link.stop() }
        _ = opened.wait(for: 1)
        for number in 0..<3 as Range<Int64> { link.send(RedisCommand("ECHO").adding(number)) { outcomes.add($0) } }
        let faults = outcomes.wait(for: 3)
        #expect(faults.count == 3 && faults.allSatisfy { if case .failure = $0 { true } else { false } })
        #expect(opened.wait(for: 2).count == 2)
    }

    @Test func `a bell is not waited for beyond a moment that has passed, however long ago`() throws {
        let bell = try #require(Bell())
        for moment in [Int64.min, 0, -1] { bell.wait(until: moment) }
        bell.ring()
        bell.wait(until: .max)
    }
}
