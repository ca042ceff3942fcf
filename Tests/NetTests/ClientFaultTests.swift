import Bytes
import Glibc
import TestPeers
import TestTraits
import Testing

@testable import Net

/// What a server does to its client, and how the client takes it.
struct ClientFault: Sendable, CustomTestStringConvertible {
    let name: String
    /// The milliseconds that the exchange has at first.
    var time: Int64 = 60_000
    var limit = 1 << 20
    let error: ExchangeError
    let script: ClientPeer.Script

    var testDescription: String { name }
    /// Whether it is the deadline that ends it.
    var isTimeout: Bool { if case .timeout = error { true } else { false } }

    private static let head = "HTTP/1.1 200 OK\r\n"

    static let all: [ClientFault] = [
        ClientFault(name: "never answers", time: 1500, error: .timeout(.waiting)) { peer, _ in peer.hang() },
        ClientFault(name: "stops in the head", time: 1500, error: .timeout(.receiving)) { peer, _ in
            try peer.request()
            try peer.write("HTTP/1.1 200 OK\r\nContent-Le")
            peer.hang()
        },
        ClientFault(name: "stops after the head", time: 1500, error: .timeout(.receiving)) { peer, _ in
            try peer.request()
            try peer.write("\(head)Content-Length: 10\r\n\r\n")
            peer.hang()
        },
        ClientFault(name: "drips", time: 1500, error: .timeout(.receiving)) { peer, _ in
            try peer.request()
            try peer.write("\(head)Content-Length: 100000\r\n\r\n")
            while true {
                try peer.write("a")
                poll(nil, 0, 20)
            }
        },
        ClientFault(name: "drips interim answers", time: 1500, error: .timeout(.receiving)) { peer, _ in
            try peer.request()
            while true {
                try peer.write("HTTP/1.1 100 Continue\r\n\r\n")
                poll(nil, 0, 20)
            }
        },
        ClientFault(name: "closes at once", error: .closed(.waiting)) { peer, _ in try peer.request() },
        ClientFault(name: "closes in the head", error: .closed(.receiving)) { peer, _ in
            try peer.request()
            try peer.write(head)
        },
        ClientFault(name: "closes in the content", error: .closed(.receiving)) { peer, _ in
            try peer.request()
            try peer.write("\(head)Content-Length: 10\r\n\r\nabc")
            peer.finish()
        },
        ClientFault(name: "closes in a chunk", error: .closed(.receiving)) { peer, _ in
            try peer.request()
            try peer.write("\(head)Transfer-Encoding: chunked\r\n\r\n5\r\nabc")
        },
        ClientFault(name: "resets instead of answering", error: .closed(.waiting)) { peer, _ in
            try peer.request()
            peer.reset()
        },
        ClientFault(name: "sends 10 MB, told before", error: .tooLarge(reason: "the answer is too large")) { peer, _ in
            try peer.request()
            try peer.answer(String(repeating: "a", count: 10_000_000))
        },
        ClientFault(name: "sends 10 MB, not told before", error: .tooLarge(reason: "the answer is too large")) {
            peer, _ in
            try peer.request()
            try peer.write("\(head)\r\n" + String(repeating: "a", count: 10_000_000))
        },
        ClientFault(name: "sends 10 MB of head", error: .tooLarge(reason: "the answer's head is too large")) {
            peer, _ in
            try peer.request()
            try peer.write("\(head)A: " + String(repeating: "a", count: 10_000_000))
        },
        ClientFault(name: "sends no HTTP", error: .malformed(reason: "the answer is not HTTP/1.1")) { peer, _ in
            try peer.request()
            try peer.write("<html>\r\n\r\n")
            peer.hang()
        },
        ClientFault(
            name: "sends two lengths", error: .malformed(reason: "the answer's framing is ambiguous")
        ) { peer, _ in
            try peer.request()
            try peer.write("\(head)Content-Length: 1\r\nContent-Length: 2\r\n\r\n")
            peer.hang()
        },
        ClientFault(
            name: "changes the protocol", error: .malformed(reason: "the upstream changed the protocol")
        ) { peer, _ in
            try peer.request()
            try peer.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")
            peer.hang()
        },
    ]
}

