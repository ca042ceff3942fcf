import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct NOSFilesTests {
    private let key: SigningKey

    init() throws {
        key = try SigningKey(accessKey: Array("AK-1".utf8), secret: Secret(Array("SK".utf8)))
    }

    private func question(_ fields: [(String, String)] = [], prefix: String = "photos/") -> NOSListingQuestion {
        NOSListingQuestion(
            bucket: Array("media".utf8), prefix: Array(prefix.utf8),
            fields.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) }, key)
    }

    private func issuer(_ endpoint: String, bucket: String? = "media", hosts: [String]? = nil) throws(FieldProblem)
        -> any VendorIssuer
    {
        var credential = FieldValues()
        credential[NOS.credential.endpoint.description] = .string(Array(endpoint.utf8))
        var values = FieldValues()
        if let hosts, let field = NOSFiles.route.grant.fields.first {
            values[field] = .strings(hosts.map { Array($0.utf8) })
        }
        let context = GrantContext(
            target: .anything, bucket: bucket.map { Array($0.utf8) }, accessKey: key.accessKey, credential: credential)
        guard case .asking(let issuer) = try NOSFiles.route.grant.makeIssuer(values, context) else {
            throw FieldProblem("", "it asks nobody")
        }
        return issuer
    }

    // MARK: Calls

    @Test func `each attempt is a request of its own moment, signed by the vendor's documents`() throws {
        let fields = [("delimiter", "/"), ("marker", "photos/中 +&"), ("max-keys", "7")]
        for (question, target) in [
            (
                question(fields, prefix: "photos/中 +&"),
                "/?prefix=photos%2F%E4%B8%AD%20%2B%26&delimiter=%2F&marker=photos%2F%E4%B8%AD%20%2B%26&max-keys=7"
            ), (question(prefix: ""), "/"),
        ] {
            for (now, date) in [
                (1_700_000_000, "Tue, 14 Nov 2023 22:13:20 GMT"), (1_700_000_001, "Tue, 14 Nov 2023 22:13:21 GMT"),
            ] as [(Int64, String)] {
                let call = try question.call(to: Array("media.nos.example.com:8443".utf8), at: now)
                var out = ByteWriter()
                try call.write(into: &out)
                let signature = try key.sha256.signature(over: "GET\n\n\n\(date)\n/media/", .standard)
                let expected = """
                    GET \(target) HTTP/1.1\r\nHost: media.nos.example.com:8443\r\nAuthorization: NOS AK-1:\(signature)\r\n\
                    Date: \(date)\r\nAccept: application/xml\r\nUser-Agent: Countersign\r\n\r\n
                    """
                #expect(out.array.text == expected)
            }
        }
    }

    @Test func `the bucket's own host is asked, or the grant's`() throws {
        #expect(
            try issuer("nos-eastchina1.126.net").endpoints.map(\.authority.text) == ["media.nos-eastchina1.126.net"])
        let local = try issuer("http://nos.localhost:8090").endpoints
        #expect(local.map(\.authority.text) == ["media.nos.localhost:8090"] && local.map(\.isSecure) == [false])
        let hosts = ["media.nos.internal", "http://127.0.0.1:9000"]
        #expect(
            try issuer("nos.example", hosts: hosts).endpoints.map(\.authority.text)
                == ["media.nos.internal", "127.0.0.1:9000"])
        for (bucket, hosts, path) in [
            (nil, nil, "bucket"), ("a_b", nil, "bucket"), ("media", [], "hosts"),
            ("media", ["http://nos.example"], "hosts"), ("media", ["a.example", "A.example:443"], "hosts"),
        ] as [(String?, [String]?, String)] {
            do throws(FieldProblem) {
                _ = try issuer("nos.example", bucket: bucket, hosts: hosts)
                Issue.record("\(path)")
            } catch {
                #expect(error.path == path)
            }
        }
    }

    // MARK: Answers

    private static func document(
        bucket: String = "media", prefix: String = "photos/", end: String = "<IsTruncated>false</IsTruncated>",
        _ rest: String
    ) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult><Name>\(bucket)</Name><Prefix>\(prefix)</Prefix>"
            + "\(end)\(rest)</ListBucketResult>"
    }

    private static func object(
        _ key: String, time: String = "2012-01-01T12:00:00.000Z", tag: String = "<Etag>fb1c</Etag>",
        size: String = "15"
    ) -> String {
        "<Contents><Key>\(key)</Key><LastModified>\(time)</LastModified>\(tag)<Size>\(size)</Size></Contents>"
    }

    private static func item(_ key: String, putTime: Int64 = 13_254_192_000_000_000) -> String {
        #"{"key":"\#(key)","hash":"fb1c","fsize":15,"putTime":\#(putTime)}"#
    }

    /// The answer of a test of listings in NetEase's PHP SDK, as public code has it.
    @Test func `a listing of the vendor's own is read`() {
        let body = """
            <?xml version="1.0" encoding="UTF-8"?>
            <ListBucketResult>
              <Name>sdk-test</Name>
              <Prefix>test</Prefix>
              <Marker></Marker>
              <MaxKeys>1000</MaxKeys>
              <IsTruncated>false</IsTruncated>
              <Contents>
                <Key>test-key</Key>
                <LastModified>2016-07-23T11:45:42 +0800</LastModified>
                <ETag>b1335fbca4c89d12719cf99fdcab707e</ETag>
                <Size>6</Size>
                <StorageClass>archive-standard</StorageClass>
              </Contents>
             </ListBucketResult>
            """
        let asked = NOSListingQuestion(bucket: Array("sdk-test".utf8), prefix: Array("test".utf8), [], key)
        #expect(
            reading(asked, body)
                == #"{"items":[{"key":"test-key","hash":"b1335fbca4c89d12719cf99fdcab707e","fsize":6,"#
                + #""putTime":14692455420000000}]}"#)
    }

    @Test func `objects, folders and the marker are told`() {
        let (a, more) = (Self.object("photos/a.jpg"), "<IsTruncated>true</IsTruncated>")
        let folders = "<CommonPrefixes><Prefix>photos/b/</Prefix></CommonPrefixes>"
        for (body, told) in [
            (Self.document(a), #"{"items":[\#(Self.item("photos/a.jpg"))]}"#), (Self.document(""), #"{"items":[]}"#),
            (
                Self.document(folders + "<CommonPrefixes><Prefix>photos/c/</Prefix></CommonPrefixes>"),
                #"{"items":[],"commonPrefixes":["photos/b/","photos/c/"]}"#
            ),
            (
                Self.document(end: "<NextMarker>photos/n</NextMarker>" + more, a),
                #"{"items":[\#(Self.item("photos/a.jpg"))],"marker":"photos/n"}"#
            ),
            // Without a marker of the vendor's, the last name is one.
            (
                Self.document(end: more, a + folders),
                #"{"items":[\#(Self.item("photos/a.jpg"))],"commonPrefixes":["photos/b/"],"marker":"photos/b/"}"#
            ),
            // What is decoded is what is judged and told, whitespace of keys with it.
            (
                Self.document(Self.object("&#112;hotos/&lt;&quot; &amp;\t")),
                #"{"items":[\#(Self.item(#"photos/<\" &\t"#))]}"#
            ),
            (
                Self.document(Self.object("photos/a", time: "2012-01-01T20:00:00 +0800")),
                #"{"items":[\#(Self.item("photos/a"))]}"#
            ),
        ] {
            #expect(reading(question(), body) == told, "\(body)")
        }
        #expect(
            reading(question(prefix: ""), Self.document(prefix: "", Self.object("private/b")))
                == #"{"items":[\#(Self.item("private/b"))]}"#)
    }

    private static let outside: [String] = [
        document(object("photos/a") + object("private/b")), document(object("photos")), document(object("Photos/a")),
        document(object("&#x50;hotos/a")), document(object(" photos/a")), document(object("")),
        document("<CommonPrefixes><Prefix>private/</Prefix></CommonPrefixes>"),
        document(
            "<CommonPrefixes><Prefix>photos/a/</Prefix><Prefix>private/</Prefix></CommonPrefixes>"),
        document(end: "<IsTruncated>true</IsTruncated><NextMarker>private/b</NextMarker>", object("photos/a")),
        document(bucket: "other", object("photos/a")), document(bucket: "", object("photos/a")),
        document(prefix: "", object("photos/a")), document(prefix: "private/", ""), document(prefix: "photos/x", ""),
    ]

    @Test(arguments: outside)
    func `a listing of another bucket or prefix, or with anything outside it, is refused whole`(body: String) {
        #expect(reading(question(), body) == "unreadable")
    }

    private static let others: [String] = [
        "", " ", "{}", #"{"items":[]}"#, "<html></html>", "<ListBucketResult/>", "<ListBucketResult>",
        "<listbucketresult></listbucketresult>", "<Error><Code>NoSuchBucket</Code></Error>",
        document(object("photos/a")) + "<x/>", String(document(object("photos/a")).dropLast(1)),
        "<ListBucketResult><Name>media</Name><Prefix>photos/</Prefix></ListBucketResult>",
        document(end: "<IsTruncated>yes</IsTruncated>", ""), document(end: "<IsTruncated>true</IsTruncated>", ""),
        document(end: "<IsTruncated>false</IsTruncated><IsTruncated>true</IsTruncated>", ""),
        document("<Name>media</Name>"), document("<Prefix>photos/</Prefix>"), document("<Contents/>"),
        document("<Contents><Key>photos/a</Key></Contents>"),
        document("<Contents><Key>photos/a</Key>" + object("photos/b").dropFirst(10)),
        document(object("photos/a", size: "-1")), document(object("photos/a", size: "1e3")),
        document(object("photos/a", size: "9223372036854775808")), document(object("photos/a", size: "")),
        document(object("photos/a", tag: "")), document(object("photos/a", time: "")),
        document(object("photos/a", time: "2012-13-01T12:00:00.000Z")),
        document(object("photos/a", time: "2012-01-01T12:00:00 +9900")),
        document(object("photos/a", time: "2012-01-01T12:00:00 +08:00")),
        document(object("photos/a", time: "2012-01-01T12:00:00")),
        // Entities, document types and what other readers would read differently.
        "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>" + document(object("photos/&e;")),
        document(object("photos/&e;")), document(object("photos/<![CDATA[a]]>")),
        document("<!-- " + object("photos/a") + " -->"), document(object("photos/<b/>a")),
        document(object("photos/&#0;")), document(object("photos/\u{1}")),
        String(repeating: "<ListBucketResult>", count: 50_000),
        document(String(repeating: "<a/>", count: 60_000)),
    ]

    @Test(arguments: others.indices)
    func `what is no listing is unreadable`(index: Int) {
        #expect(reading(question(), Self.others[index]) == "unreadable")
    }

    @Test func `texts that are no UTF-8 are unreadable`() {
        for bytes in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
            let text = Self.document(Self.object("photos/@")).utf8.flatMap { $0 == 0x40 ? bytes : [$0] }
            #expect(reading(question(), text) == "unreadable")
        }
    }

    @Test func `statuses are told apart, whatever comes with them`() {
        let marked = question([("marker", "m")])
        for body in ["", Self.document(Self.object("photos/a")), "<Error/>"] {
            #expect(reading(question(), body, status: 404) == "absent")
            #expect(reading(marked, body, status: 400) == "unacceptable")
            for status in [401, 403] { #expect(reading(marked, body, status: status) == "key refused \(status)") }
            for status in [204, 206, 301, 400, 429, 500, 503] {
                #expect(reading(question(), body, status: status) == "status \(status)")
            }
        }
    }

    @Test func `whatever is done to a listing, nothing outside the prefix is told`() throws {
        var random = SystemRandomNumberGenerator()
        let good = Array(
            Self.document(
                end: "<IsTruncated>true</IsTruncated><NextMarker>photos/b</NextMarker>",
                Self.object("photos/a") + "<CommonPrefixes><Prefix>photos/b/</Prefix></CommonPrefixes>"
            ).utf8)
        let pieces = [
            "<", ">", "/", "&", ";", "private/", "<Key>private/x</Key>", "photos/", "<Prefix>", "</Contents>", "\"",
        ]
        var (told, refused) = (0, 0)
        for _ in 0..<2000 {
            var body = good
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let index = Int.random(in: 0..<body.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: body[index] = UInt8.random(in: .min ... .max, using: &random)
                case 1: body.remove(at: index)
                default: body.insert(contentsOf: pieces.randomElement(using: &random)?.utf8 ?? "".utf8, at: index)
                }
            }
            let text = reading(question(), body)
            if text == "unreadable" {
                refused += 1
                continue
            }
            told += 1
            let listing = try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
            let items = try #require(listing["items"] as? [[String: Any]])
            let names = items.map { $0["key"] as? String ?? "" } + (listing["commonPrefixes"] as? [String] ?? [])
            for name in names + [listing["marker"] as? String ?? "photos/"] {
                #expect(name.utf8.starts(with: "photos/".utf8), "\(text)")
            }
        }
        #expect(told > 100 && refused > 100, "\(told) \(refused)")
    }
}
