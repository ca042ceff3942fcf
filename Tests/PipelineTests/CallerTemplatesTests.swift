import Crypto
import Foundation
import Testing

@testable import TestService

/// Where a grant names its caller in other places than a prefix (R9, R14).
@Suite("The caller in keys, channels and callbacks")
struct CallerTemplatesTests {
    private static func bearer(_ subject: String, tenant: String = "t1") -> String {
        "Authorization: Bearer \(Setup.token(.hs256, sub: subject, more: "\"tenant\":\"\(tenant)\""))"
    }

    private func callback(of form: PostedForm) throws -> JSON {
        let text = try Base64Text.decode(form.fields["callback"] ?? "", urlSafe: false)
        return try JSON(String(decoding: text, as: UTF8.self))
    }

    // MARK: Callbacks

    @Test(arguments: ["v1", "v4"])
    func `R6: a callback says who uploads, and the form's policy pins it`(version: String) throws {
        let service = try Service.shared(.templates)
        let answer = try service.get(
            "/oss/post-policy?key=told/a%2Bb@c/x&bucket=demo-bucket&version=\(version)", Self.bearer("a+b@c"))
        answer.expectSuccess()
        let form = try PostedForm(answer.json)
        let callback = try callback(of: form)
        #expect(callback["callbackBody"] == "user=a%2Bb%40c&object=${object}&again=a%2Bb%40c&by=${x:by}")
        #expect(callback.names == ["callbackUrl", "callbackBody"])
        #expect(answer.json["callback"]?.string == form.fields["callback"])
        #expect(form.fault(size: 5) == nil)
        // Variables of the form do not reach the name, and another callback breaks the policy.
        #expect(form.fault(size: 5, ["x:enduser": "bob"]) == nil)
        #expect(form.fault(size: 5, ["callback": nil]) == "callback")
        let other = try service.get("/oss/post-policy?key=told/bob/x&bucket=demo-bucket", Self.bearer("bob"))
        let others = try #require(other.json["callback"]?.string)
        #expect(form.fault(size: 5, ["callback": others]) == "callback")
    }

    @Test func `in a JSON body the name is a string of its own`() throws {
        let service = try Service.shared(.templates)
        let answer = try service.get(
            "/oss/post-policy?keyPrefix=told/42/&bucket=demo-json", Self.bearer("42", tenant: "t.1"))
        answer.expectSuccess()
        let body = try callback(of: try PostedForm(answer.json))["callbackBody"]?.string
        #expect(body == #"{"user":"t.1/42","object":${object}}"#)
    }

    @Test(arguments: [("bob", "t/x"), ("bob", "t 1"), ("bob", "${object}"), ("bob", ".t")])
    func `a name that could be read as something else gets no form`(subject: String, tenant: String) throws {
        let answer = try Service.shared(.templates).get(
            "/oss/post-policy?keyPrefix=told/\(subject)/&bucket=demo-json", Self.bearer(subject, tenant: tenant))
        answer.expectProblem(403, "not_in_grant")
    }

    @Test(arguments: [
        ("method=PUT", true), ("method=POST&query=uploadId=1", true), ("method=GET", false),
        ("method=PUT&query=uploadId=1&query=partNumber=1", false),
    ])
    func `a URL that ends an upload carries the grant's callback, signed`(query: String, isTold: Bool) throws {
        let answer = try Service.shared(.templates).get(
            "/oss/presigned-url?bucket=demo-bucket&key=told/a@b/x&\(query)", Self.bearer("a@b"))
        answer.expectSuccess()
        let sent = try SentOSSRequest(answer.json)
        let callback = try sent.query["callback"].map {
            try JSON(String(decoding: try Base64Text.decode($0, urlSafe: false), as: UTF8.self))
        }
        #expect(callback?["callbackBody"] == (isTold ? "user=a%40b&object=${object}" : nil))
        guard isTold, let value = sent.url.query?.split(separator: "&").first(where: { $0.hasPrefix("callback=") })
        else { return }
        for changed in ["callback=e30%3D", "x=1"] {
            let text = answer.text.replacing(value, with: changed)
            #expect(throws: Program.Failure.self) { try SentOSSRequest(try JSON(text)) }
        }
    }

    @Test func `a request that ends an upload carries it in a header, signed`() throws {
        let service = try Service.shared(.templates)
        let answer = try service.get(
            "/oss/authorization?bucket=demo-bucket&key=told/42/x&method=PUT", Self.bearer("42"))
        answer.expectSuccess()
        let field = try #require(try SentOSSRequest(answer.json).fields["x-oss-callback"])
        let text = String(decoding: try Base64Text.decode(field, urlSafe: false), as: UTF8.self)
        #expect(try JSON(text)["callbackBody"] == "user=42&object=${object}")
        let other = answer.text.replacing(field, with: "e30=")
        #expect(throws: Program.Failure.self) { try SentOSSRequest(try JSON(other)) }
        let reading = try service.get("/oss/authorization?bucket=demo-bucket&key=told/42/x", Self.bearer("42"))
        #expect(try SentOSSRequest(reading.json).fields["x-oss-callback"] == nil)
    }

    @Test(arguments: ["presigned-url", "authorization"])
    func `nobody brings a callback, or has one left out by version 1`(route: String) throws {
        let service = try Service.shared(.templates)
        let path = "/oss/\(route)?bucket=demo-bucket&key=told/42/x&method=PUT"
        for query in ["version=v1", "query=callback=e30=", "query=callback-var=e30=", "header=x-oss-callback:e30="] {
            try service.get("\(path)&\(query)", Self.bearer("42")).expectProblem(403, "not_in_grant")
        }
    }

    // MARK: Channels

    @Test func `a caller streams into its own channel, and into nobody else's`() throws {
        let service = try Service.shared(.templates)
        let path = "/oss/rtmp-url?bucket=demo-bucket"
        for query in ["", "&channel=live-42"] {
            let answer = try service.get(path + query, Self.bearer("42"))
            answer.expectSuccess()
            #expect(try Verified.stream(answer.json["url"]?.string).url.path == "/live/live-42")
            #expect(answer.json["channel"] == "live-42")
        }
        for channel in ["live-43", "live-4", "live-42x", "live-${caller.id}", "42"] {
            let answer = try service.get("\(path)&channel=\(percent(channel))", Self.bearer("42"))
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == "channel")
        }
    }

    @Test(arguments: ["a+b", "a@b", "a=b"])
    func `a name that a channel cannot hold gets none`(subject: String) throws {
        let answer = try Service.shared(.templates).get("/oss/rtmp-url?bucket=demo-bucket", Self.bearer(subject))
        answer.expectProblem(403, "not_in_grant", "cannot stand in a channel")
    }

    @Test(arguments: ["a/b", "../x", ".a", "a b", "é", String(repeating: "a", count: 129)])
    func `a name that could leave its place gets no channel`(subject: String) throws {
        try Service.shared(.templates).get("/oss/rtmp-url?bucket=demo-bucket", Self.bearer(subject))
            .expectProblem(403, "not_in_grant")
    }

    @Test func `two values of a channel cannot be taken for two others`() throws {
        let service = try Service.shared(.templates)
        let path = "/oss/rtmp-url?bucket=demo-stages"
        #expect(try service.get(path, Self.bearer("c", tenant: "a-b")).json["channel"] == "a-b.c")
        try service.get(path, Self.bearer("c", tenant: "a.b")).expectProblem(
            403, "not_in_grant", "claims.tenant must not")
        try service.get(path, Self.bearer("b.c", tenant: "a")).expectProblem(403, "not_in_grant", "caller.id must not")
    }

    // MARK: Keys

    @Test func `R14: a key has the caller's name and an extension in one segment`() throws {
        let service = try Service.shared(.templates)
        let path = "/oss/post-policy?bucket=demo-avatars&ext="
        let answer = try service.get(path + "png", Self.bearer("42"))
        answer.expectSuccess()
        #expect(answer.json["key"] == "avatars/42.png")
        try service.get(path + "gif", Self.bearer("42")).expectProblem(403, "not_in_grant", "extension")
        let dotted = try service.get(path + "png", Self.bearer("4.2"))
        dotted.expectProblem(403, "not_in_grant", "caller.id must not hold")
        #expect(dotted.json["clause"] == "key")
    }

    @Test func `a caller whose id may not stand in a key is told the character, and what the grant can have instead`()
        throws
    {
        let answer = try Service.shared(.templates).get(
            "/oss/presigned-url?bucket=\(Setup.regions[0].0)&key=users/42/a.png", Self.bearer("auth0|42"))
        answer.expectProblem(403, "not_in_grant", "caller.id has the character |, and must be 1 to 128 of A-Z a-z 0-9")
        #expect(answer.text.contains("such as ${sha256:claims.sub}"), "\(answer.text)")
        #expect(!answer.text.contains("auth0"))
    }

    // MARK: Regions

    @Test func `R4: grants of one route are told apart by the bucket, each in its region`() throws {
        let service = try Service.shared(.templates)
        for (bucket, region) in Setup.regions {
            let answer = try service.get(
                "/oss/presigned-url?bucket=\(bucket)&key=users/42/a.png", Self.bearer("42"))
            answer.expectSuccess()
            let url = try SentURL(answer.json["url"]?.string)
            #expect(url.host == "\(bucket).oss-\(region).aliyuncs.com")
            #expect(url.parameter("x-oss-credential")?.contains("/\(region)/oss/") == true)
            try service.get("/oss/presigned-url?bucket=\(bucket)&key=users/43/a.png", Self.bearer("42"))
                .expectProblem(403, "not_in_grant")
        }
        try service.get("/oss/presigned-url?key=users/42/a.png", Self.bearer("42"))
            .expectProblem(400, "ambiguous_grant")
        try service.get("/oss/presigned-url?bucket=demo-elsewhere&key=users/42/a.png", Self.bearer("42"))
            .expectProblem(403, "not_in_grant")
    }

    // MARK: Listing

    @Test func `a URL lists the caller's prefix, or a longer one, and its query is signed`() throws {
        let service = try Service.shared(.templates)
        for (query, prefix, more) in [
            ("", "told/42/", [:]), ("?prefix=told/42/2026/ph", "told/42/2026/ph", [:]),
            ("?delimiter=/&maxKeys=7", "told/42/", ["delimiter": "/", "max-keys": "7"]),
            (
                "?startAfter=told/42/%E4%B8%AD&continuationToken=Cgh0%2B%3D%3D", "told/42/",
                ["start-after": "told/42/中", "continuation-token": "Cgh0+=="]
            ),
        ] {
            let answer = try service.get("/oss/list-url\(query)", Self.bearer("42"))
            let sent = try SentOSSRequest(answer.json)
            let deadline = try #require(answer.json["deadline"]?.integer)
            answer.expectTerms(grant: "listing", lifetime: 600, limitedBy: "grant", deadline: deadline)
            #expect(sent.method == "GET" && sent.url.path == "/" && sent.lifetime == 600)
            #expect(sent.query == more.merging(["list-type": "2", "prefix": prefix]) { $1 })
            #expect(answer.json["prefix"] == .string(prefix) && answer.json["bucket"] == "demo-bucket")
            #expect(answer.json.names == Answer.terms.union(["method", "url", "bucket", "prefix", "deadline"]))
        }
    }

    @Test(arguments: [
        "told/43/", "told/4", "told/", "", "told/42", "told/42/../43/", "told/42/./", "told/42/%0A", "/told/42/",
    ])
    func `no URL lists another prefix`(prefix: String) throws {
        let answer = try Service.shared(.templates).get("/oss/list-url?prefix=\(prefix)", Self.bearer("42"))
        #expect(answer.status == 403 || answer.status == 400, "\(answer.text)")
        #expect(answer.json["url"] == nil)
    }

    @Test func `a changed prefix breaks the signature`() throws {
        let answer = try Service.shared(.templates).get("/oss/list-url", Self.bearer("42"))
        let text = answer.text.replacing("prefix=told%2F42%2F", with: "prefix=told%2F43%2F")
        #expect(text != answer.text)
        #expect(throws: Program.Failure.self) { try SentOSSRequest(try JSON(text)) }
    }

    @Test(arguments: ["maxKeys=0", "maxKeys=1001", "list-type=1", "key=told/42/a", "version=v1", "delimiter="])
    func `what no listing has is refused`(query: String) throws {
        let answer = try Service.shared(.templates).get("/oss/list-url?\(query)", Self.bearer("42"))
        #expect(answer.status == 400, "\(answer.text)")
    }
}
