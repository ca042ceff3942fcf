import Foundation
import TestPeers

/// NOS's listing of the bucket `demo-files`, as far as the service asks for it: requests are verified by the vendor's documents,
/// with code that shares nothing with the service.
final class FakeNOS: Sendable {
    /// What stands in the bucket.
    static let keys = ["photos/a.jpg", "photos/b & c.jpg", "photos/sub/d.jpg", "photos/中 文.jpg", "private/e.jpg"]

    /// What came, in order; the connections' threads share it.
    private final class Record: @unchecked Sendable {
        private let lock = NSLock()
        private var seen: [String] = []
        private var wrong: [String] = []

        func add(_ target: String) { lock.withLock { seen.append(target) } }
        func addRefused(_ text: String) { lock.withLock { wrong.append(text) } }
        var targets: [String] { lock.withLock { seen } }
        var refused: [String] { lock.withLock { wrong } }
    }

    private let record: Record
    private let peer: ClientPeer

    /// - Parameters:
    ///   - secret: what requests are signed with.
    ///   - body: what it answers instead of the listing, for a target.
    init(
        secret: String = Setup.nosSecret,
        _ body: @escaping @Sendable (_ target: String) -> (status: String, body: String)? = { _ in nil }
    ) throws {
        let record = Record()
        self.record = record
        peer = try ClientPeer { connection, _ in
            while true {
                let text = try connection.request()
                guard let target = FakeNOS.verify(text, secret) else {
                    record.addRefused(text)
                    try connection.answer("<Error><Code>SignatureDoesNotMatch</Code></Error>", status: "403 No")
                    continue
                }
                record.add(target)
                let (status, answer) = body(target) ?? ("200 OK", FakeNOS.list(target))
                try connection.answer(answer, status: status, fields: "Content-Type: application/xml\r\n")
            }
        }
    }

    deinit { _ = peer.stop(within: 10) }

    var url: String { "http://127.0.0.1:\(peer.port)" }
    /// The targets of what came with a right signature.
    var targets: [String] { record.targets }
    /// What came with another.
    var refused: [String] { record.refused }

    // MARK: Signatures

    /// `NOS AK:base64(HMAC-SHA256(…))` over method, empty Content-MD5 and Content-Type, date and bucket.
    /// - Returns: path and query.
    private static func verify(_ text: String, _ secret: String) -> String? {
        let lines = text.components(separatedBy: "\r\n")
        let line = lines[0].components(separatedBy: " ")
        guard line.count == 3, line[0] == "GET", line[1].hasPrefix("/?") || line[1] == "/",
            text.hasSuffix("\r\n\r\n")
        else { return nil }
        func field(_ name: String) -> String? {
            let found = lines.filter { $0.hasPrefix(name + ": ") }
            return found.count == 1 ? String(found[0].dropFirst(name.count + 2)) : nil
        }
        guard let date = field("Date"), moment(-60...60, writtenAs: date, by: httpDate) != nil,
            field("Content-Type") == nil
        else { return nil }
        let signed = "GET\n\n\n\(date)\n/demo-files/"
        let code = Digests.hmacSHA256(key: Array(secret.utf8), Array(signed.utf8))
        let authorization = "NOS \(Setup.nosAccessKey):\(Base64Text.encode(code, urlSafe: false))"
        return field("Authorization") == authorization ? line[1] : nil
    }

    // MARK: Answers

    private static func list(_ target: String) -> String {
        var values: [String: String] = [:]
        for pair in target.dropFirst(2).components(separatedBy: "&") {
            let parts = pair.components(separatedBy: "=")
            values[parts[0]] = parts.count == 2 ? parts[1].removingPercentEncoding : nil
        }
        let prefix = values["prefix"] ?? ""
        let keys = FakeNOS.keys.filter { $0.hasPrefix(prefix) && $0 > values["marker"] ?? "" }
        let told = Array(keys.prefix(values["max-keys"].flatMap { Int($0) } ?? 100))
        let next = told.count < keys.count ? "<NextMarker>\(escape(told.last ?? ""))</NextMarker>" : ""
        return document(
            prefix: prefix,
            "\(next)<IsTruncated>\(told.count < keys.count)</IsTruncated>" + told.map(contents).joined())
    }

    static func document(bucket: String = "demo-files", prefix: String = "photos/", _ rest: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult><Name>\(bucket)</Name><Prefix>\(escape(prefix))</Prefix>\(rest)</ListBucketResult>
        """
    }

    /// An object, as the vendor's answers have it.
    static func contents(_ key: String) -> String {
        """
        <Contents><Key>\(escape(key))</Key><LastModified>2016-07-23T11:45:42 +0800</LastModified>\
        <ETag>b1335fbca4c89d12719cf99fdcab707e</ETag><Size>1500</Size><StorageClass>standard</StorageClass></Contents>
        """
    }

    /// The same in the service's answer.
    static func item(_ key: String) -> String {
        #"{"key":"\#(key)","hash":"b1335fbca4c89d12719cf99fdcab707e","fsize":1500,"putTime":14692455420000000}"#
    }

    private static func escape(_ text: String) -> String { text.replacing("&", with: "&amp;") }
}

extension Setup {
    /// Grants of listings that NOS is asked for by the service itself, of the caller's choice within them.
    static func nosFiles(_ name: String, _ nos: FakeNOS, limits: String = patientFetches) -> Setup {
        let hosts = "hosts: [\"\(nos.url)\"]"
        return Setup(
            name: name,
            credentials: """
                credentials: {
                    "nos": {
                      provider: "nos", accessKey: "\(nosAccessKey)", secretKey: "\(nosSecret)",
                      endpoint: "\(nosEndpoint)", limits: { \(limits) },
                    },
                  }
                """,
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)] },
                  grants: {
                    "photos": {
                      route: "nos.files", credential: "nos", callers: ["anonymous"], public: true,
                      bucket: "demo-files", keyPrefix: "photos/", \(hosts),
                    },
                    "hers": {
                      route: "nos.files", credential: "nos", callers: ["apiKey:alice"],
                      bucket: "demo-files", keyPrefix: "users/${caller.source}/", \(hosts),
                    },
                    "every": {
                      route: "nos.files", credential: "nos", callers: ["apiKey:bob"], unscoped: true,
                      bucket: "demo-files", \(hosts),
                    },
                  },
                """)
    }
}
