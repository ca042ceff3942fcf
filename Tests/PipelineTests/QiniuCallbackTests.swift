import Foundation
import Testing

@testable import TestService

@Suite("Qiniu's callbacks: R6")
struct QiniuCallbackTests {
    private let reply = "{\"key\":\"done\",\"payload\":{\"success\":true,\"name\":\"中文\"}}\n"

    private func expectForged(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        answer.expectProblem(401, "unauthenticated", "the vendor's signature", sourceLocation: sourceLocation)
        #expect(answer["WWW-Authenticate"] == "Signature realm=\"countersign\"", sourceLocation: sourceLocation)
        // Who forges learns nothing of why.
        let detail = "the vendor's signature of this callback does not hold; the service's log says why"
        #expect(answer.json["detail"]?.string == detail, sourceLocation: sourceLocation)
    }

    @Test func `R6: what Kodo has signed is answered with the grant's reply`() throws {
        let service = try Service.shared(.callbacks)
        let form = KodoCallback()
        let json = form.with {
            $0.contentType = "application/json"
            $0.body = "{\"key\":\"photos/中文.jpg\",\"fsize\":1500}"
        }
        for (sent, scheme) in [
            (form, "Qiniu"), (form, "QBox"), (json, "Qiniu"), (form.with { $0.date = nil }, "Qiniu"),
            (form.with { $0.target += "?from=kodo&_=1&x&of=others" }, "Qiniu"),
            (form.with { $0.fields = ["X-Qiniu-Meta: a b"] }, "Qiniu"), (form.with { $0.body = "" }, "Qiniu"),
            (form.with { $0.contentType = "application/x-www-form-urlencoded; charset=utf-8" }, "Qiniu"),
        ] {
            // By the public name, and by ours, as a proxy asks.
            for host in ["app.example.com", "APP.example.com", nil] {
                let answer = try sent.send(to: service, sent.authorization(scheme), host: host)
                answer.expectSuccess()
                #expect(answer.text == reply)
                #expect(!answer.has("Access-Control-Allow-Origin"))
            }
        }
    }

    @Test func `R6: a body in pieces is verified as one`() throws {
        let service = try Service.shared(.callbacks)
        let sent = KodoCallback()
        let head = service.text(
            "POST", sent.target,
            [
                "Content-Type: \(sent.contentType)", "Authorization: \(sent.authorization())",
                "Transfer-Encoding: chunked",
            ]
                + sent.qiniuFields)
        let client = try service.connect()
        try client.send(head)
        for piece in [sent.body.prefix(5), sent.body.dropFirst(5)] {
            try client.send("\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n")
        }
        try client.send("0\r\n\r\n")
        #expect(try client.answer().text == reply)
    }

    @Test func `R6: the grant is the one of this path and query, and only its key is believed`() throws {
        let service = try Service.shared(.callbacks)
        let own = KodoCallback().with {
            $0.target = "/qiniu/callback?a=1"
            $0.host = "app.example.com:8080"
        }
        #expect(try own.send(to: service, own.authorization()).text == "{\"ok\":1}\n")
        let signed = KodoCallback().with {
            $0.target = "/hooks/done?of=other"
            ($0.accessKey, $0.secret) = ("e2e-other-access-key", "secret-of-another-account")
        }
        #expect(try signed.send(to: service, signed.authorization()).text == "{\"ok\":2}\n")
        // The other account's key is good at its own URL only, and there only in the scheme that is named.
        for sent in [
            signed.with { $0.target = "/hooks/done" }, signed.with { $0.target = "/hooks/done?of=other&x" },
            KodoCallback().with { $0.target = "/hooks/done?of=other" },
        ] {
            expectForged(try sent.send(to: service, sent.authorization()))
        }
        expectForged(try signed.send(to: service, signed.authorization("QBox")))
        for target in ["/qiniu/callback", "/qiniu/callback?a=2", "/qiniu/callback?a=1&b"] {
            let sent = own.with { $0.target = target }
            expectForged(try sent.send(to: service, sent.authorization()))
        }
        let elsewhere = KodoCallback().with { $0.target = "/hooks/done/" }
        try elsewhere.send(to: service, elsewhere.authorization()).expectProblem(404, "not_found")
    }

