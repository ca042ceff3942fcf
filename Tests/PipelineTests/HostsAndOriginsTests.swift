import Foundation
import Testing

@testable import TestService

@Suite("Host names and web pages over HTTP: R1, R2")
struct HostsAndOriginsTests {
    private static let path = "/qiniu/uptoken?key=photos/a"

    // MARK: R1

    @Test func `R1: a loopback listener answers to localhost, to its address and to server.hosts, with any port`()
        throws
    {
        let service = try Service.shared(.closed)
        for host in [
            "localhost", "127.0.0.1", "localhost:\(service.port)", "127.0.0.1:\(service.port)", "LOCALHOST",
            "LocalHost:1",
            "t.example.com", "t.example.com:443", "T.Example.COM",
        ] {
            #expect(try service.get("/grants", "Host: \(host)").status == 401, "\(host)")
        }
    }

    @Test func `R1: whether it lives is told under every name, since probes ask by address`() throws {
        let service = try Service.shared(.closed)
        for host in ["10.1.2.3:8080", "[2001:db8::1]", "evil.example"] {
            #expect(try service.get("/livez", "Host: \(host)").status == 200, "\(host)")
            #expect(try service.ask("OPTIONS", "/livez", ["Host: \(host)"]).status == 204, "\(host)")
        }
        #expect(try service.raw(Array("GET /livez HTTP/1.0\r\n\r\n".utf8)).status == 200)
    }

    @Test(
        "R1: another name is 421, so that no web page reaches it by a name of its own",
        arguments: [
            "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.nip.io", "localhost.",
            "example.com",
            "x.t.example.com", "127.0.0.2", "0.0.0.0", "[::1]", "[::1]:80", "2130706433", "127.1",
            "localhost@evil.example",
            "xlocalhost", "*",
        ])
    func foreignHosts(_ host: String) throws {
        let service = try Service.shared(.closed)
        for target in ["/grants", "/qiniu/uptoken", "/nothing"] {
            let answer = try service.get(target, "Host: \(host)")
            #expect(answer.status == 421 || host.contains("@") && answer.status == 400, "\(answer.text)")
        }
        try service.ask("OPTIONS", "/qiniu/uptoken", ["Host: evil.example"]).expectProblem(421, "misdirected")
    }

    @Test func `R1: the name in an absolute target goes before the Host field`() throws {
        let service = try Service.shared(.closed)
        #expect(try service.ask("GET", "http://localhost/grants", ["Host: evil.example"]).status == 401)
        try service.ask("GET", "http://evil.example/grants").expectProblem(421, "misdirected")
        // HTTP/1.0 may leave the Host field out, and then names nobody.
        try service.raw(Array("GET /grants HTTP/1.0\r\n\r\n".utf8)).expectProblem(421, "misdirected")
    }

