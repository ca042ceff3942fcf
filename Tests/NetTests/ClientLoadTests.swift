import Bytes
import Foundation
import TestPeers
import TestTraits
import Testing

@testable import Net

/// Many exchanges at once, and what they cost everybody else.
@Suite(.timed, .serialized, .timeLimit(.minutes(20))) struct ClientLoadTests {
    private let certificates: ClientCertificates
    private let trust: TLSTrust

    init() throws {
        certificates = try ClientCertificates.shared.get()
        trust = try TLSTrust(.file(certificates.authority))
    }

    @Test(arguments: TransportKind.allCases, [true, false])
    func `200 exchanges at once get their own answers`(kind: TransportKind, isSecure: Bool) throws {
        let script: ClientPeer.Script = { peer, _ in
            while true {
                let target = try peer.request().split(separator: " ")[1]
                try peer.answer(String(target))
            }
        }
        let scheme = isSecure ? Exchange.Scheme.https(trust) : .http
        try withPeer(script, tls: isSecure ? certificates.good : nil) { (peer) throws in
            try withClient(kind) { (client) throws in
                for _ in 0..<2 {
                    let promises = (0..<200).map { number in
                        let request = "GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n"
                        return client.start(exchange(scheme, "localhost", peer.port, request, within: 60_000))
                    }
                    for (number, promise) in promises.enumerated() {
                        #expect(try promise.answer().body.text == "/\(number)")
                        #expect(promise.count == 1)
                    }
                }
                #expect(try client.onLoop { $0.clients.connectionCount } <= 8)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `while 50 exchanges hang, the same loop's server answers at full speed`(kind: TransportKind) throws {
        let certificate = certificates.good
        try withPeer({ peer, _ in peer.hang() }, tls: certificate) { (peer) throws in
            let deaf = try ClientPeer({ peer, _ in peer.hang() })
            defer { #expect(deaf.stop()) }
            try withClient(kind) { (client) throws in
                let waiting = (0..<25).map { _ in
                    client.start(exchange(.https(trust), "localhost", peer.port, within: 600_000))
                }
                let handshaking = (0..<25).map { _ in
                    client.start(exchange(.https(trust), "localhost", deaf.port, within: 600_000))
                }
                #expect(soon { peer.connections == 25 && deaf.connections == 25 })
                let browser = try Client(client.port)
                let end = SystemClock.monotonicMilliseconds() + 60_000
                var answers = 0
                while answers < 3000, SystemClock.monotonicMilliseconds() < end {
                    #expect(try browser.get("/\(answers)").text == "/\(answers)?")
                    answers += 1
                }
                #expect(answers == 3000)
                #expect((waiting + handshaking).allSatisfy { $0.count == 0 })
            }
        }
    }

    @Test(arguments: TransportKind.allCases.map(\.rawValue))
    func `exchanges of every end leave no descriptor behind, and nothing spins`(transport: String) async {
        await #expect(processExitsWith: .success) { [transport] in
            let kind = try #require(TransportKind(rawValue: transport))
            let certificates = try ClientCertificates.shared.get()
            let trust = try TLSTrust(.file(certificates.authority))
            let script: ClientPeer.Script = { peer, number in
                try peer.request()
                switch number % 5 {
                case 0: try peer.answer("a", fields: "Connection: close\r\n")
                case 1: peer.hang()
                case 2: peer.reset()
                case 3: try peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\na")
                default:
                    try peer.answer("a")
                    peer.hang()
                }
            }
            func round(_ count: Int) throws {
                let plain = try ClientPeer(script)
                let secure = try ClientPeer(script, tls: certificates.good)
                let wrong = try ClientPeer(script, tls: certificates.expired)
                let closed = try ClientPeer({ _, _ in })
                #expect(closed.stop())
                try withClient(kind) { (client) throws in
                    var promises: [ClientLoop.Promise] = []
                    for _ in 0..<count {
                        promises.append(client.start(exchange(plain.port, within: 2000)))
                        promises.append(client.start(exchange(.https(trust), "localhost", secure.port, within: 2000)))
                        promises.append(client.start(exchange(.https(trust), "localhost", wrong.port)))
                        promises.append(client.start(exchange(closed.port)))
                    }
                    for promise in promises { _ = try promise.result() }
                    // Some are kept.
                    #expect(try isQuiet(while: Client(client.port)))
                }
                #expect(plain.stop())
                #expect(secure.stop())
                #expect(wrong.stop())
            }
            // The first opens what the runtime keeps for ever.
            try round(5)
            let before = openDescriptors()
            try round(40)
            #expect(soon { openDescriptors() <= before })
        }
    }

    @Test(arguments: TransportKind.allCases.map(\.rawValue))
    func `a peer that is gone while it is sent to is an error, not a signal`(transport: String) async {
        await #expect(processExitsWith: .success) { [transport] in
            let kind = try #require(TransportKind(rawValue: transport))
            let certificates = try ClientCertificates.shared.get()
            let trust = try TLSTrust(.file(certificates.authority))
            let body = String(repeating: "a", count: 8_000_000)
            let request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
            // After the end of the one side comes the reset of the other, which is what makes a signal.
            let script: ClientPeer.Script = { peer, number in if number % 2 == 0 { peer.reset() } }
            for certificate in [certificates.good, nil] {
                try withPeer(script, tls: certificate) { (peer) throws in
                    try withClient(kind) { (client) throws in
                        let scheme = certificate == nil ? Exchange.Scheme.http : .https(trust)
                        for _ in 0..<20 {
                            let error = try client.error(exchange(scheme, "127.0.0.1", peer.port, request))
                            switch error {
                            case .closed, .connect(reason: "Connection reset by peer"): break
                            default: Issue.record("\(String(describing: error))")
                            }
                        }
                    }
                }
            }
        }
    }
}
