import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// What the vendor's key host, or whoever answers instead, does to a question; and what callbacks are answered.
struct KeyHostFault: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    /// What the log says of it.
    let reason: String
    var certificate: (@Sendable (ClientCertificates) -> ClientCertificates.Pair)?
    var host = "localhost"
    /// As `FakeOSS`'s.
    var answer: @Sendable (ClientPeerConnection) throws -> Bool = { _ in false }

    var testDescription: String { name }

    private static func always(
        _ body: String, status: String = "200 OK", fields: String = ""
    ) -> @Sendable (ClientPeerConnection) throws -> Bool {
        { connection in
            try connection.answer(body, status: status, fields: fields)
            return true
        }
    }

    private static func pem(_ change: (String) -> String) -> String {
        change((try? FakeOSS.signer.get().publicPEM) ?? "")
    }

    static let all: [KeyHostFault] = [
        KeyHostFault(
            name: "hangs", status: 503, reason: "no answer in time",
            answer: { connection in
                connection.hang()
                return true
            }),
        KeyHostFault(
            name: "hangs within the key", status: 503, reason: "no answer in time",
            answer: { connection in
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n-----BEGIN PUBLIC KEY-----\n")
                connection.hang()
                return true
            }),
        KeyHostFault(
            name: "resets", status: 503, reason: "the connection was lost",
            answer: { connection in
                connection.reset()
                return true
            }),
        KeyHostFault(
            name: "breaks off", status: 503, reason: "the connection was lost",
            answer: { connection in
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n-----BEGIN PUBLIC KEY-----\n")
                connection.close()
                return true
            }),
        KeyHostFault(name: "500", status: 503, reason: "HTTP 500", answer: always("", status: "500 Oh")),
        KeyHostFault(name: "429", status: 503, reason: "HTTP 429", answer: always("", status: "429 Many")),
        KeyHostFault(name: "404", status: 502, reason: "HTTP 404", answer: always("none", status: "404 None")),
        KeyHostFault(
            name: "a redirect", status: 502, reason: "HTTP 302",
            answer: always("", status: "302 Found", fields: "Location: http://127.0.0.1:1/\r\n")),
        KeyHostFault(name: "nothing", status: 502, reason: "not what", answer: always("")),
        KeyHostFault(name: "HTML", status: 502, reason: "not what", answer: always("<html>hotel</html>")),
        KeyHostFault(
            name: "a private key", status: 502, reason: "not what",
            answer: always(pem { $0.replacing("PUBLIC", with: "PRIVATE") })),
        KeyHostFault(
            name: "a broken key", status: 502, reason: "not what",
            answer: always(pem { $0.replacing("MII", with: "MIJ") })
        ),
        KeyHostFault(
            name: "a key with 16 KiB behind it", status: 502, reason: "too large",
            answer: always(pem { $0 + String(repeating: "\n", count: 16 * 1024) })),
        KeyHostFault(
            name: "10 MB in chunks", status: 502, reason: "too large",
            answer: { connection in
                try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                let chunk = "40000\r\n" + String(repeating: " ", count: 0x40000) + "\r\n"
                for _ in 0..<40 { try connection.write(chunk) }
                return true
            }),
        KeyHostFault(
            name: "a stranger's certificate", status: 503, reason: "certificate", certificate: { $0.stranger }),
        KeyHostFault(
            name: "another host's certificate", status: 503, reason: "certificate", certificate: { $0.other }),
        KeyHostFault(
            name: "a certificate that has ended", status: 503, reason: "certificate", certificate: { $0.expired }),
        KeyHostFault(
            name: "a certificate of its own", status: 503, reason: "certificate", certificate: { $0.selfSigned }),
        KeyHostFault(
            name: "a name that does not exist", status: 503, reason: "invalid", host: "keys.does-not-exist.invalid"),
    ]
}

@Suite("The public keys of OSS's callbacks", .timed)
struct OSSCallbackKeyTests {
    private let reply = "{\"Status\":\"OK\",\"name\":\"中文\"}\n"

    private func code(_ status: Int) -> String { status == 502 ? "upstream_failed" : "upstream_unavailable" }

    @Test("every fault has its answer within 2 s, others are served meanwhile", arguments: KeyHostFault.all)
    func answer(to fault: KeyHostFault) throws {
        let certificates = try ClientCertificates.shared.get()
        let oss = try FakeOSS(tls: fault.certificate.map { $0(certificates) } ?? certificates.good) { connection, _ in
            try fault.answer(connection)
        }
        var environment = Setup.environment
        environment["SSL_CERT_FILE"] = certificates.authority
        let setup = Setup.ossCallbacks("fault", "https://\(fault.host):\(oss.port)")
        try Service.run(setup, .epoll, environment) { service in
            let sent = OSSCallback()
            let client = try service.connect()
            let begin = ContinuousClock.now
            try client.send(sent.text(to: service, try sent.signed(), more: ["X-Request-Id: fault-1"]))
            // Nobody else is kept waiting.
            for _ in 0..<20 { #expect(try service.get("/livez").status == 200) }
            let answer = try client.answer()
            let time = ContinuousClock.now - begin
            answer.expectProblem(fault.status, code(fault.status))
            #expect(answer["X-Request-Id"] == "fault-1")
            #expect(Int(answer["Retry-After"] ?? "") ?? 0 >= 1)
            // Two seconds, and what a machine that is busy with the other tests may add.
            #expect(time < .seconds(4), "\(time)")
            let log = service.stop().err
            #expect(log.contains("warning: no public key from the vendor host=\(fault.host):\(oss.port) "), "\(log)")
            #expect(log.contains(fault.reason), "\(log)")
            #expect(!log.contains("hotel") && !answer.text.contains("hotel"))
            #expect(!log.contains("callback verified"))
        }
    }

    @Test func `the vendor is believed by its certificate`() throws {
        let certificates = try ClientCertificates.shared.get()
        let oss = try FakeOSS(tls: certificates.good)
        var environment = Setup.environment
        environment["SSL_CERT_FILE"] = certificates.authority
        try Service.run(.ossCallbacks("tls", "localhost:\(oss.port)"), .epoll, environment) { service in
            let sent = OSSCallback()
            let answer = try sent.send(to: service, try sent.signed())
            #expect(answer.text == reply)
        }
    }
}
