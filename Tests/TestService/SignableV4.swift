import Foundation

/// Puts a V4 string to sign together, and the canonical request that it is of, by the vendor's documents ("Include a V4 signature
/// in the Authorization header", "Add V4 signatures to URLs") and an encoder of its own.
struct SignableV4: Sendable {
    var method = "PUT"
    var bucket = "demo-bucket"
    var key = "demo/a.jpg"
    /// Beside the signature's own.
    var query: [(String, String)] = []
    /// Beside the signature's own; in lower case.
    var headers: [(String, String)] = [("content-type", "image/jpeg")]
    var additional: [String] = []
    var moment = now
    var region = "cn-hangzhou"
    var product = "oss"
    var accessKey = Setup.ossAccessKey
    /// A URL's life in seconds; nil for a header.
    var lifetime: String?
    var payload = "UNSIGNED-PAYLOAD"
    /// What is done to the canonical request before its hash is taken.
    var editCanonical: @Sendable (String) -> String = { $0 }
    /// What is done to the string to sign.
    var editString: @Sendable (String) -> String = { $0 }

    static var url: SignableV4 { SignableV4(method: "GET", headers: [], lifetime: "280") }

    func with(_ change: (inout SignableV4) -> Void) -> SignableV4 {
        var changed = self
        change(&changed)
        return changed
    }

    var date: String { iso8601(moment).filter { $0 != "-" && $0 != ":" } }
    var scope: String { "\(date.prefix(8))/\(region)/\(product)/aliyun_v4_request" }

    var canonical: String {
        var (query, headers) = (query, headers)
        if let lifetime {
            query += [
                ("x-oss-signature-version", "OSS4-HMAC-SHA256"), ("x-oss-credential", "\(accessKey)/\(scope)"),
                ("x-oss-date", date), ("x-oss-expires", lifetime),
            ]
            if !additional.isEmpty { query.append(("x-oss-additional-headers", additional.joined(separator: ";"))) }
        } else {
            headers += [("x-oss-date", date), ("x-oss-content-sha256", "UNSIGNED-PAYLOAD")]
        }
        let path = bucket.isEmpty ? "/" : "/\(bucket)/\(SignableV4.encoded(key, keeping: "/"))"
        let pairs = query.map { (SignableV4.encoded($0.0), SignableV4.encoded($0.1)) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            .map { $0.1.isEmpty ? $0.0 : "\($0.0)=\($0.1)" }
        let lines = headers.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map { "\($0.0):\($0.1)\n" }
        let text = [
            method, path, pairs.joined(separator: "&"), lines.joined(), additional.joined(separator: ";"), payload,
        ]
        return editCanonical(text.joined(separator: "\n"))
    }

    var string: String {
        let hash = Digests.hex(Digests.sha256(Array(canonical.utf8)))
        return editString("OSS4-HMAC-SHA256\n\(date)\n\(scope)\n\(hash)")
    }

    /// The signature of the string.
    var signature: String {
        var key = Array("aliyun_v4\(Setup.ossSecret)".utf8)
        for part in scope.components(separatedBy: "/") { key = Digests.hmacSHA256(key: key, Array(part.utf8)) }
        return Digests.hex(Digests.hmacSHA256(key: key, Array(string.utf8)))
    }

    /// What is asked, as the text of a form.
    func form(_ more: String = "") -> String {
        "version=v4&stringToSign=\(percent(string))&canonicalRequest=\(percent(canonical))\(more)"
    }

    static func encoded(_ text: String, keeping marks: String = "") -> String {
        text.utf8.map { byte in
            let isPlain =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~\(marks)".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : String(format: "%%%02X", byte)
        }.joined()
    }
}
