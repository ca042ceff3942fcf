import Foundation
import Testing

/// Each of these is one edit away from what is signed, and none of them is (R13, R15).
@Suite("Attacks on OSS remote signing, version 4")
struct OSSSignAttackTests {
    @Test(arguments: Transport.allCases) func `their twins are signed`(_ transport: Transport) throws {
        let service = try Service.shared(.signing, transport)
        for twin in [SignableV4(), .url, Attack.metadata, Attack.host] {
            let answer = try service.post("/oss/sign", "application/x-www-form-urlencoded", twin.form())
            answer.expectSuccess()
            #expect(answer.json["signature"] == .string(twin.signature))
        }
    }

    @Test("none of them is signed", arguments: Transport.allCases, Attack.all)
    func attack(_ transport: Transport, _ attack: Attack) throws {
        let service = try Service.shared(.signing, transport)
        let signable = attack.make()
        let answer = try service.post("/oss/sign", "application/x-www-form-urlencoded", signable.form())
        #expect(!answer.text.contains(signable.signature))
        switch attack.fault {
        case .unreadable(let reason): answer.expectProblem(422, "unreadable_string_to_sign", reason)
        case .ungranted(let clause):
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == .string(clause))
        }
        // Nothing of what was sent comes back (R7).
        #expect(!answer.text.contains("demo-bucket") && !answer.text.contains("UNSIGNED-PAYLOAD\\n"))
    }

    @Test func `there are more than sixty, of every kind`() {
        #expect(Attack.all.count > 60)
        #expect(Set(Attack.all.map(\.name)).count == Attack.all.count)
    }
}

/// What must not be signed, and why it is not.
struct Attack: Sendable, CustomTestStringConvertible {
    enum Fault: Sendable {
        /// 422, with this in the detail.
        case unreadable(String)
        /// 403, by this clause.
        case ungranted(String)
    }

    let name: String
    let fault: Fault
    /// Made when it is sent, since it has the time in it.
    let make: @Sendable () -> SignableV4
    var testDescription: String { name }

    /// A changed request.
    private init(
        _ name: String, _ fault: Fault, of twin: @escaping @Sendable @autoclosure () -> SignableV4 = SignableV4(),
        _ change: @escaping @Sendable (inout SignableV4) -> Void
    ) {
        self.name = name
        self.fault = fault
        make = { twin().with(change) }
    }

    /// An edit of the canonical request's text, whose hash is signed.
    private static func text(
        _ name: String, _ reason: String, of twin: @escaping @Sendable @autoclosure () -> SignableV4 = SignableV4(),
        _ old: String, _ new: String
    ) -> Attack {
        Attack(name, .unreadable(reason), of: twin()) {
            $0.editCanonical = { text in text.replacingOccurrences(of: old, with: new) }
        }
    }

    /// An edit of the string to sign.
    private static func string(_ name: String, _ reason: String, _ old: String, _ new: String) -> Attack {
        Attack(name, .unreadable(reason)) { $0.editString = { $0.replacingOccurrences(of: old, with: new) } }
    }

    static var metadata: SignableV4 { SignableV4(headers: [("x-oss-meta-a", "1"), ("x-oss-meta-b", "2")]) }
    static var host: SignableV4 {
        SignableV4(headers: [("host", "h"), ("range", "r")], additional: ["host", "range"])
    }
    private static var typed: SignableV4 {
        SignableV4(method: "GET", query: [("response-content-type", "a/b")], headers: [])
    }

    static let all = strings + paths + queries + headers + forms + times + operations

