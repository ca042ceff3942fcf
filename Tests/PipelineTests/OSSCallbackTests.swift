import Foundation
import TestPeers
import Testing

@testable import TestService

@Suite("Callbacks of OSS: R6")
struct OSSCallbackTests {
    private let reply = "{\"Status\":\"OK\",\"name\":\"中文\"}\n"

    private func expectForged(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        answer.expectProblem(401, "unauthenticated", "the vendor's signature", sourceLocation: sourceLocation)
        #expect(answer["WWW-Authenticate"] == "Signature realm=\"countersign\"", sourceLocation: sourceLocation)
        // Who forges learns nothing of why.
        let detail = "the vendor's signature of this callback does not hold; the service's log says why"
        #expect(answer.json["detail"]?.string == detail, sourceLocation: sourceLocation)
    }

    /// A service of its own, with the vendor's key host beside it.
    private func run(
        logLevel: String = "info", _ body: (Service, FakeOSS) throws -> Void
    ) throws {
        let oss = try FakeOSS()
        try Service.run(.ossCallbacks("oss callbacks", oss.url, logLevel: logLevel)) { service in
            try body(service, oss)
        }
    }

    @Test func `R6: what OSS has signed is answered with the grant's reply, and its key is fetched once`() throws {
        try run { service, oss in
            let form = OSSCallback()
            let json = form.with {
                $0.contentType = "application/json"
                $0.body = "{\"object\":\"photos/中文.jpg\",\"size\":1500}"
            }
            for sent in [
                form, json, form.with { $0.query = "from=oss&_=1&x=%2f+%41&y" }, form.with { $0.body = "" },
                form.with { $0.keyURL = $0.keyURL.replacing("http:", with: "https:") },
                form.with { $0.contentType = "text/plain" }, form.with { $0.body = "a\r\n\nb\u{0}?" },
                form.with { $0.body = String(repeating: "x", count: 200_000) }, form.with { $0.query = "a?b=/?" },
            ] {
                // By the public name, and by ours, as a proxy asks.
                for host in ["app.example.com", "APP.example.com", nil] {
                    let answer = try sent.send(to: service, try sent.signed(), host: host)
                    answer.expectSuccess()
                    #expect(answer.text == reply)
                    #expect(!answer.has("Access-Control-Allow-Origin"))
                }
            }
            let own = form.with { ($0.path, $0.query) = ("/oss/callback", "of=a%2Fb") }
            #expect(try own.send(to: service, try own.signed()).text == "{\"ok\":1}\n")
            // The path is signed decoded; a query that is empty is not signed at all.
            let spelled = form.with { $0.path = "/hooks/%E4%B8%AD%20x" }
            #expect(spelled.text.hasPrefix("/hooks/中 x\n"))
            #expect(try spelled.send(to: service, try spelled.signed()).text == "{\"ok\":2}\n")
            let empty = form.with { $0.query = "" }
            #expect(try empty.send(to: service, try form.signed()).text == reply)
            #expect(oss.asked == ["GET \(FakeOSS.usualPath) HTTP/1.1"])
        }
    }

    @Test func `a body in pieces is verified as one, and what follows a callback waits for its answer`() throws {
        try run { service, _ in
            let sent = OSSCallback()
            let client = try service.connect()
            let head = service.text(
                "POST", sent.target,
                [sent.keyField, "Authorization: \(try sent.signed())", "Transfer-Encoding: chunked"])
            var text = head
            for piece in [sent.body.prefix(5), sent.body.dropFirst(5)] {
                text += "\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n"
            }
            try client.send(text + "0\r\n\r\n" + service.text("GET", "/livez") + sent.text(to: service, "eA=="))
            #expect(try client.answer().text == reply)
            #expect(try client.answer().text == "{\"status\":\"ok\"}\n")
            expectForged(try client.answer())
        }
    }

