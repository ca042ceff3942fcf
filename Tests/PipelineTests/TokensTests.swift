import Crypto
import Foundation
import TestKeys
import Testing

@testable import TestService

@Suite("Tokens over HTTP: R5, R7, R8, R9, R12, R14, R17")
struct TokensTests {
    private func bearer(_ token: String) -> String { "Authorization: Bearer \(token)" }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `R8, R9: the subject of a token gets what the grant gives, again and again`(
        _ algorithm: SignatureAlgorithm
    ) throws {
        let service = try Service.shared(.tokens)
        let token = Setup.token(algorithm, sub: "sub-\(algorithm)")
        let source = algorithm == .hs256 ? "jwt-intern" : "jwt-login"
        for _ in 0..<3 {
            let answer = try service.get("/qiniu/uptoken?grant=everybody", bearer(token))
            answer.expectSuccess()
            #expect(answer.json["keyPrefix"] == .string("all/\(source)/sub-\(algorithm)/"))
        }
        // Only those of the other issuer have a grant of their own.
        let answer = try service.get("/qiniu/uptoken?grant=own", bearer(token))
        if algorithm == .hs256 {
            answer.expectProblem(403, "not_in_grant")
        } else {
            let policy = try QiniuUploadTokenTests.read(answer, lifetime: 600).policy
            #expect(policy["scope"] == .string("token-media:users/sub-\(algorithm)/"))
        }
    }

    @Test func `R8: a token that is wrong is 401, and never anonymous`() throws {
        let service = try Service.shared(.tokens)
        let good = Setup.token()
        let parts = good.split(separator: ".")
        for fields in [
            [bearer(Setup.token(expiresIn: -10))], [bearer(good + "x")], [bearer(good + ".")],
            [bearer("\(parts[0]).\(parts[1]).")], [bearer("eyJhbGciOiJub25lIn0.\(parts[1]).")],
            [bearer("\(parts[0]).\(parts[1]).\(parts[1])")], [bearer(Setup.token(more: "\"nbf\":\(now + 60)"))],
            [bearer(String(repeating: "a", count: 9000))], [bearer("a.b.\(String(repeating: "c", count: 8200))")],
            ["X-API-Key: \(good)"], [bearer(good), "X-API-Key: \(APIKey.alice.key)"], [bearer(good), bearer(good)],
            ["Authorization: JWT \(good)"], ["Authorization: \(good)"],
        ] {
            let answer = try service.ask("GET", "/qiniu/uptoken?grant=public", fields)
            answer.expectProblem(401, "unauthenticated")
            #expect(answer["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
            #expect(!answer.text.contains(String(parts[1])))
        }
        try service.get("/qiniu/uptoken?grant=own", bearer(good)).expectSuccess()
    }

