import Foundation
import TestPeers

/// S3's answers about uploads in parts to the bucket `demo-files`, as far as the service asks for them: requests are verified by the
/// vendor's documents ("Authenticating Requests: Using the Authorization Header"), with code that shares nothing with the service.
final class FakeS3: Sendable {
    struct Sent: Sendable {
        let method, target, body: String
        /// Names in lower case.
        let fields: [String: String]
    }

    /// What came, in order; the connections' threads share it.
    private final class Record: @unchecked Sendable {
        private let lock = NSLock()
        private var seen: [Sent] = []
        private var wrong: [String] = []

        func add(_ sent: Sent) { lock.withLock { seen.append(sent) } }
        func addRefused(_ text: String) { lock.withLock { wrong.append(text) } }
        var sent: [Sent] { lock.withLock { seen } }
        var refused: [String] { lock.withLock { wrong } }
    }

    private let record: Record
    private let peer: ClientPeer

    /// What the bucket's next upload is called there.
    static let uploadID = "2~id+/=1"

    /// - Parameter body: what it answers instead, for a request.
    init(_ body: @escaping @Sendable (Sent) -> (status: String, body: String)? = { _ in nil }) throws {
        let record = Record()
        self.record = record
        peer = try ClientPeer { connection, _ in
            while true {
                let text = try connection.request()
                guard let sent = FakeS3.verify(text) else {
                    record.addRefused(text)
                    try connection.answer("<Error><Code>SignatureDoesNotMatch</Code></Error>", status: "403 No")
                    continue
                }
                record.add(sent)
                let (status, answer) = body(sent) ?? FakeS3.answer(to: sent)
                try connection.answer(answer, status: status, fields: "Content-Type: application/xml\r\n")
            }
        }
    }

    deinit { _ = peer.stop(within: 10) }

    var port: UInt16 { peer.port }
    /// What came with a right signature.
    var sent: [Sent] { record.sent }
    /// What came with another.
    var refused: [String] { record.refused }

    private static func verify(_ text: String) -> Sent? {
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let line = lines[0].components(separatedBy: " ")
        guard line.count == 3 else { return nil }
        var fields: [String: String] = [:]
        for field in lines.dropFirst() {
            let parts = field.components(separatedBy: ": ")
            fields[parts[0].lowercased()] = parts.dropFirst().joined(separator: ": ")
        }
        let sent = Sent(method: line[0], target: line[1], body: String(text[end.upperBound...]), fields: fields)
        let parts =
            (fields["authorization"] ?? "").components(separatedBy: "SignedHeaders=").last?
            .components(separatedBy: ", Signature=") ?? []
        guard parts.count == 2, let date = fields["x-amz-date"], let hash = fields["x-amz-content-sha256"] else {
            return nil
        }
        // All that S3 goes by is signed.
        let names = parts[0].components(separatedBy: ";")
        let needed = fields.keys.filter {
            $0.hasPrefix("x-amz-") || ["host", "content-type", "if-none-match"].contains($0)
        }
        guard Set(needed).isSubset(of: names), moment(-60...60, writtenAs: date, by: basicISO8601) != nil else {
            return nil
        }
        let target = sent.target.components(separatedBy: "?")
        let query = (target.count > 1 ? target[1] : "").components(separatedBy: "&").sorted().joined(separator: "&")
        let canonical =
            [sent.method, target[0], query] + names.map { "\($0):\(fields[$0] ?? "")" } + ["", parts[0], hash]
        let scope = "\(date.prefix(8))/\(Setup.s3Region)/s3/aws4_request"
        let digest = Digests.hex(Digests.sha256(Array(canonical.joined(separator: "\n").utf8)))
        var key = Array("AWS4\(Setup.s3Secret)".utf8)
        for part in scope.components(separatedBy: "/") + ["AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(digest)"] {
            key = Digests.hmacSHA256(key: key, Array(part.utf8))
        }
        return parts[1] == Digests.hex(key) ? sent : nil
    }

