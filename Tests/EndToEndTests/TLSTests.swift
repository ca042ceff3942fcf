import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// The service over TLS, through curl and OpenSSL's own client.
@Suite("TLS through curl and openssl", .waiting, .timeLimit(.minutes(20)))
struct TLSTests {
    private let certificates: ClientCertificates

    init() throws { certificates = try ClientCertificates.shared.get() }

    private func setup(_ listen: String = "\"127.0.0.1:0\"") -> Setup {
        func entry(_ pair: ClientCertificates.Pair, _ names: String) -> String {
            "{ names: [\(names)], certificateFile: \"\(pair.chain)\", keyFile: \"\(pair.key)\" }"
        }
        let entries = [
            entry(certificates.good, "\"localhost\", \"*.wild.test\""), entry(certificates.rsa, "\"rsa.test\""),
        ]
        return Setup(
            name: "tls", server: "tls: { certificates: [\(entries.joined(separator: ", "))] },", rest: Setup.open.rest,
            listen: listen)
    }

    private func curl(_ service: Service, _ arguments: [String]) throws -> Program.Outcome {
        try CurlTests.curl(["--cacert", certificates.authority] + arguments)
    }

    /// OpenSSL's client: what it says of the connection, and what comes back.
    private func client(_ service: Service, _ arguments: String, asking isAsking: Bool = true) throws -> Program.Outcome
    {
        let request = isAsking ? "GET /livez HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n" : ""
        let command = """
            printf '\(request)' | openssl s_client -connect 127.0.0.1:\(service.port) -CAfile \(certificates.authority) \
            -ign_eof \(arguments) 2>&1
            """
        return try Program("/bin/sh", ["-c", command]).wait()
    }

