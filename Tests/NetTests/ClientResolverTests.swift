import Bytes
import Dispatch
import TestTraits
import Testing

@testable import Net

@Suite(.timed, .timeLimit(.minutes(20))) struct ClientResolverTests {
    /// Answers that come when the test says so, at times that it sets.
    private final class Names: Sendable {
        private let lock = Lock()
        private nonisolated(unsafe) var asked: [String] = []
        private nonisolated(unsafe) var time: Int64 = 0
        private let gate: DispatchSemaphore?

        /// - Parameter isHeld: whether a look-up waits for `release`.
        init(isHeld: Bool = false) { gate = isHeld ? DispatchSemaphore(value: 0) : nil }

        var lookups: [String] { lock.withLock { asked } }
        func advance(_ milliseconds: Int64) { lock.withLock { time += milliseconds } }
        func release() { gate?.signal() }

        func resolver() -> Resolver {
            Resolver(
                clock: { [self] in lock.withLock { time } },
                lookup: { [self] name in
                    lock.withLock { asked.append(name) }
                    _ = gate?.wait(timeout: .now() + 60)
                    guard !name.hasPrefix("no"), let address = IPAddress("127.0.0.1") else {
                        return .failure(.unknown)
                    }
                    return .success([address])
                })
        }
    }

    /// Waits for outcomes.
    private final class Outcomes: Sendable {
        private let lock = Lock()
        private let bell = DispatchSemaphore(value: 0)
        private nonisolated(unsafe) var all: [Resolver.Outcome] = []

        func add(_ outcome: Resolver.Outcome) {
            lock.withLock { all.append(outcome) }
            bell.signal()
        }

        func wait(for count: Int) -> [Resolver.Outcome] {
            for _ in 0..<count where bell.wait(timeout: .now() + 60) == .timedOut { break }
            return lock.withLock { all }
        }
    }

    /// The outcome, known or looked up.
    private func ask(_ resolver: Resolver, _ name: String) -> Resolver.Outcome? {
        let outcomes = Outcomes()
        return resolver.resolve(name) { outcomes.add($0) } ?? outcomes.wait(for: 1).first
    }

    @Test func `an answer is kept for 30 seconds, a failure for one`() {
        let names = Names()
        let resolver = names.resolver()
        let address = IPAddress("127.0.0.1").map { [$0] } ?? []
        for _ in 0..<3 {
            #expect(ask(resolver, "yes") == .success(address))
            #expect(ask(resolver, "no") == .failure(.unknown))
        }
        #expect(names.lookups == ["yes", "no"])
        names.advance(999)
        #expect(ask(resolver, "no") == .failure(.unknown))
        #expect(names.lookups.count == 2)
        names.advance(1)
        #expect(ask(resolver, "no") == .failure(.unknown))
        #expect(names.lookups.count == 3)
        names.advance(28_999)
        #expect(ask(resolver, "yes") == .success(address))
        #expect(names.lookups.count == 3)
        names.advance(1)
        #expect(ask(resolver, "yes") == .success(address))
        #expect(names.lookups.count == 4)
    }

    @Test func `a known name is answered at once, an unknown one later`() {
        let resolver = Names().resolver()
        let outcomes = Outcomes()
        #expect(resolver.resolve("yes") { outcomes.add($0) } == nil)
        #expect(outcomes.wait(for: 1).count == 1)
        #expect(resolver.resolve("yes") { outcomes.add($0) } != nil)
        #expect(outcomes.wait(for: 0).count == 1)
    }

    @Test func `many who ask for one name make one look-up`() {
        let names = Names(isHeld: true)
        let resolver = names.resolver()
        let outcomes = Outcomes()
        for _ in 0..<500 { #expect(resolver.resolve("yes") { outcomes.add($0) } == nil) }
        names.release()
        #expect(outcomes.wait(for: 500).count == 500)
        #expect(names.lookups == ["yes"])
    }

    @Test func `one name is looked up at a time, and not too many wait`() {
        let names = Names(isHeld: true)
        let resolver = names.resolver()
        let outcomes = Outcomes()
        #expect(resolver.resolve("n0") { outcomes.add($0) } == nil)
        #expect(soon { names.lookups == ["n0"] })
        for number in 1...64 { #expect(resolver.resolve("n\(number)") { outcomes.add($0) } == nil) }
        #expect(resolver.resolve("n65") { outcomes.add($0) } == .failure(.busy))
        #expect(names.lookups == ["n0"])
        for _ in 0...64 { names.release() }
        #expect(outcomes.wait(for: 65).count == 65)
        #expect(names.lookups.count == 65)
    }

    @Test func `those who wait for one name are not too many either`() {
        let names = Names(isHeld: true)
        let resolver = names.resolver()
        let outcomes = Outcomes()
        for _ in 0..<4096 { _ = resolver.resolve("yes") { outcomes.add($0) } }
        #expect(resolver.resolve("yes") { outcomes.add($0) } == .failure(.busy))
        names.release()
        #expect(outcomes.wait(for: 4096).count == 4096)
        #expect(resolver.resolve("yes") { outcomes.add($0) } != nil)
    }

    @Test func `what is remembered has a bound`() {
        let names = Names()
        let resolver = names.resolver()
        for number in 0..<1000 { #expect(ask(resolver, "yes\(number)") != nil) }
        #expect(ask(resolver, "yes999") != nil)
        #expect(names.lookups.count == 1000)
        #expect(ask(resolver, "yes0") != nil)
        #expect(names.lookups.count == 1001)
    }

    @Test func `a resolver that is gone answers nobody, and its thread ends`() {
        let names = Names(isHeld: true)
        weak var gone: Names?
        let outcomes = Outcomes()
        do {
            let local = Names(isHeld: true)
            gone = local
            let resolver = local.resolver()
            #expect(resolver.resolve("yes") { outcomes.add($0) } == nil)
            #expect(soon { local.lookups == ["yes"] })
            local.release()
            #expect(outcomes.wait(for: 1).count == 1)
        }
        #expect(soon { gone == nil })
        do {
            let resolver = names.resolver()
            #expect(resolver.resolve("yes") { outcomes.add($0) } == nil)
            #expect(soon { names.lookups == ["yes"] })
        }
        names.release()
        #expect(outcomes.wait(for: 0).count == 1)
    }

    @Test func `the system knows this machine, and nobody in invalid`() throws {
        let outcome = SystemLookup.addresses(of: "localhost")
        let addresses = try outcome.get()
        #expect(!addresses.isEmpty)
        #expect(addresses.filter { !$0.isLoopback }.isEmpty)
        for text in ["127.0.0.1", "::1"] {
            let address = try #require(IPAddress(text))
            #expect(SystemLookup.addresses(of: text) == .success([address]))
        }
        let nobody = SystemLookup.addresses(of: "nobody.invalid")
        #expect([.failure(.unknown), .failure(.unavailable)].contains(nobody))
    }

    // MARK: Mailbox

    @Test(arguments: TransportKind.allCases)
    func `work is run in its order, on the loop, from any number of threads`(kind: TransportKind) throws {
        try withClient(kind) { (client) throws in
            let lock = Lock()
            nonisolated(unsafe) var seen: [Int: [Int]] = [:]
            let loop = client.loop
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for number in 0..<500 { loop.post { lock.withLock { seen[thread, default: []].append(number) } } }
            }
            _ = try client.onLoop { _ in true }
            let expected = Array(0..<500)
            let all = lock.withLock { seen }
            #expect(all.count == 8)
            #expect(all.values.allSatisfy { $0 == expected })
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `after the loop's end work is dropped`(kind: TransportKind) throws {
        let client = try ClientLoop(kind)
        #expect(client.stop())
        let outcomes = Outcomes()
        client.loop.post { outcomes.add(.failure(.unknown)) }
        #expect(outcomes.wait(for: 0).isEmpty)
    }
}
