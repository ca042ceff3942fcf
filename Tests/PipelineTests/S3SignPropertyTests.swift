import Foundation
import TestTraits
import Testing

@testable import TestSamples
@testable import TestService

/// A grant of `s3.sign` at random, and what it admits by a reading of the documentation that has nothing in common with the service's.
private struct RandomGrant {
    let prefix: String
    var methods: [String]
    var subresources: [String] = []
    var query: [String] = []
    var headers: [String] = []
    var contentTypes: [String] = []
    var maxSize: Int?
    var overwrites = false
    /// In seconds.
    var presign: Int?

    init(_ index: Int, _ random: inout SplitMix64) {
        prefix = "p\(index)/"
        methods = ["GET", "HEAD", "PUT", "DELETE"].filter { _ in Bool.random(using: &random) }
        if methods.isEmpty { methods = ["PUT"] }
        if Bool.random(using: &random) {
            methods = ["GET", "HEAD", "PUT", "DELETE", "POST"]
            subresources = ["uploads", "uploadId", "partNumber", "versionId"]
        }
        if methods.contains("GET"), Bool.random(using: &random) { query = ["response-content-type"] }
        headers = ["range", "x-amz-meta-*", "content-type", "if-none-match"].filter { _ in Bool.random(using: &random) }
        if Bool.random(using: &random) { contentTypes = ["image/png"] }
        if Bool.random(using: &random) { maxSize = 1024 }
        overwrites = Bool.random(using: &random)
        if Bool.random(using: &random) { presign = 300 }
    }

    var text: String {
        func list(_ names: [String]) -> String { "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]" }
        var text = """
            "\(prefix.dropLast())": { route: "s3.sign", credential: "s3", callers: ["anonymous"], public: true,
              bucket: "demo-bucket", keyPrefix: "\(prefix)", methods: \(list(methods)), headers: \(list(headers)),
              subresources: \(list(subresources)), query: \(list(query)), overwrite: \(overwrites),
            """
        if !contentTypes.isEmpty { text += " contentTypes: \(list(contentTypes))," }
        if let maxSize { text += " maxSize: \(maxSize)," }
        if maxSize != nil, !subresources.isEmpty { text += " unenforced: [\"maxSize\"]," }
        if let presign { text += " presign: \"\(presign)s\"," }
        return text + " },"
    }

    private static let operations: [(method: String, names: Set<String>, answers: Bool)] = [
        ("GET", [], true), ("HEAD", [], false), ("GET", ["versionId"], true), ("HEAD", ["versionId"], false),
        ("PUT", [], false), ("DELETE", [], false), ("POST", ["uploads"], false),
        ("PUT", ["uploadId", "partNumber"], false), ("GET", ["uploadId"], false), ("POST", ["uploadId"], false),
        ("DELETE", ["uploadId"], false),
    ]

    func admits(_ request: SignableS3) -> Bool {
        let names = Set(request.query.map(\.0))
        let own = names.subtracting(["response-content-type"])
        guard request.bucket == "demo-bucket", request.key.hasPrefix(prefix), methods.contains(request.method),
            own.isSubset(of: subresources),
            let operation = Self.operations.first(where: { $0.method == request.method && $0.names == own }),
            own == names || operation.answers && !query.isEmpty
        else { return false }
        if let lifetime = request.lifetime { guard let presign, Int(lifetime) ?? 0 <= presign else { return false } }
        let headers = Dictionary(request.headers) { first, _ in first }
        let creates =
            !overwrites && (request.method == "PUT" && own.isEmpty || request.method == "POST" && own == ["uploadId"])
        if creates, headers["if-none-match"] != "*" { return false }
        for name in headers.keys {
            let isListed =
                self.headers.contains(name)
                || name.hasPrefix("x-amz-meta-") && self.headers.contains("x-amz-meta-*")
            let isClause =
                name == "content-md5" || name == "content-type" && !contentTypes.isEmpty
                || name == "content-length" && maxSize != nil || name == "if-none-match" && creates
            guard isListed || isClause else { return false }
        }
        let isTyped = request.method == "PUT" && own.isEmpty || request.method == "POST" && own == ["uploads"]
        if !contentTypes.isEmpty, isTyped || headers["content-type"] != nil {
            guard headers["content-type"] == "image/png" else { return false }
        }
        guard let maxSize, request.method == "PUT" else { return true }
        guard let length = headers["content-length"] else { return !subresources.isEmpty }
        return Int(length) ?? .max <= maxSize
    }

