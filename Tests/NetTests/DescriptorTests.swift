import COpenSSL
import Dispatch
import Foundation
import HTTP
import TestPeers
import TestTraits
import Testing

@testable import Net

/// What a server does to the process as a whole, each in a process of its own, so that no other test is counted with it.
@Suite(.waiting, .serialized, .timeLimit(.minutes(20))) struct DescriptorTests {
    @Test(arguments: TransportKind.allCases.map(\.rawValue))
    func `500 connections and a server leave no descriptor behind`(transport: String) async {
        await #expect(processExitsWith: .success) { [transport] in
            let kind = try #require(TransportKind(rawValue: transport))
            // The first servers open what the runtime keeps for ever. The second may still be on its way out when `before`
            // is counted, so that five others must not leave more behind than it did.
            #expect(try TestServer(.dispatch).stop())
            #expect(try TestServer(kind).stop())
            let before = openDescriptors()
            for _ in 0..<5 { #expect(try TestServer(kind).stop()) }
            #expect(eventually { openDescriptors() <= before })
            try withServer(kind) { server in
                let running = openDescriptors()
                for _ in 0..<5 {
                    let clients = try (0..<100).map { _ in try Client(server.port) }
                    for client in clients.prefix(60) { #expect(try client.get("/").status == 200) }
                    for client in clients.prefix(20) { client.reset() }
                    for client in clients.dropFirst(90) { try client.write("GET / HT") }
                }
                #expect(eventually { openDescriptors() <= running })
            }
            #expect(eventually { openDescriptors() <= before })
            // One that never runs, and one that fails, close what they opened.
            let address = try socketAddress("127.0.0.1:0")
            var settings = Server.Settings(addresses: [address], workers: 2)
            settings.transport = kind
            for _ in 0..<5 {
                _ = try Server(settings) { EchoHandler() }
                #expect(throws: Server.Failure.self) { try Server(settings) { throw CancellationError() } }
            }
            #expect(openDescriptors() <= before)
        }
    }

    @Test(arguments: TransportKind.allCases.map(\.rawValue))
    func `1,000 handshakes leave no descriptor behind, however they end`(transport: String) async {
        await #expect(processExitsWith: .success) { [transport] in
            let kind = try #require(TransportKind(rawValue: transport))
            let certificates = try ClientCertificates.shared.get()
            try withTLSServer(kind) { server in
                // The first ones open what OpenSSL and the runtime keep.
                for version in TLSVersion.allCases {
                    #expect(try TLSClient(to: server.port, version.offer).get("/").status == 200)
                }
                let running = openDescriptors()
                for round in 0..<125 {
                    let version = TLSVersion.allCases[round % 2]
                    let clients = try (0..<4).map { _ in try TLSClient(to: server.port, version.offer) }
                    #expect(try clients[0].get("/").status == 200)
                    clients[1].reset()
                    try clients[2].sayFarewell()
                    try clients[3].writeRaw(Array("GET / HTTP/1.1\r\n\r\n".utf8))
                    let begun = try TLSClient(to: server.port, version.offer, shakesHands: false)
                    try begun.writeRaw(Array(begun.clientHello().prefix(round)))
                    var offer = version.offer
                    offer.protocols = ["h2"]
                    #expect(try refusal(server, offer) != nil)
                    offer = TLSClient.Offer(versions: TLS1_1_VERSION...TLS1_1_VERSION, ciphers: "ALL:@SECLEVEL=0")
                    #expect(try refusal(server, offer) != nil)
                    offer = version.offer
                    offer.certificate = certificates.caller
                    #expect(try refusal(server, offer) == nil)
                }
                #expect(eventually { openDescriptors() <= running })
            }
        }
    }

    /// Here because a process that starts another lends it all its descriptors for a moment.
    @Test(arguments: TransportKind.allCases.map(\.rawValue))
    func `a stop that comes before run is not lost, and run leaves no port taken`(transport: String) async {
        await #expect(processExitsWith: .success) { [transport] in
            // Where nobody else takes a port meanwhile that the system has just chosen here.
            let address = try socketAddress("127.0.0.77:0")
            let kind = try #require(TransportKind(rawValue: transport))
            let returned = DispatchSemaphore(value: 0)
            Thread {
                defer { returned.signal() }
                do {
                    for _ in 0..<50 {
                        var settings = Server.Settings(addresses: [address], workers: 2)
                        settings.transport = kind
                        let server = try Server(settings) { EchoHandler() }
                        server.stop()
                        server.run()
                        // On the same thread, so that nothing has time to close anything later.
                        let sockets = try ListeningSocket.open(server.addresses[0], index: 0, count: 1)
                        for socket in sockets { systemClose(socket.descriptor) }
                    }
                } catch {
                    Issue.record(error)
                }
            }.start()
            #expect(returned.wait(timeout: .now() + 300) == .success)
        }
    }

    @Test(arguments: TransportKind.allCases.map(\.rawValue))
    func `without descriptors the server waits quietly, and goes on when there are some`(transport: String) async {
        await #expect(processExitsWith: .success) { [transport] in
            let kind = try #require(TransportKind(rawValue: transport))
            try withServer(kind) { server in
                let first = try Client(server.port)
                #expect(try first.get("/").status == 200)
                let clients = try (0..<8).map { _ in try Client(unconnectedHoldingLittle: false) }
                // Nothing is left to accept with, unless the runtime closes one of its own; it has fewer than eight to spare.
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = rlim_t(highestDescriptor() + 13)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                var fillers: [Int32] = []
                while case let filler = dup(0), filler >= 0 { fillers.append(filler) }
                for client in clients { try client.connect(to: server.port) }
                let waiting = clients[7]
                try waiting.write("GET /late HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(isQuiet(while: waiting))
                // Those who have a connection are served all the time.
                #expect(try first.get("/").status == 200)
                for filler in fillers { close(filler) }
                #expect(try waiting.answer().text == "/late?")
            }
        }
    }

    @Test(arguments: TransportKind.allCases.map(\.rawValue))
    func `nothing spins while a client does not read`(transport: String) async {
        await #expect(processExitsWith: .success) { [transport] in
            let kind = try #require(TransportKind(rawValue: transport))
            try withServer(kind) { server in
                let requests = String(repeating: "GET /big/150000 HTTP/1.1\r\nHost: h\r\n\r\n", count: 20)
                let halfClosed = try Client(server.port, holdsLittle: true)
                try halfClosed.write(requests)
                halfClosed.finishWriting()
                let sending = try Client(server.port, holdsLittle: true)
                try sending.write(requests + requests)
                let refused = try Client(server.port)
                try refused.write("nonsense\r\n\r\n")
                #expect(try refused.answer().status == 400)
                #expect(try isQuiet(while: Client(server.port)))
                #expect(try halfClosed.answer().body.count == 150_000)
            }
        }
    }
}

/// All but the timers, which the runtime opens when it likes.
func openDescriptors() -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let targets = names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    return targets.count { !$0.contains("timerfd") }
}

private func highestDescriptor() -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int($0) }.max() ?? 0
}

/// Whether `condition` comes true within twenty seconds.
func eventually(_ condition: () -> Bool) -> Bool {
    let end = SystemClock.monotonicMilliseconds() + 20_000
    while !condition() {
        guard SystemClock.monotonicMilliseconds() < end else { return false }
        poll(nil, 0, 10)
    }
    return true
}

/// Whether the process rests for half a second in which such a client hears nothing. Anything may be at work once, but what
/// spins never rests, so that there are a few tries.
func isQuiet(while client: Client) -> Bool {
    client.wait(atMost: 0.5)
    defer { client.wait(atMost: 60) }
    return (0..<10).contains { _ in
        processorMilliseconds { #expect(throws: Client.Failure.self) { try client.answer() } } < 100
    }
}

private func processorMilliseconds(_ body: () throws -> Void) rethrows -> Int {
    func used() -> Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let micros = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
        return (micros + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000
    }
    let before = used()
    try body()
    return used() - before
}
