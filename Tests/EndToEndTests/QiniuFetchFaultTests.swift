import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// What Kodo, or whoever answers instead, does to a question; and what clients are told.
struct KodoFault: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let code: String
    /// What the log says of it.
    let reason: String
    let certificate: (@Sendable (ClientCertificates) -> ClientCertificates.Pair)?
    /// What is called instead of `localhost`.
    let host: String?

    /// As `FakeKodo`'s.
    let answer: @Sendable (ClientPeerConnection) throws -> Bool

    init(
        name: String, status: Int, code: String, reason: String,
        certificate: (@Sendable (ClientCertificates) -> ClientCertificates.Pair)? = nil, host: String? = nil,
        answer: @escaping @Sendable (ClientPeerConnection) throws -> Bool
    ) {
        self.name = name
        self.status = status
        self.code = code
        self.reason = reason
        self.certificate = certificate
        self.host = host
        self.answer = answer
    }

    var testDescription: String { name }

    private static let well: @Sendable (ClientPeerConnection) throws -> Bool = { _ in false }

    private static func always(
        _ body: String, status: String = "200 OK", fields: String = ""
    ) -> @Sendable (ClientPeerConnection) throws -> Bool {
        { connection in
            try connection.answer(body, status: status, fields: fields)
            return true
        }
    }

    private static let unavailable = "upstream_unavailable"
    private static let failed = "upstream_failed"

    static let all: [KodoFault] = [
        KodoFault(name: "slow", status: 503, code: unavailable, reason: "no answer in time") { connection in
            poll(nil, 0, 5_000)
            return false
        },
        KodoFault(name: "hangs", status: 503, code: unavailable, reason: "no answer in time") { connection in
            connection.hang()
            return true
        },
        KodoFault(name: "hangs after the head", status: 503, code: unavailable, reason: "no answer in time") {
            connection in
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n")
            connection.hang()
            return true
        },
        KodoFault(name: "resets", status: 503, code: unavailable, reason: "the connection was lost") { connection in
            connection.reset()
            return true
        },
        KodoFault(name: "breaks off", status: 503, code: unavailable, reason: "the connection was lost") { connection in
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n{\"items\":[")
            connection.close()
            return true
        },
        KodoFault(
            name: "500", status: 503, code: unavailable, reason: "HTTP 500",
            answer: always(#"{"error":"secret"}"#, status: "500 Oh")),
        KodoFault(
            name: "599", status: 503, code: unavailable, reason: "HTTP 599", answer: always("", status: "599 Oh")),
        KodoFault(
            name: "429", status: 503, code: unavailable, reason: "HTTP 429", answer: always("", status: "429 Many")),
        KodoFault(
            name: "401", status: 502, code: failed,
            reason: "refuses the credential's key, or the service's clock (HTTP 401)",
            answer: always(#"{"error":"bad token"}"#, status: "401 No")),
        KodoFault(
            name: "403", status: 502, code: failed,
            reason: "refuses the credential's key, or the service's clock (HTTP 403)",
            answer: always(#"{"error":"no permission"}"#, status: "403 No")),
        KodoFault(
            name: "a redirect", status: 502, code: failed, reason: "HTTP 302",
            answer: always("", status: "302 Found", fields: "Location: http://127.0.0.1:1/\r\n")),
        KodoFault(name: "HTML", status: 502, code: failed, reason: "not what", answer: always("<html>hotel</html>")),
        KodoFault(name: "bad JSON", status: 502, code: failed, reason: "not what", answer: always(#"{"items":["#)),
        KodoFault(name: "another's JSON", status: 502, code: failed, reason: "not what", answer: always("{\"a\":1}")),
        KodoFault(
            name: "a key twice", status: 502, code: failed, reason: "not what",
            answer: always(#"{"items":[{"key":"photos/a","key":"private/b"}]}"#)),
        KodoFault(
            name: "more than 1 MiB", status: 502, code: failed, reason: "too large",
            answer: always("{\"items\":[]}" + String(repeating: " ", count: 1 << 20))),
        KodoFault(
            name: "10 MB in chunks", status: 502, code: failed, reason: "too large"
        ) { connection in
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "40000\r\n" + String(repeating: " ", count: 0x40000) + "\r\n"
            for _ in 0..<40 { try connection.write(chunk) }
            return true
        },
        KodoFault(
            name: "a stranger's certificate", status: 503, code: unavailable, reason: "certificate",
            certificate: { $0.stranger }, answer: well),
        KodoFault(
            name: "another host's certificate", status: 503, code: unavailable, reason: "certificate",
            certificate: { $0.other }, answer: well),
        KodoFault(
            name: "a certificate that has ended", status: 503, code: unavailable, reason: "certificate",
            certificate: { $0.expired }, answer: well),
        KodoFault(
            name: "a name that does not exist", status: 503, code: unavailable, reason: "invalid",
            host: "rsf.does-not-exist.invalid", answer: well),
    ]
}

@Suite("Faults of Kodo, as clients see them", .timed)
struct QiniuFetchFaultTests {
    @Test("every fault has its answer within 2 s, others are served meanwhile", arguments: KodoFault.all)
    func answer(to fault: KodoFault) throws {
        let certificates = try ClientCertificates.shared.get()
        let pair = fault.certificate.map { $0(certificates) } ?? certificates.good
        let kodo = try FakeKodo(tls: pair) { connection, _, _ in try fault.answer(connection) }
        var environment = Setup.environment
        environment["SSL_CERT_FILE"] = certificates.authority
        let setup = Setup.fetches("fault", "https://\(fault.host ?? "localhost"):\(kodo.port)")
        try Service.run(setup, .epoll, environment) { service in
            let client = try service.connect()
            let begin = ContinuousClock.now
            try client.send(service.text("GET", "/qiniu/files", ["X-Request-Id: fault-1"]))
            // Nobody else is kept waiting.
            for _ in 0..<20 { #expect(try service.get("/livez").status == 200) }
            let answer = try client.answer()
            let time = ContinuousClock.now - begin
            answer.expectProblem(fault.status, fault.code)
            #expect(Int(answer["Retry-After"] ?? "") ?? 0 >= 1)
            // Two seconds, and what a machine that is busy with the other tests may add.
            #expect(time < .seconds(4), "\(time)")
            let log = service.stop().err
            #expect(log.contains("warning: no answer from the vendor requestId=fault-1 credential=qiniu"), "\(log)")
            #expect(log.contains(fault.reason), "\(log)")
            for secret in [Setup.qiniuSecret, "Qiniu \(Setup.qiniuAccessKey)", "hotel", "private"] {
                #expect(!log.contains(secret))
                #expect(!answer.text.contains(secret))
            }
        }
    }

    @Test func `when the vendor is back, so are we within 5 s`() throws {
        let isBack = Flag()
        let kodo = try FakeKodo { connection, _, _ in
            guard !isBack.isSet else { return false }
            try connection.answer("", status: "503 Down")
            return true
        }
        try Service.run(.fetches("back", kodo.url), .epoll) { service in
            for _ in 0..<4 {
                for fields in [[], [APIKey.alice.bearer], [APIKey.bob.bearer]] {
                    let target = fields.isEmpty ? "/qiniu/files" : "/qiniu/files?grant=hers"
                    try service.ask("GET", target, fields).expectProblem(503, "upstream_unavailable")
                }
            }
            // Several callers have failed, so it is left alone meanwhile.
            let asked = kodo.seen.count
            #expect(asked < 40)
            isBack.set()
            let begin = ContinuousClock.now
            var status = 503
            while status != 200, ContinuousClock.now - begin < .seconds(10) {
                status = try service.get("/qiniu/files").status
                if status != 200 { usleep(100_000) }
            }
            #expect(status == 200)
            #expect(ContinuousClock.now - begin < .seconds(8))
        }
    }

    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        func set() { lock.withLock { value = true } }
        var isSet: Bool { lock.withLock { value } }
    }

    @Test func `a credential with a wrong secret is the service's fault, and the log says so`() throws {
        let kodo = try FakeKodo()
        var setup = Setup.fetches("wrong", kodo.url)
        setup.credentials = setup.credentials.replacing("{ file: \"secrets/qiniu\" }", with: "\"a-wrong-secret\"")
        try Service.run(setup, .epoll) { service in
            try service.get("/qiniu/files").expectProblem(502, "upstream_failed", "the service's log says why")
            #expect(kodo.seen.isEmpty && kodo.refused.count == 1)
            let log = service.stop().err
            #expect(
                log.contains("the vendor refuses the credential's key, or the service's clock (HTTP 401)"), "\(log)")
            #expect(!log.contains("a-wrong-secret"))
        }
    }
}