    @Test(arguments: Transport.allCases)
    func `who shakes hands again and again and asks nothing may do so no more, and is told of no request`(
        _ transport: Transport
    ) throws {
        var setup = setup()
        setup.rest += #"rateLimit: { perAddress: "5/d" },"#
        try Service.run(setup, transport) { service in
            let livez = service.text("GET", "/livez")
            func ask(_ client: Client) throws -> Int {
                try client.send(livez)
                return try client.answer().status
            }
            let early = try TLSClient(service.port, showing: nil)
            // Whoever asks wastes nothing.
            for _ in 0..<10 { #expect(try ask(try TLSClient(service.port, showing: nil)) == 200) }
            // The beginning of a ClientHello.
            let hello: [UInt8] = [0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3]
            var wasted = 0
            // The service may notice the end of one only behind the beginning of the next.
            while wasted < 100 {
                let client = try Client(service.port)
                try client.send(hello)
                if client.hasNews(within: 0.02) { break }
                wasted += 1
            }
            #expect((5..<100).contains(wasted), "\(wasted)")
            #expect(try Client(service.port).hasNews(within: 60), "it is closed at once")
            #expect(try ask(early) == 200)
            let metrics = try service.admin.get("/metrics").text
            #expect(metrics.contains(/countersign_limits_hit_total\{limit="perAddress"\} [1-9]/))
        }
    }

    @Test func `R2: a page that came by http is none of the service's own`() throws {
        try Service.run(setup(), .epoll) { service in
            let base = "https://localhost:\(service.port)"
            for (scheme, code) in [("http", "403"), ("https", "200")] {
                let outcome = try curl(
                    service,
                    [
                        "--write-out", "%{http_code}", "--header", "Origin: \(scheme)://localhost:\(service.port)",
                        "\(base)/qiniu/uptoken?key=photos/a.jpg",
                    ])
                #expect(outcome.out.hasSuffix(code), "\(outcome.out)")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `curl gets tokens by 1.2 and by 1.3, on one connection`(_ transport: Transport) throws {
        try Service.run(setup(), transport) { service in
            let base = "https://localhost:\(service.port)"
            for version in [["--tls-max", "1.2"], ["--tlsv1.3"]] {
                let write = ["--write-out", "%{num_connects} %{http_version} %{ssl_verify_result}\\n"]
                let outcome = try curl(
                    service, version + write + ["\(base)/qiniu/uptoken?key=photos/a.jpg", "\(base)/nos/token?object=a"])
                #expect(outcome.code == 0, "\(outcome.err)")
                #expect(outcome.out.contains("1 1.1 0\n") && outcome.out.hasSuffix("0 1.1 0\n"), "\(outcome.out)")
                #expect(outcome.out.contains("\"uptoken\"") && outcome.out.contains("UPLOAD "))
            }
            let json = try curl(service, ["--json", "{\"object\":\"a\"}", "\(base)/nos/token"])
            #expect(json.out.contains("UPLOAD "), "\(json.err)")
            let other = try curl(
                service, ["--resolve", "rsa.test:\(service.port):127.0.0.1", "https://rsa.test:\(service.port)/livez"])
            // R1 has its own word about names; TLS has none against this one.
            #expect(other.code == 0, "\(other.err)")
            let stranger = try curl(
                service, ["--resolve", "x.test:\(service.port):127.0.0.1", "https://x.test:\(service.port)/livez"])
            #expect(stranger.code == 60, "the certificate is not for that name")
            let plain = try curl(service, ["http://localhost:\(service.port)/livez"])
            #expect(plain.code != 0)
        }
    }

    @Test func `R11: a ticket's URL is one that its bearer can ask`() throws {
        var setup = setup()
        let secret = Setup.ticketSecret
        setup.rest = setup.rest.replacing(
            "authentication: {", with: "authentication: { tickets: { secret: \"\(secret)\" },")
        try Service.run(setup, .epoll) { service in
            let minted = try curl(
                service,
                [
                    "-H", APIKey.alice.bearer, "--json", "{\"grant\":\"hers\"}",
                    "https://localhost:\(service.port)/tickets",
                ])
            let url = try #require(try JSON(minted.out)["url"]?.string, "\(minted.out)")
            #expect(url.hasPrefix("https://localhost:\(service.port)/qiniu/uptoken?ticket="))
            let answer = try curl(service, [url])
            #expect(answer.out.contains("\"uptoken\""), "\(answer.out)")
        }
    }

    @Test(arguments: Transport.allCases)
    func `openssl shakes hands, resumes its session, and is refused what is old`(_ transport: Transport) throws {
        try Service.run(setup(), transport) { service in
            let folder = try Keeper.makeFolder()
            for version in ["-tls1_2", "-tls1_3"] {
                let session = "\(folder)/session\(version)"
                let first = try client(service, "-servername localhost -sess_out \(session) \(version) -alpn http/1.1")
                #expect(first.out.contains("HTTP/1.1 200 OK"), "\(first.out)")
                #expect(first.out.contains("Verify return code: 0 (ok)"))
                #expect(first.out.contains("ALPN protocol: http/1.1"))
                #expect(first.out.contains("\nNew, TLSv1."))
                #expect(first.out.contains("Compression: NONE"))
                #expect(first.out.contains("Secure Renegotiation IS NOT supported") == (version == "-tls1_3"))
                let next = try client(service, "-servername localhost -sess_in \(session) \(version)")
                #expect(next.out.contains("\nReused, TLSv1."), "\(next.out)")
                #expect(next.out.contains("HTTP/1.1 200 OK"))
            }
            for refused in [
                "-tls1 -cipher ALL:@SECLEVEL=0", "-tls1_1 -cipher ALL:@SECLEVEL=0",
                "-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA", "-tls1_2 -cipher AES128-GCM-SHA256", "-alpn h2",
            ] {
                let outcome = try client(service, refused, asking: false)
                #expect(outcome.code != 0, "\(refused): \(outcome.out)")
                #expect(outcome.out.contains("alert"), "\(refused): \(outcome.out)")
            }
        }
    }

    @Test func `healthcheck is content with a service that speaks TLS`() throws {
        let port = try Listener.freePort()
        try Service.run(setup("\"127.0.0.1:\(port)\""), .epoll) { service in
            let up = try Program.run("healthcheck", "--config", service.configuration, environment: Setup.environment)
            #expect(up.code == 0, "\(up.err)")
            _ = service.process.stop()
            let down = try Program.run("healthcheck", "--config", service.configuration, environment: Setup.environment)
            #expect(down.code == 1)
        }
    }
}