    @Test func `the vendor's own sample is believed`() throws {
        // OSS API reference, "Callback".
        let pem = """
            -----BEGIN PUBLIC KEY-----
            MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKs/JBGzwUB2aVht4crBx3oIPBLNsjGsC0fTXv+nvlmklvkcolvpvXLTjaxUHR3W9LXxQ2EHXAJfCB+6H2YF1k8CAwEAAQ==
            -----END PUBLIC KEY-----
            """
        let authorization = "kKQeGTRccDKyHB3H9vF+xYMSrmhMZjzzl2/kdD1ktNVgbWEfYTQG0G2SU/RaHBovRCE8OkQDjC3uG33esH2txA=="
        let field = "x-oss-pub-key-url: aHR0cDovL2dvc3NwdWJsaWMuYWxpY2RuLmNvbS9jYWxsYmFja19wdWJfa2V5X3YxLnBlbQ=="
        let oss = try FakeOSS { connection, _ in
            try connection.answer(pem)
            return true
        }
        var setup = Setup.ossCallbacks("sample", oss.url)
        setup.rest = setup.rest.replacing("app.example.com/hooks/done", with: "app.example.com/index.php?id=1&index=2")
        try Service.run(setup) { service in
            let sample = OSSCallback().with {
                ($0.path, $0.query, $0.body) = ("/index.php", "id=1&index=2", "bucket=yonghu-test")
            }
            #expect(try sample.send(to: service, authorization, keyField: field).text == reply)
            let forged = sample.with { $0.body += "2" }
            expectForged(try forged.send(to: service, authorization, keyField: field))
        }
    }

    @Test func `R6: what was changed, or signed by somebody else or for something else, is refused, and all alike`()
        throws
    {
        try run { service, oss in
            let good = OSSCallback()
            let signature = try good.signed()
            #expect(try good.send(to: service, signature).text == reply)
            let changes: [(String, (inout OSSCallback) -> Void)] = [
                ("body", { $0.body += "&x=1" }), ("no body", { $0.body = "" }),
                ("a byte less", { $0.body.removeLast() }),
                ("body decoded", { $0.body = $0.body.replacing("%2F", with: "/") }),
                ("a line more", { $0.body += "\n" }), ("another object", { $0.body.replace("a.jpg", with: "b.jpg") }),
                ("query", { $0.query = "x=1" }), ("query of a mark", { $0.query = "?" }),
                ("body in the query", { ($0.query, $0.body) = ($0.body, "") }),
                ("another URL of ours", { ($0.path, $0.query) = ("/oss/callback", "of=a%2Fb") }),
                ("a third", { $0.path = "/hooks/%E4%B8%AD%20x" }),
            ]
            for (what, change) in changes {
                let answer = try good.with(change).send(to: service, signature)
                #expect(answer.status == 401, "\(what)")
                expectForged(answer)
            }
            // Signed for another path, query or body, or otherwise, and sent here.
            let signed: [(String, (inout OSSCallback) -> Void)] = [
                ("path", { $0.path = "/hooks/other" }), ("a slash", { $0.path += "/" }),
                ("case", { $0.path = "/Hooks/done" }), ("query", { $0.query = "x" }),
                ("an empty query", { $0.query = "" }),
                ("host and path", { $0.path = "app.example.com/hooks/done" }), ("another body", { $0.body = "x" }),
                ("method", { $0.path = "POST /hooks/done" }),
            ]
            for (what, change) in signed {
                let answer = try good.send(to: service, try good.with(change).signed())
                #expect(answer.status == 401, "\(what)")
                expectForged(answer)
            }
            let truncated = String(signature.dropLast(4))
            for authorization in [
                nil, "", " ", "=", "====", "OSS \(Setup.ossAccessKey):\(signature)", "Bearer \(signature)", truncated,
                signature + "AAAA", "AAAA" + signature, signature + "=", signature.lowercased(), signature + ",",
                signature.replacing("+", with: "-").replacing("/", with: "_") + "-_==", String(signature.reversed()),
                try good.signed(by: FakeOSS.stranger), try good.signed(by: FakeOSS.signer, "SHA1"),
                try good.signed(by: FakeOSS.signer, "SHA256"), String(repeating: "A", count: 344),
                String(repeating: "A", count: 4000),
            ] {
                expectForged(try good.send(to: service, authorization))
            }
            for field in [
                "", "x-oss-pub-key-url:", "x-oss-pub-key-url: \(good.keyURL)", "x-oss-pub-key-url: ====",
                "\(good.keyField)\r\n\(good.keyField)", "\(good.keyField)\r\nX-OSS-Pub-Key-Url: eA==",
                good.keyField + ", " + good.keyField, good.keyField.replacing("x-oss-", with: "oss-"),
            ] {
                expectForged(try good.send(to: service, signature, keyField: field))
            }
            expectForged(try good.send(to: service, signature, more: ["Authorization: \(signature)"]))
            expectForged(try good.send(to: service, signature, more: ["Content-Type: text/plain"]))
            expectForged(try good.send(to: service, nil, more: ["X-API-Key: \(signature)"]))
            #expect(oss.connections == 1)
            #expect(try good.send(to: service, signature).text == reply)
        }
    }

