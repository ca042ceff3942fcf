import Foundation

/// A request to S3 as a client sends it that does what it was told, verified as AWS's pages describe it: "Authenticating Requests:
/// Using the Authorization Header" and "Using Query Parameters".
struct SentS3Request {
    let method: String
    let url: SentURL
    /// Names in lower case.
    let fields: [String: String]
    /// When it was signed: seconds since 1970.
    let moment: Int64?
    /// How long a URL lives, in seconds.
    let lifetime: Int64?

    /// - Parameter token: what a temporary key's requests must have, and others must not.
    /// - Throws: what does not hold.
    init(_ answer: JSON, region: String = Setup.s3Region, token: String? = nil) throws {
        method = answer["method"]?.string ?? ""
        url = try SentURL(answer["url"]?.string)
        var fields: [String: String] = [:]
        for name in answer["headers"]?.names ?? [] {
            guard let value = answer["headers"]?[name]?.string, fields[name.lowercased()] == nil else {
                throw Program.Failure(description: "a header is no text, or there twice: \(name)")
            }
            fields[name.lowercased()] = value
        }
        self.fields = fields
        let isURL = fields["authorization"] == nil
        lifetime = url.parameter("X-Amz-Expires").flatMap(Int64.init)
        let date = (isURL ? url.parameter("X-Amz-Date") : fields["x-amz-date"]) ?? ""
        moment = TestService.moment(-900...60, writtenAs: date, by: basicISO8601)
        let tokens = [url.parameter("X-Amz-Security-Token"), fields["x-amz-security-token"]].compactMap(\.self)
        guard tokens == (token.map { [$0] } ?? []) else { throw Program.Failure(description: "tokens: \(tokens)") }
        let scope = "\(date.prefix(8))/\(region)/s3/aws4_request"
        let credential = "\(Setup.s3AccessKey)/\(scope)"
        if isURL {
            try Self.expect(url.parameter("X-Amz-Algorithm"), "AWS4-HMAC-SHA256")
            try Self.expect(url.parameter("X-Amz-Credential"), credential)
            guard let lifetime, (1...604_800).contains(lifetime) else {
                throw Program.Failure(description: "no life: \(url.text)")
            }
            let names = url.parameter("X-Amz-SignedHeaders") ?? ""
            try Self.expect(names, (fields.keys + ["host"]).sorted().joined(separator: ";"))
            let signature = signature(names, hash: "UNSIGNED-PAYLOAD", date, scope)
            try Self.expect(url.parameter("X-Amz-Signature"), signature)
        } else {
            let hash = fields["x-amz-content-sha256"] ?? ""
            try Self.expect(hash, "UNSIGNED-PAYLOAD")
            let names = (fields.keys.filter { $0 != "authorization" } + ["host"]).sorted().joined(separator: ";")
            let signature = signature(names, hash: hash, date, scope)
            try Self.expect(
                fields["authorization"],
                "AWS4-HMAC-SHA256 Credential=\(credential), SignedHeaders=\(names), Signature=\(signature)")
        }
    }

    /// The parameters that are not the signature's.
    var query: [String: String] {
        let own = url.parameters.filter { !$0.name.hasPrefix("X-Amz-") }
        return Dictionary(own.map { ($0.name, $0.value) }) { _, _ in "twice" }
    }

    private func signature(_ names: String, hash: String, _ date: String, _ scope: String) -> String {
        let pairs = (url.query ?? "").split(separator: "&").map(String.init)
            .filter { !$0.hasPrefix("X-Amz-Signature=") }.map { $0.contains("=") ? $0 : $0 + "=" }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let lines = names.split(separator: ";").map(String.init).map { name in
            let value = name == "host" ? url.host : fields[name] ?? "?"
            return "\(name):\(value.split(separator: " ").joined(separator: " "))"
        }
        let request = [method, url.path, pairs.joined(separator: "&")] + lines + ["", names, hash]
        let digest = Digests.hex(Digests.sha256(Array(request.joined(separator: "\n").utf8)))
        var key = Array("AWS4\(Setup.s3Secret)".utf8)
        for part in scope.components(separatedBy: "/") + ["AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(digest)"] {
            key = Digests.hmacSHA256(key: key, Array(part.utf8))
        }
        return Digests.hex(key)
    }

    private static func expect(_ found: String?, _ expected: String) throws {
        guard found == expected else {
            throw Program.Failure(description: "\(found ?? "nothing") instead of \(expected)")
        }
    }
}
