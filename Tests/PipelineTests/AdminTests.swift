import Foundation
import TestPeers
import Testing

@testable import TestService

@Suite("The admin listener", .timeLimit(.minutes(20)))
struct AdminTests {
    private static let operatorKey = APIKey(key: "key-of-the-operator-0123456789", id: "operator")
    private static let endedKey = APIKey(key: "key-of-nobody-any-more-0123456789", id: "former", notAfter: now - 10)

    private static let keyed: Setup = {
        var setup = Setup(name: "keyed admin", server: #"hosts: ["t.example.com"],"#, rest: Setup.open.rest)
        setup.admin += ", auth: [\(operatorKey.entry), \(endedKey.entry)]"
        return setup
    }()

    @Test func `it says that the service lives, and that it is ready in all its parts`() throws {
        let admin = try Service.shared(.open).admin
        let alive = try admin.get("/livez")
        alive.expectSuccess()
        #expect(alive.json["status"] == "ok")
        let ready = try admin.get("/readyz")
        ready.expectSuccess()
        #expect(ready.json["status"] == "ready")
        #expect(ready.json["parts"] == .object(["configuration": "ok", "sts": "ok", "clock": "ok"]))
        let head = try admin.ask("HEAD", "/readyz")
        #expect(head.status == 200 && head.body.isEmpty)
        let options = try admin.ask("OPTIONS", "/readyz")
        #expect(options.status == 204 && options["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test func `it serves nothing that is for callers, and the public listener nothing of its own`() throws {
        let service = try Service.shared(.open)
        for path in [
            "/qiniu/uptoken?key=photos/a", "/nos/token?object=a", "/distribute-token.json", "/grants", "/tickets", "/",
            "/livez/", "/Readyz",
        ] {
            try service.admin.get(path).expectProblem(404, "not_found")
        }
        for path in ["/readyz", "/metrics", "/openapi.json", "/explain"] {
            try service.get(path).expectProblem(404, "not_found")
        }
        try service.get("/qiniu/uptoken?key=photos/a").expectSuccess()
    }

    @Test func `R1: on loopback it answers to its own names, and to no page of any origin`() throws {
        let admin = try Service.shared(.closed).admin
        for host in ["localhost", "127.0.0.1:\(admin.port)", "t.example.com"] {
            #expect(try admin.get("/readyz", "Host: \(host)").status == 200, "\(host)")
        }
        for host in ["evil.example", "127.0.0.2", "[::1]", "127.0.0.1.nip.io"] {
            try admin.get("/readyz", "Host: \(host)").expectProblem(421, "misdirected")
        }
        for field in [
            "Origin: https://app.example.com", "Origin: http://127.0.0.1:\(admin.port)", "Origin: null",
            "Sec-Fetch-Site: cross-site",
        ] {
            for path in ["/livez", "/readyz", "/nothing"] {
                let answer = try admin.get(path, field)
                answer.expectProblem(403, "forbidden", "no web page")
                #expect(!answer.has("Access-Control-Allow-Origin"))
            }
        }
        #expect(try admin.get("/readyz", "Sec-Fetch-Site: none").status == 200, "an address typed into a browser")
    }

    @Test func `a request of another kind is refused before its body is read`() throws {
        let admin = try Service.shared(.open).admin
        for method in ["POST", "PUT", "DELETE", "TRACE"] {
            let answer = try admin.ask(method, "/readyz")
            answer.expectProblem(405, "method_not_allowed")
            #expect(answer["Allow"] == "GET, HEAD, OPTIONS")
        }
        // The rest of what is announced never comes.
        let client = try admin.connect()
        try client.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\nx")
        try client.answer().expectProblem(400, "invalid_parameter")
        try admin.ask("GET", "/readyz", [], body: "x").expectProblem(400, "invalid_parameter")
        #expect(try admin.raw(Array("GET /readyz HTTP/1.1\r\n\r\n".utf8)).status == 400)
    }

    @Test func `life and readiness need no key`() throws {
        let admin = try Service.shared(AdminTests.keyed).admin
        for path in ["/livez", "/readyz"] {
            #expect(try admin.get(path).status == 200)
            #expect(try admin.get(path, "Authorization: Bearer wrong").status == 200)
        }
    }

    @Test func `when the vendor's clock and ours disagree it is not ready`() throws {
        let peer = try ClientPeer { peer, _ in
            while true {
                try peer.request()
                try peer.answer(STSFault.credentials(), fields: "Date: \(httpDate(now - 1200))\r\n")
            }
        }
        defer { _ = peer.stop() }
        try Service.run(.vendor("clock", ["http://127.0.0.1:\(peer.port)"], Setup.patient)) { service in
            #expect(try service.admin.get("/readyz").status == 200, "nothing is known of the vendor's clock yet")
            #expect(try service.get("/distribute-token.json").status == 503)
            let answer = try service.admin.get("/readyz")
            #expect(answer.status == 503)
            #expect(answer.json["status"] == "not_ready")
            #expect(answer.json["parts"] == .object(["configuration": "ok", "sts": "ok", "clock": "down"]))
            // The process lives: to start it anew would not help.
            #expect(try service.admin.get("/livez").status == 200)
        }
    }

    @Test func `while the vendor fails it says so, and stays ready: another instance would be no better off`() throws {
        let setup = Setup.vendor("failing", ["http://127.0.0.1:\(try Listener.freePort())"])
        try Service.run(setup) { service in
            // Different sessions, each of which is a call.
            for length in 1000..<1010 {
                let answer = try service.get("/distribute-token.json?expires=\(length)")
                #expect(answer.status == 503)
            }
            let answer = try service.admin.get("/readyz")
            answer.expectSuccess()
            #expect(answer.json["parts"]?["sts"] == "failing")
        }
    }
}