    private static let strings = [
        string("another algorithm", "contentToSign", "OSS4-HMAC-SHA256", "ACS3-HMAC-SHA256"),
        string("CRLF in the string", "contentToSign", "\n", "\r\n"),
        string("another product's ending", "scope", "aliyun_v4_request", "aws4_request"),
        string("a scope without a product", "scope", "/oss/", "/"),
        string("a scope of another day", "scope", "/cn-hangzhou/", "0/cn-hangzhou/"),
        Attack("a hash in capitals", .unreadable("hash")) {
            $0.editString = { text in text.dropLast(64) + text.suffix(64).uppercased() }
        },
        Attack("the hash of another request", .unreadable("hash")) {
            $0.editString = { text in text.dropLast(1) + (text.last == "0" ? "1" : "0") }
        },
        Attack("a hash cut short", .unreadable("hash")) { $0.editString = { String($0.dropLast()) } },
        Attack("a line break behind the string", .unreadable("contentToSign")) { $0.editString = { $0 + "\n" } },
        Attack("a form's policy", .unreadable("contentToSign")) {
            $0.editString = { _ in "eyJleHBpcmF0aW9uIjoiMjA5OS0wMS0wMVQwMDowMDowMFoiLCJjb25kaXRpb25zIjpbXX0=" }
        },
        Attack("a V1 string", .unreadable("contentToSign")) { $0.editString = { _ in Signable().text } },
        Attack("the canonical request itself", .unreadable("contentToSign")) {
            let canonical = $0.canonical
            $0.editString = { _ in canonical }
        },
        text("CRLF in the request", "syntax", "\n", "\r\n"),
        text("a NUL", "syntax", "image/jpeg", "image/\0jpeg"),
        Attack("a line more", .unreadable("payload")) { $0.editCanonical = { $0 + "\n" } },
        Attack("a payload's hash", .unreadable("payload")) { $0.payload = Digests.hex(Digests.sha256([])) },
        Attack("a line less", .unreadable("canonicalRequest")) {
            $0.editCanonical = { $0.components(separatedBy: "\n").dropLast().joined(separator: "\n") }
        },
    ]

    private static let paths = [
        Attack("a verb in small letters", .unreadable("verb")) { $0.method = "put" },
        Attack("another verb", .unreadable("verb")) { $0.method = "OPTIONS" },
        text("a path of a whole URL", "resource", "\n/demo-bucket", "\nhttp://h/demo-bucket"),
        text("no bucket", "resource", "/demo-bucket/demo/a.jpg", "/a.jpg"),
        text("a bucket without its slash", "resource", "/demo-bucket/demo/a.jpg", "/demo-bucket"),
        text("a bucket in capitals", "resource", "/demo-bucket/", "/Demo-Bucket/"),
        text("a bucket that is encoded", "resource", "/demo-bucket/", "/demo%2Dbucket/"),
        text("a letter that is encoded", "resource", "/a.jpg", "/%61.jpg"),
        text("a slash that is encoded", "resource", "/demo/a.jpg", "/demo%2Fa.jpg"),
        text("an escape in small letters", "resource", "/a.jpg", "/a%c3%bc.jpg"),
        text("half an escape", "resource", "/a.jpg", "/a%2"),
        text("a space as it is", "resource", "/a.jpg", "/a b.jpg"),
        text("a plus as it is", "resource", "/a.jpg", "/a+b.jpg"),
        text("a query in the path", "resource", "/a.jpg", "/a.jpg?acl"),
        text("an encoded line break", "resource", "/a.jpg", "/a%0A.jpg"),
        text("no UTF-8", "resource", "/a.jpg", "/a%FF.jpg"),
        text("a way out of the prefix", "resource", "/a.jpg", "/../u1/a.jpg"),
        text("an encoded way out", "resource", "/demo/a.jpg", "/demo/..%2Fu1"),
        text("a dot segment", "resource", "/a.jpg", "/./a.jpg"),
        text("a leading slash in the key", "resource", "/demo/a.jpg", "//demo/a.jpg"),
        text("a vendor variable", "resource", "/a.jpg", "/%24%7Bfilename%7D"),
        Attack("a key too long", .unreadable("resource")) { $0.key = "demo/" + String(repeating: "k", count: 1019) },
        Attack("another bucket", .ungranted("bucket")) { $0.bucket = "other-bucket" },
        Attack("the service", .ungranted("bucket")) { ($0.bucket, $0.method) = ("", "GET") },
        Attack("the bucket itself", .ungranted("keyPrefix")) { ($0.key, $0.method) = ("", "GET") },
        Attack("a neighbour of the prefix", .ungranted("keyPrefix")) { $0.key = "demo2/a.jpg" },
        Attack("the prefix without its slash", .ungranted("keyPrefix")) { $0.key = "demo" },
        Attack("a prefix in capitals", .ungranted("keyPrefix")) { $0.key = "DEMO/a.jpg" },
        Attack("DELETE", .ungranted("methods")) { $0.method = "DELETE" },
        Attack("POST", .ungranted("methods")) { $0.method = "POST" },
    ]