    @Test func `R7: the log says why a token was refused, and nothing of the token`() throws {
        var setup = Setup.tokens
        setup.logLevel = "debug"
        try Service.run(setup) { service in
            let token = Setup.token(more: "\"canary\":\"do-not-repeat-me\"")
            try service.get("/qiniu/uptoken", bearer(token + "=")).expectProblem(
                401, "unauthenticated", "the API key or token is not valid")
            let old = Setup.token(expiresIn: -60)
            try service.get("/qiniu/uptoken", bearer(old)).expectProblem(401, "unauthenticated", "the token has ended")
            let log = service.logged
            #expect(log.contains("the token has ended"))
            #expect(log.contains("a part is not canonical base64url"))
            for part in (token + "." + old).split(separator: ".") { #expect(!log.contains(part)) }
            #expect(!log.contains("do-not-repeat-me"))
        }
    }

    @Test func `R12: who is on the deny list gets nothing, whoever signed the token`() throws {
        let service = try Service.shared(.tokens)
        for algorithm in [SignatureAlgorithm.es256, .eddsa] {
            let token = Setup.token(algorithm, sub: "mallory")
            for grant in ["own", "everybody"] {
                try service.get("/qiniu/uptoken?grant=\(grant)", bearer(token)).expectProblem(403, "forbidden")
            }
        }
        // The same name at the other issuer is somebody else.
        let other = Setup.token(.hs256, sub: "mallory")
        try service.get("/qiniu/uptoken?grant=everybody", bearer(other)).expectSuccess()
    }

    @Test func `R14: claims stand in the prefix, and where asks for them`() throws {
        let service = try Service.shared(.tokens)
        let digest = Digests.hex(Digests.sha256(Array("a|b".utf8)))
        let good = Setup.token(sub: "a|b", more: #""scope":"read upload","tenant":"acme""#)
        let answer = try service.get("/qiniu/uptoken?grant=tenant", bearer(good))
        answer.expectSuccess()
        #expect(answer.json["keyPrefix"] == .string("tenants/acme/\(digest)/"))
        // A sub that may not stand in a key is refused where it would.
        try service.get("/qiniu/uptoken?grant=own", bearer(good)).expectProblem(403, "not_in_grant")
        for claims in [
            #""scope":"read","tenant":"acme""#, #""scope":["x"],"tenant":"acme""#, #""tenant":"acme""#,
            #""scope":"upload""#, #""scope":"upload","tenant":"../acme""#, #""scope":"upload","tenant":"a/b""#,
            #""scope":"upload","tenant":7"#, #""scope":true,"tenant":"acme""#,
        ] {
            try service.get("/qiniu/uptoken?grant=tenant", bearer(Setup.token(more: claims)))
                .expectProblem(403, "not_in_grant")
        }
    }

    @Test func `what a token may do is listed: no more than its claims get`() throws {
        let service = try Service.shared(.tokens)
        func grants(_ claims: String) throws -> [String: String] {
            let answer = try service.get("/grants", bearer(Setup.token(sub: "a-b", more: claims)))
            #expect(answer.status == 200, "\(answer.text)")
            var prefixes: [String: String] = [:]
            for grant in answer.json["grants"]?.list ?? [] {
                prefixes[grant["name"]?.string ?? ""] = grant["keyPrefix"]?.string
            }
            return prefixes
        }
        let always = ["own": "users/a-b/", "everybody": "all/jwt-login/a-b/", "signing": "demo/"]
        #expect(try grants(#""scope":"read","tenant":"acme""#) == always)
        #expect(try grants(#""scope":"upload","tenant":"a/b""#) == always)
        let all = try grants(#""scope":"upload","tenant":"acme""#)
        #expect(all["tenant"]?.hasPrefix("tenants/acme/") == true && all.count == always.count + 1)
    }

    @Test func `R5: what is issued ends no later than the token`() throws {
        let service = try Service.shared(.tokens)
        let end = now + 120
        let token = Setup.token(expiresIn: 120)
        let answer = try service.get("/qiniu/uptoken?grant=own&expires=3600", bearer(token))
        answer.expectSuccess()
        #expect(answer.json["limitedBy"] == "caller")
        #expect((end - now...120).contains(answer.json["expiresIn"]?.integer ?? 0))
        let short = try service.get("/qiniu/uptoken?grant=own&expires=60", bearer(token))
        #expect(short.json["limitedBy"] == "requested")
        // A URL whose end is signed cannot be shortened (R17).
        let url = Signable(verb: "GET", type: "", date: "\(now + 600)", resource: "/demo-bucket/demo/a").text
        try service.get("/oss/sign?content=" + percent(url), bearer(token)).expectProblem(403, "credential_too_short")
        try service.get("/oss/sign?content=" + percent(url), bearer(Setup.token())).expectSuccess()
    }

    @Test func `R17: each subject has a session of its own, and none that outlives its token`() throws {
        let service = try Service.shared(.tokenSessions)
        func key(_ sub: String) throws -> String? {
            // Each time another token.
            let token = Setup.token(.hs256, sub: sub, expiresIn: 7200, more: "\"n\":\(UInt32.random(in: 0 ... .max))")
            let answer = try service.get("/distribute-token.json", bearer(token))
            #expect(answer.status == 200, "\(answer.text)")
            return answer.json["AccessKeyId"]?.string
        }
        let (one, two) = (try #require(try key("a|b")), try #require(try key("a/b")))
        #expect(one != two)
        #expect(try key("a|b") == one)
        let short = Setup.token(.hs256, sub: "a|b", expiresIn: 600)
        let refused = try service.get("/distribute-token.json", bearer(short))
        #expect(refused.status == 403 && refused.json["code"] == "credential_too_short", "\(refused.text)")
    }
}
