import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct ManagementFetchTests {
    private let key: SigningKey

    init() throws {
        key = try SigningKey(accessKey: Array("AK-1".utf8), secret: Secret(Array("SK".utf8)))
    }

    private func issuer(_ route: RouteDescription, hosts: [String]? = nil) throws(FieldProblem) -> any VendorIssuer {
        guard let field = route.grant.fields.first, case .object(let services) = field.kind,
            let service = services.first
        else { throw FieldProblem("", "there is no service") }
        var values = FieldValues()
        if let hosts {
            var object = FieldValues()
            object[service] = .strings(hosts.map { Array($0.utf8) })
            values[field] = .object(object)
        }
        let context = GrantContext(target: .anything, accessKey: key.accessKey)
        guard case .asking(let issuer) = try route.grant.makeIssuer(values, context) else {
            throw FieldProblem("", "it asks nobody")
        }
        return issuer
    }

    /// What is asked for a query, a permit for this much in hand.
    private func question(
        _ route: RouteDescription, _ query: String = "", bucket: String = "media", key object: String = "photos/",
        _ extent: Permit.Extent = .prefix
    ) throws -> any VendorQuestion {
        let issuer = try issuer(route)
        var scope = Scope()
        scope.begin(bucket: Array(bucket.utf8).span)
        scope.set(key: Array(object.utf8).span)
        scope.extent = extent
        let grant = Grant(
            Grant.Entry(Array("test".utf8), at: 0), for: Grant.Principals([.anonymous]),
            of: Grant.Resources(.anything, in: .absent, withoutKey: .prefix),
            lasting: Grant.Lifetimes(usual: 1, longest: 1), Grant.Issuance(by: issuer, on: 0, with: 0))
        var ask = Ask(Nonce(InlineArray(repeating: 0)))
        try ask.parameters.read(form: Array(query.utf8).span)
        try ask.read(by: route.request.parameters)
        try route.request.read(&ask, Instant(unixSeconds: 0, nanoseconds: 0))
        var scratch = ByteWriter()
        return try issuer.question(
            ask, under: Permit(grant, scope, lifetime: 1, limitedBy: .grant, now: 0), with: key, using: &scratch)
    }

    // MARK: Calls

    @Test func `each attempt is a request of its own moment, signed by the vendor's documents`() throws {
        let cases: [(any VendorQuestion, target: String)] = [
            (
                try question(ManagementFetch.files, "delimiter=/&marker=a%2Bb=&limit=7", key: "photos/中 +&"),
                "/list?bucket=media&prefix=photos%2F%E4%B8%AD%20%2B%26&delimiter=%2F&marker=a%2Bb%3D&limit=7"
            ),
            (try question(ManagementFetch.files, key: "", .bucket), "/list?bucket=media"),
            (
                try question(
                    ManagementFetch.stat, "key=gogopher.jpg", bucket: "qiniuphotos", key: "gogopher.jpg", .object),
                "/stat/cWluaXVwaG90b3M6Z29nb3BoZXIuanBn"
            ),
            (try question(ManagementFetch.buckets, bucket: "", key: "", .service), "/buckets"),
        ]
        for (question, target) in cases {
            for (now, date) in [(1_700_000_000, "20231114T221320Z"), (1_700_000_001, "20231114T221321Z")]
                as [(Int64, String)]
            {
                let call = try question.call(to: Array("rsf.example.com:8443".utf8), at: now)
                var out = ByteWriter()
                try call.write(into: &out)
                let text =
                    "GET \(target)\nHost: rsf.example.com:8443\nContent-Type: application/x-www-form-urlencoded\n"
                    + "X-Qiniu-Date: \(date)\n\n"
                let signature = try key.sha1.signature(over: text, .urlSafe)
                let expected = """
                    GET \(target) HTTP/1.1\r\nHost: rsf.example.com:8443\r\nAuthorization: Qiniu AK-1:\(signature)\r\n\
                    Content-Type: application/x-www-form-urlencoded\r\nX-Qiniu-Date: \(date)\r\n\
                    Accept: application/json\r\nUser-Agent: Countersign\r\n\r\n
                    """
                #expect(out.array.text == expected)
            }
        }
    }

    @Test func `a marker or a delimiter with control characters is refused`() {
        for query in ["marker=a%0Ab", "delimiter=%00", "delimiter=%7F"] {
            #expect(throws: AskError.self) { try question(ManagementFetch.files, query) }
        }
    }

    @Test func `hosts are asked over TLS, but for this machine`() throws {
        #expect(try issuer(ManagementFetch.stat).endpoints.map(\.authority.text) == ["rs.qbox.me"])
        #expect(try issuer(ManagementFetch.files).endpoints.map(\.authority.text) == ["rsf.qbox.me"])
        #expect(try issuer(ManagementFetch.buckets).endpoints.map(\.authority.text) == ["uc.qbox.me"])
        let hosts = ["rs-z0.qbox.me", "https://rs.internal:8443", "http://127.0.0.1:9000", "[2001:db8::1]:80"]
        let endpoints = try issuer(ManagementFetch.stat, hosts: hosts).endpoints
        #expect(
            endpoints.map(\.authority.text)
                == ["rs-z0.qbox.me", "rs.internal:8443", "127.0.0.1:9000", "[2001:db8::1]:80"])
        #expect(endpoints.map(\.isSecure) == [true, true, false, true])
        for wrong in [
            [], [""], ["http://rs.qbox.me"], ["ftp://rs.qbox.me"], ["rs.qbox.me/" + "x"], ["u@rs.qbox.me"],
            ["rs.qbox.me", "https://rs.qbox.me:443"], ["rs.qbox.me:0"], ["a b"],
        ] {
            do throws(FieldProblem) {
                _ = try issuer(ManagementFetch.stat, hosts: wrong)
                Issue.record("\(wrong)")
            } catch {
                #expect(error.path == "hosts.rs")
            }
        }
    }

    // MARK: Answers

    @Test func `of a listing nothing outside the prefix is told, nor what nobody documents`() throws {
        let files = try question(ManagementFetch.files)
        let item = #"{"key":"photos/a.jpg","hash":"Fm","fsize":1500,"putTime":16995552007137820,"x":[1.0,null]}"#
        for (body, told) in [
            (#"{"items":[\#(item)],"marker":""}"#, #"{"items":[\#(item)],"marker":""}"#),
            (#" { "marker" : "eyJ" , "items" : [ ] } "#, #"{"items":[],"marker":"eyJ"}"#),
            (#"{"items":null}"#, "unreadable"), (#"{"items":null,"marker":"m"}"#, #"{"items":[],"marker":"m"}"#),
            (
                #"{"items":[{"key":"photos"},{"key":"private/b"},\#(item),{"key":"Photos/a"},{"key":""}],"secret":{"a":1}}"#,
                #"{"items":[\#(item)]}"#
            ),
            (
                #"{"commonPrefixes":["photos/a/","private/","photos/b/","photo"],"items":[],"reqid":"x"}"#,
                #"{"items":[],"commonPrefixes":["photos/a/","photos/b/"]}"#
            ),
            (#"{"commonPrefixes":null,"items":[],"marker":null}"#, #"{"items":[]}"#),
            // The escaped spelling of a key is the same key.
            (#"{"items":[{"key":"\u0070hotos\/b"}]}"#, #"{"items":[{"key":"photos/b"}]}"#),
        ] {
            #expect(reading(files, body) == told, "\(body)")
        }
        let all = try question(ManagementFetch.files, key: "", .bucket)
        #expect(reading(all, #"{"items":[{"key":"private/b"}]}"#) == #"{"items":[{"key":"private/b"}]}"#)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "<html>", #"{"error":"x"}"#, #"{"items":{}}"#, #"{"items":["a"]}"#, #"{"items":[{}]}"#,
        #"{"items":[{"key":1}]}"#, #"{"items":[{"key":"photos/a"},{"hash":"x"}]}"#, #"{"items":[],"items":[]}"#,
        #"{"items":[{"key":"photos/a","key":"private/b"}]}"#, #"{"items":[],"marker":1}"#, #"{"items":[]"#,
        #"{"items":[],"commonPrefixes":[1]}"#, #"{"items":[],"commonPrefixes":"photos/"}"#, #"{"items":[]} x"#,
        "{\"items\":[{\"key\":\"photos/\u{1}\"}]}",
    ])
    func `what is no listing is unreadable`(body: String) throws {
        #expect(reading(try question(ManagementFetch.files), body) == "unreadable")
    }

    @Test func `a look is an object, and the buckets are names`() throws {
        let stat = try question(ManagementFetch.stat, "key=photos/a", key: "photos/a", .object)
        let object = #"{"fsize":5122935,"hash":"lj","mimeType":"a/b","putTime":13603956734587420,"type":0}"#
        #expect(reading(stat, object) == object)
        for body in ["[]", "\"x\"", "1", "null", "", "{\"a\":1,\"a\":2}"] {
            #expect(reading(stat, body) == "unreadable")
        }
        let buckets = try question(ManagementFetch.buckets, bucket: "", key: "", .service)
        #expect(reading(buckets, #"[ "media" , "中" ]"#) == #"["media","中"]"#)
        #expect(reading(buckets, "[]") == "[]")
        for body in ["{}", "[1]", "[\"a\",null]", "[[\"a\"]]", ""] { #expect(reading(buckets, body) == "unreadable") }
    }

    @Test func `statuses are told apart, whatever comes with them`() throws {
        let (files, marked) = (
            try question(ManagementFetch.files), try question(ManagementFetch.files, "marker=m&delimiter=/")
        )
        let stat = try question(ManagementFetch.stat, "key=photos/a", key: "photos/a", .object)
        for body in ["", #"{"items":[]}"#, "<html>"] {
            for status in [404, 612, 631] {
                #expect(
                    reading(files, body, status: status) == "absent" && reading(stat, body, status: status) == "absent")
            }
            #expect(reading(marked, body, status: 400) == "unacceptable")
            #expect(reading(files, body, status: 400) == "status 400")
            #expect(reading(stat, body, status: 400) == "status 400")
            for status in [401, 403] { #expect(reading(files, body, status: status) == "key refused \(status)") }
            let ofRequest = [573, 579]
            for status in ofRequest { #expect(reading(files, body, status: status) == "request refused \(status)") }
            let others = (500...599).filter { !ofRequest.contains($0) }
            for status in [201, 204, 302, 429, 614] + others {
                #expect(reading(files, body, status: status) == "status \(status)")
            }
        }
    }
}