    private static let queries = [
        text("an empty value with its mark", "query", of: typed, "=a%2Fb", "="),
        text("a name that is encoded", "query", of: typed, "response-", "%72esponse-"),
        text("a value's escape in small letters", "query", of: typed, "%2F", "%2f"),
        text("a slash in a value as it is", "query", of: typed, "a%2Fb", "a/b"),
        text("a line break in a value", "query", of: typed, "a%2Fb", "a%0D%0Ab"),
        text("a value that is no UTF-8", "query", of: typed, "a%2Fb", "a%FFb"),
        text("a name twice", "query", of: typed, "=a%2Fb", "=a%2Fb&response-content-type=c"),
        text("a name without a name", "query", of: typed, "=a%2Fb", "=a%2Fb&=c"),
        text("an empty piece", "query", of: typed, "=a%2Fb", "=a%2Fb&"),
        text("two marks", "query", of: typed, "=a%2Fb", "=a=b"),
        text("names out of order", "query", of: typed, "response-content-type=a%2Fb", "response-content-type&acl"),
        Attack("?acl", .ungranted("subresources"), of: SignableV4(method: "GET", headers: [])) {
            $0.query = [("acl", "")]
        },
        Attack("?acl to write", .ungranted("subresources")) { $0.query = [("acl", "")] },
        Attack("?uploads where they are not listed", .ungranted("methods")) {
            ($0.method, $0.query) = ("POST", [("uploads", "")])
        },
        Attack("?x-oss-process", .ungranted("subresources"), of: SignableV4(method: "GET", headers: [])) {
            $0.query = [("x-oss-process", "image/info")]
        },
        Attack("?symlink", .ungranted("subresources")) { $0.query = [("symlink", "")] },
        Attack("?callback", .ungranted("subresources")) { $0.query = [("callback", "e30=")] },
        Attack("?tagging", .ungranted("subresources")) { $0.query = [("tagging", "")] },
        Attack("a query that nobody knows", .ungranted("subresources")) { $0.query = [("foo", "bar")] },
        Attack("what another type of the answer is for", .ungranted("subresources")) {
            $0.query = [("response-content-type", "text/html")]
        },
        Attack("what is not listed beside it", .ungranted("subresources"), of: typed) {
            $0.query.append(("response-content-disposition", "inline"))
        },
        Attack("a V1 signature in the query", .ungranted("subresources")) { $0.query = [("Signature", "x")] },
        Attack("a V1 key in the query", .ungranted("subresources")) { $0.query = [("OSSAccessKeyId", "x")] },
        Attack("a token in the query", .ungranted("subresources"), of: .url) {
            $0.query = [("x-oss-security-token", "x")]
        },
        Attack("a signature in the query", .ungranted("subresources"), of: .url) {
            $0.query = [("x-oss-signature", "x")]
        },
    ]