    private static func answer(to sent: Sent) -> (status: String, body: String) {
        let path = sent.target.prefix { $0 != "?" }.dropFirst("/demo-files/".count)
        let key = (String(path).removingPercentEncoding ?? "").replacing("&", with: "&amp;")
        let object = "<Bucket>demo-files</Bucket><Key>\(key)</Key>"
        switch (sent.method, sent.target.hasSuffix("?uploads=")) {
        case ("POST", true):
            return ("200 OK", document("InitiateMultipartUploadResult", object + "<UploadId>\(uploadID)</UploadId>"))
        case ("GET", false):
            let parts = [(1, 5_242_880), (2, 7)].map { number, size in
                """
                <Part><PartNumber>\(number)</PartNumber><LastModified>2026-11-25T08:00:00.000Z</LastModified>\
                <ETag>&quot;e\(number)&quot;</ETag><Size>\(size)</Size></Part>
                """
            }
            return (
                "200 OK",
                document("ListPartsResult", object + "<IsTruncated>false</IsTruncated>" + parts.joined())
            )
        case ("POST", false):
            return (
                "200 OK",
                document("CompleteMultipartUploadResult", "<Location>http://x/</Location>\(object)<ETag>\"e\"</ETag>")
            )
        default: return ("204 No Content", "")
        }
    }

    static func document(_ name: String, _ content: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <\(name) xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\(content)</\(name)>
        """
    }
}

/// An id of an upload as the service seals it, by RFC 5869, RFC 2104 and RFC 4648.
enum SealedUpload {
    /// - Parameter caller: as the configuration writes it.
    static func text(
        _ id: String = FakeS3.uploadID, of caller: String, bucket: String = "demo-files", key: String,
        secret: String = Setup.s3Secret
    ) -> String {
        let extracted = Digests.hmacSHA256(key: [UInt8](repeating: 0, count: 32), Array(secret.utf8))
        let derived = Digests.hmacSHA256(key: extracted, Array("countersign s3 upload id v1".utf8) + [1])
        let text = [caller, bucket, key, id].map { "\($0.utf8.count):\($0)" }.joined()
        let code = Digests.hmacSHA256(key: derived, Array(text.utf8)).prefix(16)
        return Base64Text.encode(code + Array(id.utf8), urlSafe: true).replacing("=", with: "")
    }
}

extension Setup {
    /// Grants of uploads in parts, which S3 is asked for by the service itself.
    static func s3Uploads(
        _ name: String, _ s3: FakeS3, secret: String = s3Secret, previous: String = "", limits: String = patientFetches
    ) -> Setup {
        Setup(
            name: name,
            credentials: """
                credentials: {
                    "s3": {
                      provider: "s3", sandbox: true, accessKey: "\(s3AccessKey)", secretKey: "\(secret)", region: "\(s3Region)",
                      endpoint: "http://s3.localhost:\(s3.port)", style: "path", limits: { \(limits) }, \(previous)
                    },
                  }
                """,
            rest: """
                authentication: {
                    apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)], tickets: { secret: "\(ticketSecret)" },
                  },
                  grants: {
                    "uploads": {
                      route: "s3.multipart", credential: "s3", callers: ["apiKey:alice", "apiKey:bob"],
                      bucket: "demo-files", keyPrefix: "up/", lifetime: "10m",
                    },
                    "images": {
                      route: "s3.multipart", credential: "s3", callers: ["apiKey:alice"], bucket: "demo-files",
                      keyPrefix: "images/", overwrite: true, contentTypes: ["image/*"],
                    },
                    "open": {
                      route: "s3.multipart", credential: "s3", callers: ["anonymous"], public: true, bucket: "demo-files",
                      keyPrefix: "open/",
                    },
                    "files": {
                      route: "s3.post-policy", credential: "s3", callers: ["apiKey:alice"], bucket: "demo-files",
                      keyPrefix: "up/", maxSize: "1MiB",
                    },
                    "named": {
                      route: "s3.post-policy", credential: "s3", callers: ["apiKey:bob"], bucket: "demo-files",
                      key: "mine/${uuid}.${ext}", maxSize: "1MiB", contentTypes: ["image/*"],
                    },
                  },
                """)
    }
}
