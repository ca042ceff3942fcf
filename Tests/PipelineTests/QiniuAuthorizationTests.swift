import Foundation
import Testing

@testable import TestService

@Suite("Qiniu management requests over HTTP")
struct QiniuAuthorizationTests {
    private static let path = "/qiniu/authorization"

    /// Checks what every answer of version 2 has, and gives its URL.
    private func read(
        _ answer: Answer, grant: String, operation: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SentURL {
        let url = try Verified.management(answer.json)
        answer.expectTerms(
            grant: grant, lifetime: 900, limitedBy: "requested", deadline: nil, sourceLocation: sourceLocation)
        let json = answer.json
        #expect(json["method"] == "GET", sourceLocation: sourceLocation)
        #expect(json["operation"] == .string(operation), sourceLocation: sourceLocation)
        #expect(url.scheme == "https", sourceLocation: sourceLocation)
        let headers = json["headers"]
        #expect(headers?.names == ["Authorization", "Content-Type", "X-Qiniu-Date"], sourceLocation: sourceLocation)
        #expect(headers?["Content-Type"] == "application/x-www-form-urlencoded", sourceLocation: sourceLocation)
        // The date is the moment of the answer, which ends fifteen minutes later.
        let date = moment(Answer.age, writtenAs: headers?["X-Qiniu-Date"]?.string, by: basicISO8601)
        #expect(date.map { json["expiresAt"] == .string(iso8601($0 + 900)) } == true, sourceLocation: sourceLocation)
        let own: Set = ["method", "url", "headers", "operation", "bucket", "key", "prefix"]
        #expect(json.names == own.union(Answer.terms), sourceLocation: sourceLocation)
        return url
    }

    @Test func `a listing is of the grant's prefix, or of a longer one`() throws {
        let service = try Service.shared(.requests)
        let whole = try service.get("\(Self.path)?operation=list&grant=browse")
        let url = try read(whole, grant: "browse", operation: "list")
        #expect(url.host == "rsf.qbox.me")
        #expect(url.target == "/list?bucket=demo-media&prefix=photos%2F")
        #expect(whole.json["bucket"] == "demo-media")
        #expect(whole.json["key"] == .null)
        #expect(whole.json["prefix"] == "photos/")
        for prefix in ["photos/", "photos/2026/a b+c", "photos/中&bucket=x", "photos/a%2Fb"] {
            let answer = try service.post(
                Self.path,
                json: #"{"operation":"list","prefix":"\#(prefix)","delimiter":"/","marker":"eyJ+/=","limit":1000}"#)
            let url = try read(answer, grant: "browse", operation: "list")
            #expect(url.path == "/list")
            #expect(url.parameters.map(\.name) == ["bucket", "prefix", "delimiter", "marker", "limit"])
            #expect(url.parameters.map(\.value) == ["demo-media", prefix, "/", "eyJ+/=", "1000"])
            #expect(answer.json["prefix"] == .string(prefix))
        }
        for prefix in ["photo", "photos", "private/", "p", "Photos/"] {
            let answer = try service.get("\(Self.path)?operation=list&prefix=\(prefix)")
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == "keyPrefix")
        }
    }

    @Test func `a look is at one key below the prefix, by its entry`() throws {
        let service = try Service.shared(.requests)
        for key in ["photos/a.jpg", "photos/中文 +&=%.jpg", "photos/a:b", "photos/>>>???"] {
            let answer = try service.get("\(Self.path)?operation=stat&bucket=demo-media&key=\(percent(key))")
            let url = try read(answer, grant: "browse", operation: "stat")
            #expect(url.host == "rs.qbox.me")
            let entry = Base64Text.encode(Array("demo-media:\(key)".utf8), urlSafe: true)
            #expect(url.target == "/stat/\(entry)")
            #expect(answer.json["key"] == .string(key))
            #expect(answer.json["prefix"] == .null)
        }
        let elsewhere = try service.get("\(Self.path)?operation=stat&key=in/a")
        #expect(try read(elsewhere, grant: "looking", operation: "stat").host == "rs.internal:8443")
        for key in ["photo", "private/a", "photos"] {
            try service.get("\(Self.path)?operation=stat&key=\(key)").expectProblem(403, "not_in_grant")
        }
        try service.get("\(Self.path)?operation=stat").expectProblem(400, "missing_parameter", "key")
        let listing = try service.get("\(Self.path)?operation=list&grant=looking")
        listing.expectProblem(403, "not_in_grant")
    }

    @Test func `buckets are listed by a grant of the whole account alone`() throws {
        let service = try Service.shared(.requests)
        let target = "\(Self.path)?operation=buckets"
        let answer = try service.get(target, APIKey.bob.bearer)
        let url = try read(answer, grant: "account", operation: "buckets")
        #expect(url.text == "https://uc.qbox.me/buckets")
        for name in ["bucket", "key", "prefix"] { #expect(answer.json[name] == .null) }
        for bearer in [APIKey.alice.bearer, "X-Nothing: 1"] {
            try service.get(target, bearer).expectProblem(403, "not_in_grant")
        }
        // Such a grant is also for any bucket, and then for any key.
        let all = try service.get("\(Self.path)?operation=list&bucket=any", APIKey.bob.bearer)
        #expect(try read(all, grant: "account", operation: "list").target == "/list?bucket=any")
        #expect(all.json["prefix"] == .null)
        let one = try service.get("\(Self.path)?operation=list&bucket=any&prefix=a", APIKey.bob.bearer)
        #expect(try read(one, grant: "account", operation: "list").target == "/list?bucket=any&prefix=a")
        try service.get("\(Self.path)?operation=list", APIKey.bob.bearer)
            .expectProblem(400, "missing_parameter", "bucket")
    }

    @Test func `QBox is for grants that say neverExpires, and for callers whose own key does not end`() throws {
        let service = try Service.shared(.requests)
        let target = "\(Self.path)?operation=stat&key=old/a"
        let answer = try service.get(target, APIKey.alice.bearer)
        answer.expectSuccess()
        let url = try Verified.qbox(answer.json)
        #expect(url.path.hasPrefix("/stat/"))
        #expect(answer.json["headers"]?.names == ["Authorization"])
        for name in ["expiresAt", "expiresIn", "limitedBy"] { #expect(answer.json[name] == .null) }
        #expect(answer.json["grant"] == "legacy")
        #expect(answer.json["serverTime"]?.string?.isEmpty == false)
        try service.get(target, APIKey.ending.bearer).expectProblem(403, "credential_too_short")
    }

    @Test(
        "parameters that are not the operation's are refused, and an operation that there is not")
    func strangers() throws {
        let service = try Service.shared(.requests)
        for query in [
            "operation=list&key=photos/a", "operation=stat&key=photos/a&prefix=photos/",
            "operation=stat&key=photos/a&limit=1", "operation=stat&key=photos/a&marker=a",
            "operation=stat&key=photos/a&delimiter=/", "operation=buckets&bucket=a", "operation=buckets&key=a",
            "operation=buckets&prefix=a", "operation=buckets&limit=1", "operation=delete&key=photos/a", "operation=",
            "operation=LIST", "operation=list&limit=0", "operation=list&limit=1001", "operation=list&delimiter=",
            "operation=list&delimiter=%0A", "operation=list&marker=a%00", "operation=list&prefix=",
            "operation=list&prefix=photos/../", "operation=list&prefix=/photos/", "operation=list&prefix=photos/%0A",
        ] {
            try service.get("\(Self.path)?\(query)").expectProblem(400, "invalid_parameter")
        }
        try service.get("\(Self.path)?key=photos/a").expectProblem(400, "missing_parameter", "operation")
        try service.get("\(Self.path)?operation=list&expires=60").expectProblem(400, "unknown_parameter")
    }
}