    private static let headers = [
        text("a header in capitals", "header", of: metadata, "x-oss-meta-a", "X-Oss-Meta-A"),
        text("a header twice", "header", of: metadata, "x-oss-meta-b", "x-oss-meta-a"),
        text("headers out of order", "header", of: metadata, "x-oss-meta-a", "x-oss-meta-c"),
        text("a header with a space before its value", "header", of: metadata, "meta-a:1", "meta-a: 1"),
        text("a header with a space behind its value", "header", of: metadata, "meta-a:1", "meta-a:1 "),
        text("a header with a space in its name", "header", of: metadata, "meta-a:1", "meta a:1"),
        text("a header without a colon", "header", of: metadata, "meta-a:1", "meta-a"),
        text("a digest that is none", "contentMD5", "content-type:image/jpeg", "content-md5:AAAA"),
        text("a type that is no ASCII", "contentType", "image/jpeg", "image/é"),
        text("a header that is signed for nothing", "additionalHeaders", "content-type:", "cache-control:"),
        text(
            "an additional header that is not there", "additionalHeaders", of: host, "host;range", "host;if-match;range"
        ),
        text("additional headers out of order", "additionalHeaders", of: host, "host;range", "range;host"),
        text("an additional header twice", "additionalHeaders", of: host, "host;range", "host;host;range"),
        text("an additional header in capitals", "additionalHeaders", of: host, "host;range", "Host;range"),
        text("an additional header without a value", "additionalHeaders", of: host, "host:h", "host:"),
        text("an empty additional header", "additionalHeaders", of: host, "host;range", "host;;range"),
        text(
            "an additional header that is always signed", "additionalHeaders", of: host, "host;range",
            "host;range;x-oss-date"),
        Attack("a signed authorization", .unreadable("additionalHeaders")) {
            $0.headers = [("authorization", "x")]
            $0.additional = ["authorization"]
        },
        Attack("x-oss-object-acl", .ungranted("headers")) { $0.headers.append(("x-oss-object-acl", "public-read")) },
        Attack("x-oss-acl", .ungranted("headers")) { $0.headers.append(("x-oss-acl", "private")) },
        Attack("x-oss-copy-source", .ungranted("headers")) {
            $0.headers.append(("x-oss-copy-source", "/demo-bucket/u1/s"))
        },
        Attack("x-oss-callback", .ungranted("headers")) { $0.headers.append(("x-oss-callback", "e30=")) },
        Attack("x-oss-symlink-target", .ungranted("headers")) { $0.headers.append(("x-oss-symlink-target", "u1/s")) },
        Attack("x-oss-tagging", .ungranted("headers")) { $0.headers.append(("x-oss-tagging", "a=b")) },
        Attack("x-oss-storage-class, which is not listed", .ungranted("headers")) {
            $0.headers.append(("x-oss-storage-class", "IA"))
        },
        Attack("a token", .ungranted("headers")) { $0.headers.append(("x-oss-security-token", "x")) },
        Attack("x-oss-expires as a header", .ungranted("headers")) { $0.headers.append(("x-oss-expires", "60")) },
    ]

    private static let forms = [
        text("a header form without its date", "date", "x-oss-date", "x-oss-meta-date"),
        text("a header form without its payload", "payload", "x-oss-content-sha256:", "x-oss-content-sha255:"),
        text("a header form with another payload", "payload", "sha256:UNSIGNED-PAYLOAD", "sha256:STREAMING-PAYLOAD"),
        Attack("a header form with a URL's credential", .unreadable("query")) {
            $0.query = [("x-oss-credential", "\($0.accessKey)/\($0.scope)")]
        },
        Attack("a header form with a URL's life", .unreadable("query")) { $0.query = [("x-oss-expires", "60")] },
        Attack("both forms", .unreadable("header"), of: .url) { $0.headers = [("x-oss-date", $0.date)] },
        Attack("both payloads", .unreadable("header"), of: .url) {
            $0.headers = [("x-oss-content-sha256", "UNSIGNED-PAYLOAD")]
        },
        text("a URL without its date", "date", of: .url, "&x-oss-date=", "&x-oss-dat="),
        text("a URL without its credential", "scope", of: .url, "x-oss-credential=", "x-oss-credentia="),
        text("a URL without its life", "query", of: .url, "x-oss-expires=280&", ""),
        text("a URL of another version", "query", of: .url, "=OSS4-HMAC-SHA256", "=OSS2"),
        text("a URL of another scope", "scope", of: .url, "%2Fcn-hangzhou%2F", "%2Fcn-beijing%2F"),
        text("a URL of no key", "scope", of: .url, Setup.ossAccessKey + "%2F", "%2F"),
        text(
            "a URL with additional headers in its query alone", "additionalHeaders", of: .url, "x-oss-credential=",
            "x-oss-additional-headers=host&x-oss-credential="),
        Attack("a URL of another key", .ungranted("accessKeyId"), of: .url) { $0.accessKey = "LTAIother" },
        Attack("a URL of a key that begins so", .ungranted("accessKeyId"), of: .url) { $0.accessKey += "0" },
    ]