    /// Anything, a third of it not far from what the grant admits. A lifetime counts from when it is judged, which may be seconds later.
    static func request(below prefix: String, _ random: inout SplitMix64) -> SignableS3 {
        func one<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        let (query, method): ([(String, String)], String) = one([
            ([], "GET"), ([], "HEAD"), ([], "PUT"), ([], "PUT"), ([], "PUT"), ([], "DELETE"), ([], "POST"),
            ([("uploads", "")], "POST"), ([("uploads", "")], "GET"), ([("uploadId", "u~/+=")], "POST"),
            ([("uploadId", "u")], "GET"), ([("uploadId", "u")], "DELETE"), ([("uploadId", "u")], "PUT"),
            ([("uploadId", "u"), ("partNumber", "7")], "PUT"), ([("partNumber", "7")], "PUT"),
            ([("versionId", "v")], "GET"), ([("versionId", "v")], "DELETE"), ([("acl", "")], "PUT"),
            ([("tagging", "")], "GET"), ([("response-content-type", "a/b")], "GET"),
            ([("response-content-type", "a/b"), ("versionId", "v")], "GET"),
            ([("response-content-type", "a/b")], "PUT"),
        ])
        let all = [
            ("content-type", one(["image/png", "image/png", "text/html"])),
            ("content-length", one(["1", "1024", "1025"])),
            ("if-none-match", one(["*", "*", "\"a\""])), ("range", "bytes=0-1"), ("x-amz-meta-a", "1"),
            ("content-md5", "eB5eJF1ptWaXm4bijSPyxw=="), ("x-amz-acl", "public-read"), ("x-amz-copy-source", "/b/k"),
        ]
        // Those that uploads need are there more often.
        let weights = [2, 2, 2, 12, 12, 12, 24, 24]
        let headers = zip(all, weights).filter { _, weight in Int.random(in: 0..<weight, using: &random) == 0 }.map(\.0)
        return SignableS3(
            method: method, bucket: one(Array(repeating: "demo-bucket", count: 9) + ["other-bucket"]),
            key: one(Array(repeating: prefix, count: 9) + ["q/"]) + one(["a", "b c", "d/e+f~", "\u{4E2D}"]),
            query: query,
            headers: headers, lifetime: one([nil, nil, nil, nil, "60", "300", "360"]),
            payload: one(["UNSIGNED-PAYLOAD", "UNSIGNED-PAYLOAD", String(repeating: "0f", count: 32)]))
    }
}

@Suite("Random grants of S3 remote signing")
struct S3SignPropertyTests {
    private static let form = "application/x-www-form-urlencoded"

    /// R13, R15: in both directions, so that refusing everything does not hold.
    @Test func `what is signed is inside the grant, and what is inside is signed`() throws {
        var random = SplitMix64(seed: 0x53_51)
        let grants = (0..<24).map { RandomGrant($0, &random) }
        let service = try Service(
            Setup(
                name: "s3-random",
                credentials: """
                    credentials: { "s3": {
                        provider: "s3", accessKey: "\(Setup.s3AccessKey)", secretKey: "\(Setup.s3Secret)",
                        region: "\(Setup.s3Region)", endpoint: "\(Setup.s3Endpoint)",
                      } }
                    """,
                rest: "grants: { \(grants.map(\.text).joined(separator: "\n")) },"))
        var (signed, refused) = (0, 0)
        for round in 0..<Rounds.share(of: 2400) {
            let grant = grants[round % grants.count]
            var request = RandomGrant.request(below: grant.prefix, &random)
            // A URL's payload is not in a header.
            if request.lifetime != nil { request.payload = "UNSIGNED-PAYLOAD" }
            let answer = try service.post("/s3/sign", Self.form, request.form())
            let said = "\(grant.text)\n\(request.canonical)\n\(answer.text)"
            if grant.admits(request) {
                signed += 1
                #expect(answer.json["signature"] == .string(request.signature), "\(said)")
                #expect(answer.json["grant"] == .string(String(grant.prefix.dropLast())), "\(said)")
            } else {
                refused += 1
                #expect(answer.status == 403 && !answer.text.contains(request.signature), "\(said)")
            }
        }
        #expect(
            signed > Rounds.share(of: 50) && refused > Rounds.share(of: 1000), "\(signed) signed, \(refused) refused")
    }
}