    @Test func `R6: what was changed, or signed for something else, is refused, and all alike`() throws {
        let service = try Service.shared(.callbacks)
        let good = KodoCallback()
        let changes: [(String, (inout KodoCallback) -> Void)] = [
            ("body", { $0.body += "&x=1" }), ("no body", { $0.body = "" }),
            ("body decoded", { $0.body = $0.body.replacing("%2F", with: "/") }),
            ("query", { $0.target += "?x=1" }), ("content type", { $0.contentType = "application/json" }),
            ("charset", { $0.contentType += "; charset=utf-8" }), ("date", { $0.date = basicISO8601(now - 600) }),
            ("no date", { $0.date = nil }), ("one field more", { $0.fields = ["X-Qiniu-More: 1"] }),
        ]
        for (what, change) in changes {
            let answer = try good.with(change).send(to: service, good.authorization())
            #expect(answer.status == 401, "\(what)")
            expectForged(answer)
        }
        // Signed for another method, path, host or with another key, and sent here.
        let signed: [(String, (inout KodoCallback) -> Void)] = [
            ("method", { $0.method = "PUT" }), ("path", { $0.target = "/hooks/other" }),
            ("host", { $0.host = "evil.example.com" }), ("port", { $0.host += ":443" }),
            ("our own host", { $0.host = "127.0.0.1:\(service.port)" }), ("secret", { $0.secret += "x" }),
            ("access key", { $0.accessKey += "x" }), ("nobody", { $0.accessKey = "" }),
        ]
        for (what, change) in signed {
            let answer = try good.send(to: service, good.with(change).authorization())
            #expect(answer.status == 401, "\(what)")
            expectForged(answer)
        }
        for authorization in [
            nil, "Qiniu", "Bearer \(Setup.qiniuSecret)", good.authorization().replacing("Qiniu", with: "qiniu"),
            good.authorization() + "=", good.authorization() + " ,", good.authorization("UpToken"),
        ] {
            expectForged(try good.send(to: service, authorization))
        }
        expectForged(
            try good.send(to: service, good.authorization(), more: ["Authorization: \(good.authorization())"]))
        expectForged(try good.send(to: service, good.authorization(), more: ["Content-Type: \(good.contentType)"]))
        expectForged(try good.send(to: service, good.authorization(), more: ["x-qiniu-date: \(good.date ?? "")"]))
        expectForged(try good.send(to: service, nil, more: ["X-API-Key: \(good.authorization())"]))
        // A QBox that does not cover the body.
        let json = good.with { $0.contentType = "application/json" }
        expectForged(try json.send(to: service, json.authorization("QBox")))
        let bare = good.with { $0.body = "" }
        expectForged(try bare.send(to: service, bare.authorization("QBox")))
    }