    @Test(arguments: [
        "http://evil.example.com/callback_pub_key_v1.pem", "http://127.0.0.1/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com.evil.example.com/callback_pub_key_v1.pem",
        "https://evilgosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://evil.gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://evil.example.com/gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://evil.example.com?gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://evil.example.com#gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com@evil.example.com/callback_pub_key_v1.pem",
        "https://evil@gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com:443/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com:8443/callback_pub_key_v1.pem",
        "https://GOSSPUBLIC.alicdn.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com./callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com", "https://gosspublic.alicdn.com/",
        "//gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "gosspublic.alicdn.com/callback_pub_key_v1.pem", "ftp://gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "file:///etc/passwd",
        "https:/gosspublic.alicdn.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com\\@evil.example.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/../callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/a/../callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com//evil.example.com/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/%2e%2e/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem?x",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem#x",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem\r\nHost: evil.example.com",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem ",
        "https://gosspublic.alicdn.com/callback_pub_key_v1\u{0}.pem",
        " https://gosspublic.alicdn.com/callback_pub_key_v1.pem", "\u{0}",
        "https://gosspublic.alicdn.com/" + String(repeating: "k", count: 400),
        // Other files of the same host.
        "https://gosspublic.alicdn.com/k.pem", "https://gosspublic.alicdn.com/ossutil/key.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1.pem.txt",
        "https://gosspublic.alicdn.com/callback_pub_key_v01.pem",
        "https://gosspublic.alicdn.com/a/callback_pub_key_v1.pem",
        "https://gosspublic.alicdn.com/callback_pub_key_v1000.pem",
    ])
    func `a key of any other URL is not believed, and nobody is called`(url: String) throws {
        // Where nobody is: a call would be answered 503.
        let service = try Service.shared(.ossCallbacks("oss key URLs", "http://127.0.0.1:1"))
        let sent = OSSCallback().with { $0.keyURL = url }
        expectForged(try sent.send(to: service, try sent.signed()))
    }

    @Test func `only a POST is a callback, and only by a name that is ours or the URL's (R1)`() throws {
        try run { service, oss in
            for path in ["/hooks/done", "/oss/callback"] {
                for method in ["GET", "HEAD", "PUT", "OPTIONS", "DELETE"] {
                    let answer = try service.ask(method, path, [])
                    #expect(answer.status == 405 && answer["Allow"] == "POST", "\(method)")
                }
            }
            let good = OSSCallback()
            for host in ["evil.example.com", "app.example.com:8080", "gosspublic.alicdn.com"] {
                try good.send(to: service, try good.signed(), host: host).expectProblem(421, "misdirected")
            }
            for target in ["/oss/callback", "/oss/callback?of=a/b", "/oss/callback?of=a%2Fb&x"] {
                let parts = target.split(separator: "?").map(String.init)
                let sent = good.with { ($0.path, $0.query) = (parts[0], parts.count > 1 ? parts[1] : nil) }
                expectForged(try sent.send(to: service, try sent.signed()))
            }
            let elsewhere = good.with { $0.path = "/hooks/done/" }
            try elsewhere.send(to: service, try elsewhere.signed()).expectProblem(404, "not_found")
            #expect(oss.connections == 0)
        }
    }