@Suite(.timed, .timeLimit(.minutes(20))) struct ClientFaultTests {
    private let certificates: ClientCertificates
    private let trust: TLSTrust

    init() throws {
        certificates = try ClientCertificates.shared.get()
        trust = try TLSTrust(.file(certificates.authority))
    }

    private func milliseconds(_ body: () throws -> Void) rethrows -> Int64 {
        let start = SystemClock.monotonicMilliseconds()
        try body()
        return SystemClock.monotonicMilliseconds() - start
    }

    /// By a deadline of its own it ends in its time, else at once; the bounds are for a busy machine. There it may also take
    /// longer than that to come to the fault: it is given more time then, but not for ever.
    /// - Parameter asked: makes an exchange that has so many milliseconds.
    private func expect(_ fault: ClientFault, _ client: ClientLoop, _ asked: (Int64) -> Exchange) throws {
        var allowed = fault.time
        while true {
            var error: ExchangeError?
            let time = try milliseconds { error = try client.error(asked(allowed)) }
            #expect(time < 60_000)
            if fault.isTimeout { #expect(time >= allowed) }
            guard fault.isTimeout, allowed < 24_000, comesEarlier(error, than: fault.error) else {
                #expect(error == fault.error)
                break
            }
            allowed *= 2
        }
        // It leaves nothing behind, and the client goes on.
        #expect(try client.onLoop { $0.clients.isEmpty })
        #expect(try client.answer(exchange(client.port)).status == 200)
    }

    /// Whether the time of the one was over in an earlier phase.
    private func comesEarlier(_ error: ExchangeError?, than other: ExchangeError) -> Bool {
        guard case .timeout(let phase) = error, case .timeout(let wanted) = other else { return false }
        let phases: [ExchangeError.Phase] = [.resolving, .connecting, .handshaking, .sending, .waiting, .receiving]
        return phases.prefix { $0 != wanted }.contains(phase)
    }

    @Test(arguments: TransportKind.allCases, ClientFault.all)
    func `a server that fails is told from one that answers`(kind: TransportKind, fault: ClientFault) throws {
        try withPeer(fault.script) { (peer) throws in
            try withClient(kind) { (client) throws in
                try expect(fault, client) { exchange(peer.port, within: $0, limit: fault.limit) }
            }
        }
    }

    @Test(arguments: TransportKind.allCases, ClientFault.all)
    func `and so it is over TLS`(kind: TransportKind, fault: ClientFault) throws {
        try withPeer(fault.script, tls: certificates.good) { (peer) throws in
            try withClient(kind) { (client) throws in
                try expect(fault, client) {
                    exchange(.https(trust), "localhost", peer.port, within: $0, limit: fault.limit)
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a handshake that never ends, or breaks off, is told`(kind: TransportKind) throws {
        for fault in [
            ClientFault(name: "hangs", time: 1500, error: .timeout(.handshaking)) { peer, _ in peer.hang() },
            ClientFault(name: "closes", error: .closed(.handshaking)) { _, _ in },
        ] {
            try withPeer(fault.script) { (peer) throws in
                try withClient(kind) { (client) throws in
                    try expect(fault, client) { exchange(.https(trust), "127.0.0.1", peer.port, within: $0) }
                }
            }
        }
        try withPeer({ peer, _ in peer.reset() }) { (peer) throws in
            try withClient(kind) { (client) throws in
                // The reset may come before the client has seen that it is connected.
                let reset = ExchangeError.connect(reason: "Connection reset by peer")
                let error = try client.error(exchange(.https(trust), "127.0.0.1", peer.port))
                #expect([.closed(.handshaking), reset].contains(error))
            }
        }
    }

    // MARK: Before there is a connection

    @Test(arguments: TransportKind.allCases)
    func `a port where nobody listens is told at once`(kind: TransportKind) throws {
        // Taken, so that nobody else gets it.
        let taken = systemSocket(AF_INET)
        defer { systemClose(taken) }
        #expect(systemBind(taken, to: try socketAddress("127.0.0.1:0")) == 0)
        let port = try #require(SocketAddress(boundBy: taken)).port
        try withClient(kind) { (client) throws in
            for scheme in [Exchange.Scheme.http, .https(trust)] {
                let time = try milliseconds {
                    let error = try client.error(exchange(scheme, "127.0.0.1", port))
                    #expect(error == .connect(reason: "Connection refused"))
                }
                #expect(time < 30_000)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `plain http to anywhere else is refused at once`(kind: TransportKind) throws {
        try withClient(kind) { (client) throws in
            #expect(try client.error(exchange(.http, "sts.aliyuncs.com", 80)) == .plainHTTP)
            #expect(try client.error(exchange(.http, "bad name", 80)) == .resolve(.badName))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a name that nobody has is told`(kind: TransportKind) throws {
        try withClient(kind) { (client) throws in
            // Without name servers it cannot be known that nobody has it.
            let error = try client.error(exchange(.https(trust), "nobody.invalid", 443, within: 8000))
            #expect(
                [.resolve(.unknown), .resolve(.unavailable), .timeout(.resolving)].contains(error))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `looking for an address, and connecting, have the same deadline`(kind: TransportKind) throws {
        let gate = DispatchedGate()
        let slow = Resolver(lookup: { _ in
            gate.wait()
            return .success([])
        })
        try withClient(kind, resolver: slow) { (client) throws in
            let time = try milliseconds {
                let error = try client.error(exchange(.https(trust), "sts.test", 443, within: 1500))
                #expect(error == .timeout(.resolving))
            }
            #expect((1500..<30_000).contains(time))
            gate.open()
            #expect(
                try client.error(exchange(.https(trust), "sts.test", 443))
                    == .connect(reason: "the host has no address"))
            // No time at all is too little.
            #expect(try client.error(exchange(1, within: 0)) == .timeout(.resolving))
        }
    }

    /// Connects, one after the other, until nobody can any more.
    private func fillQueue(of address: String) throws -> [Client] {
        var clients: [Client] = []
        while clients.count < 64 {
            let client = try Client(unconnectedHoldingLittle: false)
            client.wait(atMost: 1)
            clients.append(client)
            guard systemConnect(client.descriptor, to: try socketAddress(address)) == 0 else { return clients }
        }
        Issue.record("\(address) takes whoever comes")
        return clients
    }

    @Test(arguments: TransportKind.allCases)
    func `the addresses of a name are tried in turn, each with its share of the time`(kind: TransportKind) throws {
        let script: ClientPeer.Script = { peer, _ in
            while true {
                try peer.request()
                try peer.answer("a", fields: "Connection: close\r\n")
            }
        }
        try withPeer(script, tls: certificates.good) { (peer) throws in
            // Of the other two addresses, one refuses and the other accepts nobody: its queue is full.
            let full = try ClientPeer({ _, _ in }, address: 0x7F00_0003, port: peer.port, accepts: false)
            let names = resolver(["sts.test": ["127.0.0.2", "127.0.0.3", "127.0.0.1"], "full.test": ["127.0.0.3"]])
            let fillers = try fillQueue(of: "127.0.0.3:\(full.port)")
            try withClient(kind, resolver: names) { (client) throws in
                let hangs = ClientFault(name: "full", time: 5000, error: .timeout(.connecting)) { _, _ in }
                try expect(hangs, client) { exchange(.https(trust), "full.test", peer.port, within: $0) }
                /// How long the answer takes; nil when it does not come in time.
                func ask(within allowed: Int64) throws -> Int64? {
                    let begin = SystemClock.monotonicMilliseconds()
                    switch try client.start(exchange(.https(trust), "sts.test", peer.port, within: allowed)).result() {
                    case .success(let answer):
                        #expect(answer.status == 200)
                        return SystemClock.monotonicMilliseconds() - begin
                    case .failure(.timeout): return nil
                    case .failure(let error): throw error
                    }
                }
                // A slow moment may use up the share of the one that answers, but not a large one.
                let first = try #require(try ask(within: 15_000) ?? ask(within: 45_000))
                #expect(first >= 6500)
                // The one that answered is tried first from then on: else the full one has half of the time.
                let next = try #require(try ask(within: 45_000))
                #expect(next < 20_000)
            }
            withExtendedLifetime(fillers) {}
            #expect(full.stop())
        }
    }
}