    @Test func `R6: a signed date is at most 15 minutes behind and 60 seconds ahead`() throws {
        let service = try Service.shared(.callbacks)
        for (seconds, isBelieved) in [
            (-870, true), (50, true), (-905, false), (90, false), (-86_400, false), (4_000_000_000, false),
        ] as [(Int64, Bool)] {
            let sent = KodoCallback().with { $0.date = basicISO8601(now + seconds) }
            let answer = try sent.send(to: service, sent.authorization())
            if isBelieved { #expect(answer.text == reply) } else { expectForged(answer) }
        }
        for date in ["", "2026", iso8601(now), "99999999T999999Z"] {
            let sent = KodoCallback().with { $0.date = date }
            expectForged(try sent.send(to: service, sent.authorization()))
        }
    }

    @Test func `only a POST is a callback, and only by a name that is ours or the URL's (R1)`() throws {
        let service = try Service.shared(.callbacks)
        for path in ["/hooks/done", "/qiniu/callback"] {
            for method in ["GET", "HEAD", "PUT", "OPTIONS", "DELETE"] {
                let answer = try service.ask(method, path, [])
                #expect(answer.status == 405 && answer["Allow"] == "POST", "\(method)")
            }
        }
        let good = KodoCallback()
        for host in ["evil.example.com", "app.example.com:8080", "app.example.com.evil.example.com"] {
            try good.send(to: service, good.authorization(), host: host).expectProblem(421, "misdirected")
        }
        // The public name is good for the callback alone.
        try service.get("/grants", "Host: app.example.com").expectProblem(421, "misdirected")
        try service.get("/qiniu/callback?a=1", "Host: app.example.com").expectProblem(421, "misdirected")
    }

    @Test func `what the head tells is refused before the body comes`() throws {
        let service = try Service.shared(.callbacks)
        let good = KodoCallback()
        let signed = "Authorization: \(good.authorization())"
        let old = good.with { $0.date = basicISO8601(now - 1000) }
        let oldFields = ["Authorization: \(old.authorization())"] + old.qiniuFields
        for (method, target, fields, status) in [
            ("POST", "/hooks/done", [], 401), ("POST", "/hooks/done", ["Authorization: Bearer x"], 401),
            ("POST", "/hooks/done", oldFields, 401), ("POST", "/qiniu/callback", [signed], 401),
            ("GET", "/hooks/done", [signed], 405), ("POST", "/hooks/done", [signed, "Host: evil.example.com"], 421),
        ] as [(String, String, [String], Int)] {
            let client = try service.connect()
            try client.send(service.text(method, target, fields + ["Content-Length: 200000"]))
            let answer = try client.answer()
            #expect(answer.status == status, "\(method) \(target) \(fields)")
            #expect(answer.closes)
        }
        // What looks right is waited for.
        let client = try service.connect()
        let fields = [signed, "Content-Type: \(good.contentType)", "Content-Length: \(good.body.utf8.count)"]
        try client.send(service.text("POST", "/hooks/done", fields + good.qiniuFields + ["Expect: 100-continue"]))
        #expect(try client.answer().status == 100)
        try client.send(good.body)
        #expect(try client.answer().text == reply)
        // As much as any body.
        let large = good.with { $0.body = "x=" + String(repeating: "a", count: 256 * 1024) }
        #expect(try large.send(to: service, large.authorization()).status == 413)
    }

    @Test func `the log has a line for each callback, and says why one was refused, without its content`() throws {
        try Service.run(.callbacks) { service in
            let good = KodoCallback()
            _ = try good.send(to: service, good.authorization(), more: ["X-Request-Id: good-1"])
            let body = good.with { $0.body += "&more=1" }
            _ = try body.send(to: service, good.authorization(), more: ["X-Request-Id: forged-1"])
            let key = good.with { $0.accessKey = "a-strangers-key" }
            _ = try good.send(to: service, key.authorization(), more: ["X-Request-Id: forged-2"])
            _ = try good.send(to: service, nil, more: ["X-Request-Id: forged-3"])
            let old = good.with { $0.date = basicISO8601(now - 1000) }
            _ = try old.send(to: service, old.authorization(), more: ["X-Request-Id: forged-4"])
            let lost = good.with { $0.target = "/qiniu/callback" }
            _ = try lost.send(to: service, lost.authorization(), more: ["X-Request-Id: forged-5"])
            let scheme = KodoCallback().with {
                $0.target = "/hooks/done?of=other"
                ($0.accessKey, $0.secret) = ("e2e-other-access-key", "secret-of-another-account")
            }
            _ = try scheme.send(to: service, scheme.authorization("QBox"), more: ["X-Request-Id: forged-6"])
            let log = service.stop().err
            for line in [
                "info: callback verified requestId=good-1 grant=done",
                "info: callback refused requestId=forged-1 grant=done reason=the signature is not that of this request",
                "info: callback refused requestId=forged-2 grant=done reason=it is signed with another access key",
                "info: callback refused requestId=forged-3 grant=done reason=the Authorization field is not",
                "info: callback refused requestId=forged-4 grant=done reason=its X-Qiniu-Date is too far",
                "info: callback refused requestId=forged-5 grant=- reason=no grant's publicURL has its path and query",
                "requestId=forged-6 grant=signed reason=it is signed by QBox, as forms are, and the grant's schemes do not",
            ] {
                #expect(log.contains(line), "\(line)\n\(log)")
            }
            for secret in ["photos", "FmDZ", "a-strangers-key", Setup.qiniuSecret, good.authorization()] {
                #expect(!log.contains(secret), "\(secret)")
            }
        }
    }
}