    @Test func `R1: a star in server.hosts switches the check off`() throws {
        let setup = Setup(name: "star", server: #"hosts: ["*"],"#, rest: "grants: {},")
        try Service.run(setup) { service in
            let answer = try service.get("/grants", "Host: evil.example")
            #expect(answer.status == 401)
        }
    }

    @Test func `R1: with several listeners each keeps its own rule`() throws {
        let setup = Setup(
            name: "several", server: "plaintext: true,", rest: "grants: {},",
            listen: #"["0.0.0.0:8080", "127.0.0.1:8082"]"#)
        let service = try Service(setup)
        let request = "GET /grants HTTP/1.1\r\nHost: name.example\r\n\r\n"
        let outer = try service.connect(to: 0)
        try outer.send(request)
        #expect(try outer.answer().status == 401, "off loopback every name is answered to")
        let inner = try service.connect(to: 1)
        try inner.send(request)
        #expect(try inner.answer().status == 421, "a loopback listener answers to its own names only")
    }

    // MARK: R2

    @Test(
        "R2: a request for a token by a page that is not listed is 403",
        arguments: [
            ["Origin: https://evil.example"], ["Origin: null"], ["Origin:"], ["Sec-Fetch-Site: cross-site"],
            ["Sec-Fetch-Site: same-site"], ["Sec-Fetch-Site: Cross-Site"],
            ["Sec-Fetch-Site: none", "Sec-Fetch-Site: none"],
            ["Origin: https://app.example.com.evil.example"], ["Origin: http://app.example.com"],
            ["Origin: https://app.example.com:443"], ["Origin: https://APP.example.com"],
            ["Origin: https://app.example.com/"], ["Origin: *"], ["Origin: http://localhost"],
            ["Origin: https://app.example.com", "Origin: https://app.example.com"],
            ["Origin: https://app.example.com", "Origin: https://evil.example"],
            ["Origin: https://app.example.com https://evil.example"],
            ["Origin: https://evil.example", "Sec-Fetch-Site: same-origin"],
        ])
    func foreignOrigins(_ fields: [String]) throws {
        let service = try Service.shared(.closed)
        let credential = [APIKey.alice.bearer]
        for method in ["GET", "HEAD"] {
            let answer = try service.ask(method, "/qiniu/uptoken?grant=alice", credential + fields)
            #expect(answer.status == 403)
            #expect(!answer.has("Access-Control-Allow-Origin"))
        }
        let type = ["Content-Type: application/json"]
        let answer = try service.ask("POST", "/qiniu/uptoken", credential + type + fields, body: #"{"grant": "alice"}"#)
        answer.expectProblem(403, "forbidden", "origin")
    }

    @Test func `R2: a listed page is answered, and its browser is told that it may read the answer`() throws {
        let service = try Service.shared(.closed)
        let origin = "Origin: https://app.example.com"
        for fields in [[origin], [origin, "Sec-Fetch-Site: cross-site"]] {
            let answer = try service.ask("GET", "/qiniu/uptoken?grant=alice", fields + [APIKey.alice.bearer])
            answer.expectSuccess()
            #expect(answer["Access-Control-Allow-Origin"] == "https://app.example.com")
            #expect(answer["Vary"] == "Origin")
            #expect(!answer.has("Access-Control-Allow-Credentials"))
            #expect(answer["Access-Control-Expose-Headers"]?.contains("X-Request-Id") == true)
        }
        // Errors may be read, too.
        let refusal = try service.get("/qiniu/uptoken?x=1", origin, APIKey.alice.bearer)
        refusal.expectProblem(400, "unknown_parameter")
        #expect(refusal["Access-Control-Allow-Origin"] == "https://app.example.com")
        #expect(refusal["Vary"] == "Origin")
    }

    @Test func `R2: where origins are listed, answers to everybody say that they vary`() throws {
        let service = try Service.shared(.closed)
        let plain = try service.get("/qiniu/uptoken?grant=alice", APIKey.alice.bearer)
        #expect(plain["Vary"] == "Origin")
        #expect(!plain.has("Access-Control-Allow-Origin"))
        let refused = try service.get("/qiniu/uptoken?grant=alice", APIKey.alice.bearer, "Origin: https://evil.example")
        #expect(refused["Vary"] == "Origin", "a refusal that depends on the origin says so")
    }

    @Test func `R2: the listener's own pages, and callers that are no pages, are answered`() throws {
        let service = try Service.shared(.open)
        let path = HostsAndOriginsTests.path
        let own = "http://127.0.0.1:\(service.port)"
        let answer = try service.get(path, "Origin: \(own)", "Sec-Fetch-Site: same-origin")
        answer.expectSuccess()
        #expect(answer["Access-Control-Allow-Origin"] == own)
        for site in ["same-origin", "none"] {
            try service.get(path, "Sec-Fetch-Site: \(site)").expectSuccess()
        }
        try service.get(path, "Origin: http://localhost:\(service.port)").expectProblem(403, "forbidden")
        try service.get(path, "Host: localhost", "Origin: http://localhost").expectSuccess()
        try service.get(path, "Origin: http://127.0.0.1:1").expectProblem(403, "forbidden")
        // Whether the process lives is no secret, and nothing is issued.
        #expect(try service.get("/livez", "Origin: https://evil.example").status == 200)
    }

    @Test func `R2: a preflight of a listed page is allowed what clients send, that of another is 403`() throws {
        let service = try Service.shared(.closed)
        let asks = [
            "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type",
        ]
        let answer = try service.ask("OPTIONS", "/qiniu/uptoken", ["Origin: https://app.example.com"] + asks)
        answer.expectAlwaysFields()
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        #expect(answer["Access-Control-Allow-Origin"] == "https://app.example.com")
        #expect(answer["Vary"] == "Origin")
        let methods = answer["Access-Control-Allow-Methods"]?.components(separatedBy: ", ") ?? []
        #expect(Set(methods).isSuperset(of: ["GET", "POST"]))
        let fields = answer["Access-Control-Allow-Headers"]?.lowercased().components(separatedBy: ", ") ?? []
        #expect(Set(fields).isSuperset(of: ["authorization", "content-type", "x-api-key"]))
        #expect(answer["Access-Control-Max-Age"].flatMap { Int($0) } ?? 0 > 0)
        #expect(!answer.has("Access-Control-Allow-Credentials"))
        for origin in ["https://evil.example", "null"] {
            let refusal = try service.ask("OPTIONS", "/qiniu/uptoken", ["Origin: \(origin)"] + asks)
            refusal.expectProblem(403, "forbidden")
            #expect(!refusal.has("Access-Control-Allow-Origin"))
        }
    }
}