    @Test func `what the head tells is refused before the body comes`() throws {
        try run { service, oss in
            let good = OSSCallback()
            let signed = "Authorization: \(try good.signed())"
            let strange = good.with { $0.keyURL = "https://evil.example.com/k.pem" }
            for (target, fields, status) in [
                ("/hooks/done", [], 401), ("/hooks/done", [signed], 401), ("/hooks/done", [good.keyField], 401),
                ("/hooks/done", [signed, strange.keyField], 401),
                ("/hooks/done", [good.keyField, "Authorization: Bearer x"], 401),
                ("/oss/callback", [signed, good.keyField], 401),
                ("/hooks/done", [signed, good.keyField, "Host: evil.example.com"], 421),
            ] as [(String, [String], Int)] {
                let client = try service.connect()
                try client.send(service.text("POST", target, fields + ["Content-Length: 200000"]))
                let answer = try client.answer()
                #expect(answer.status == status, "\(target) \(fields)")
                #expect(answer.closes)
            }
            // Nor is the key fetched before that.
            let client = try service.connect()
            let fields = [signed, good.keyField, "Content-Length: \(good.body.utf8.count)", "Expect: 100-continue"]
            try client.send(service.text("POST", "/hooks/done", fields))
            #expect(try client.answer().status == 100)
            #expect(oss.connections == 0)
            try client.send(good.body)
            #expect(try client.answer().text == reply)
            let large = good.with { $0.body = "x=" + String(repeating: "a", count: 256 * 1024) }
            #expect(try large.send(to: service, try large.signed()).status == 413)
        }
    }

    @Test func `the log has one line for each callback, parked or not, and says why one was refused`() throws {
        try run { service, _ in
            let good = OSSCallback()
            let signature = try good.signed()
            let body = good.with { $0.body += "&more=1" }
            // The first one waits for the key.
            _ = try body.send(to: service, signature, more: ["X-Request-Id: forged-1"])
            _ = try good.send(to: service, signature, more: ["X-Request-Id: good-1"])
            _ = try good.send(to: service, nil, more: ["X-Request-Id: forged-2"])
            _ = try good.send(to: service, signature, keyField: "", more: ["X-Request-Id: forged-3"])
            let strange = good.with { $0.keyURL = "https://a-strangers-host.example.com/k.pem" }
            _ = try strange.send(to: service, signature, more: ["X-Request-Id: forged-4"])
            let lost = good.with { $0.path = "/oss/callback" }
            _ = try lost.send(to: service, signature, more: ["X-Request-Id: forged-5"])
            let log = service.stop().err
            for line in [
                "info: callback verified requestId=good-1 grant=done",
                "info: callback refused requestId=forged-1 grant=done reason=the signature is not that of this request",
                "info: callback refused requestId=forged-2 grant=done reason=its Authorization is not the base64",
                "info: callback refused requestId=forged-3 grant=done reason=it has no x-oss-pub-key-url",
                "info: callback refused requestId=forged-4 grant=done reason=its x-oss-pub-key-url is not the base64",
                "info: callback refused requestId=forged-5 grant=- reason=no grant's publicURL has its path and query",
            ] {
                #expect(log.contains(line), "\(line)\n\(log)")
            }
            for number in 1...5 {
                #expect(
                    log.components(separatedBy: "callback refused requestId=forged-\(number) ").count == 2, "\(log)")
            }
            for secret in ["photos", "D41D", "strangers", Setup.ossSecret, signature] {
                #expect(!log.contains(secret), "\(secret)")
            }
        }
    }
}