    private static let times = [
        Attack("16 minutes ago", .ungranted("date")) { $0.moment -= 960 },
        Attack("in an hour", .ungranted("date")) { $0.moment += 3600 },
        Attack("the year 2099", .ungranted("date")) { $0.moment = 4_070_908_800 },
        Attack("1970", .ungranted("date")) { $0.moment = 0 },
        Attack("a URL of 16 minutes ago", .ungranted("date"), of: .url) { $0.moment -= 960 },
        Attack("a URL that begins in an hour", .ungranted("date"), of: .url) { $0.moment += 3600 },
        Attack("a URL that has ended", .ungranted("presign"), of: .url) { ($0.moment, $0.lifetime) = (now - 60, "30") },
        Attack("a URL beyond presign", .ungranted("presign"), of: .url) { $0.lifetime = "400" },
        Attack("a URL of a week", .ungranted("presign"), of: .url) { $0.lifetime = "604800" },
        Attack("a URL of more than a week", .unreadable("expires"), of: .url) { $0.lifetime = "604801" },
        Attack("a URL of no life", .unreadable("expires"), of: .url) { $0.lifetime = "0" },
        Attack("a URL of a negative life", .unreadable("expires"), of: .url) { $0.lifetime = "-60" },
        Attack("a URL until a moment", .unreadable("expires"), of: .url) { $0.lifetime = "\(now + 60)" },
        Attack("a life with a zero before it", .unreadable("expires"), of: .url) { $0.lifetime = "060" },
        Attack("a life beyond 64 bits", .unreadable("expires"), of: .url) { $0.lifetime = "9223372036854775808" },
        Attack("another region", .ungranted("region")) { $0.region = "cn-beijing" },
        Attack("another product", .ungranted("region")) { $0.product = "oss-cloudbox" },
        Attack("a URL of another region", .ungranted("region"), of: .url) { $0.region = "cn-beijing" },
    ]

    /// Of the grant that has uploads in parts.
    private static let operations = [
        Attack("a part without its upload", .ungranted("subresources")) {
            ($0.key, $0.query) = ("parts/a", [("partNumber", "1")])
        },
        Attack("uploads to read", .ungranted("subresources")) {
            ($0.method, $0.key, $0.query) = ("GET", "parts/a", [("uploads", "")])
        },
        Attack("a bare POST", .ungranted("subresources")) { ($0.method, $0.key) = ("POST", "parts/a") },
        Attack("?delete", .ungranted("subresources")) {
            ($0.method, $0.key, $0.query) = ("POST", "parts/a", [("delete", "")])
        },
        Attack("?append", .ungranted("subresources")) {
            ($0.method, $0.key, $0.query) = ("POST", "parts/a", [("append", ""), ("position", "0")])
        },
        Attack("an ACL beside an upload", .ungranted("subresources")) {
            ($0.method, $0.key, $0.query) = ("POST", "parts/a", [("uploads", ""), ("acl", "")])
        },
        Attack("a part of another object", .ungranted("headers")) {
            ($0.key, $0.query) = ("parts/a", [("partNumber", "1"), ("uploadId", "u")])
            $0.headers = [("x-oss-copy-source", "/demo-bucket/u1/secret")]
        },
    ]
}
