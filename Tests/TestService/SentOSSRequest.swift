import Foundation

/// A request to OSS as a client sends it that does what it was told, verified as the vendor's pages describe it: "Include
/// signatures in the Authorization header", "Add signatures to URLs", and those of version 4.
struct SentOSSRequest {
    let method: String
    let url: SentURL
    /// Names in lower case.
    let fields: [String: String]
    /// When it was signed, or, for a URL of version 1, when it ends: seconds since 1970.
    let moment: Int64?
    /// How long a URL of version 4 lives, in seconds.
    let lifetime: Int64?

    private let secret: String

    /// - Parameter token: what a temporary key's requests must have, and others must not.
    /// - Throws: what does not hold.
    init(
        _ answer: JSON, accessKey: String = Setup.ossAccessKey, secret: String = Setup.ossSecret, token: String? = nil
    ) throws {
        self.secret = secret
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
        let claims = [
            fields["authorization"]?.prefix { $0 != " " }.description, url.parameter("Signature").map { _ in "URL" },
            url.parameter("x-oss-signature-version"),
        ].compactMap(\.self)
        guard claims.count == 1 else { throw Program.Failure(description: "signatures: \(claims)") }
        lifetime = url.parameter("x-oss-expires").flatMap(Int64.init)
        let tokens = [
            url.parameter("security-token").map { "V1 URL \($0)" },
            url.parameter("x-oss-security-token").map { "V4 URL \($0)" },
            fields["x-oss-security-token"].map { "field \($0)" },
        ].compactMap(\.self)
        let form =
            fields["authorization"] != nil ? "field" : url.parameter("Signature") == nil ? "V4 URL" : "V1 URL"
        guard tokens == (token.map { ["\(form) \($0)"] } ?? []) else {
            throw Program.Failure(description: "security tokens: \(tokens)")
        }
        switch (claims[0], fields["authorization"]) {
        case ("OSS", let field?):
            moment = TestService.moment(-900...60, writtenAs: fields["x-oss-date"], by: httpDate)
            try Self.expect(field, "OSS \(accessKey):\(signatureV1(fields["x-oss-date"] ?? ""))")
        case ("URL", nil):
            let end = url.parameter("Expires") ?? ""
            moment = Int64(end)
            try Self.expect(url.parameter("OSSAccessKeyId"), accessKey)
            try Self.expect(url.parameter("Signature"), signatureV1(end))
        case ("OSS4-HMAC-SHA256", let field?):
            moment = Self.seconds(fields["x-oss-date"])
            try Self.expect(fields["x-oss-content-sha256"], "UNSIGNED-PAYLOAD")
            let names = Self.part("AdditionalHeaders", of: field)
            let more = names.isEmpty ? "" : ",AdditionalHeaders=\(names)"
            let date = fields["x-oss-date"] ?? ""
            try Self.expect(
                field,
                "OSS4-HMAC-SHA256 Credential=\(accessKey)/\(Self.scope(date))\(more),Signature=\(signatureV4(date, names))"
            )
        case ("OSS4-HMAC-SHA256", nil):
            let date = url.parameter("x-oss-date") ?? ""
            moment = Self.seconds(date)
            try Self.expect(url.parameter("x-oss-credential"), "\(accessKey)/\(Self.scope(date))")
            let names = url.parameter("x-oss-additional-headers")
            guard names != "", let lifetime, (1...604_800).contains(lifetime) else {
                throw Program.Failure(description: "no life: \(url.text)")
            }
            try Self.expect(url.parameter("x-oss-signature"), signatureV4(date, names ?? ""))
        default: throw Program.Failure(description: "two signatures, or none: \(claims)")
        }
    }

    /// The parameters that are not the signature's.
    var query: [String: String] {
        let own = url.parameters.filter { name, _ in
            !["OSSAccessKeyId", "Expires", "Signature", "security-token"].contains(name)
                && !(name.hasPrefix("x-oss-") && name != "x-oss-traffic-limit")
        }
        return Dictionary(own.map { ($0.name, $0.value) }) { _, _ in "twice" }
    }

    // MARK: The signatures

    private func signatureV1(_ moment: String) -> String {
        let signed = url.parameters.filter { Self.subResources.contains($0.name) || $0.name.hasPrefix("x-oss-") }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            .map { $0.value.isEmpty ? $0.name : "\($0.name)=\($0.value)" }
        let lines =
            [method, fields["content-md5"] ?? "", fields["content-type"] ?? "", moment]
            + lines { $0.hasPrefix("x-oss-") }
            + ["/\(bucket)/\(url.key ?? "?")" + (signed.isEmpty ? "" : "?" + signed.joined(separator: "&"))]
        return OSSAuthorization.signature(lines.joined(separator: "\n"), secret: secret)
    }

    private func signatureV4(_ date: String, _ names: String) -> String {
        let pairs = (url.query ?? "").split(separator: "&").map(String.init)
            .filter { !$0.hasPrefix("x-oss-signature=") }
            .map { $0.hasSuffix("=") ? String($0.dropLast()) : $0 }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let additional = names.split(separator: ";").map(String.init)
        let own = lines { name in
            name.hasPrefix("x-oss-") || ["content-type", "content-md5"].contains(name) || additional.contains(name)
        }
        let request =
            [method, "/\(bucket)\(url.path)", pairs.joined(separator: "&")] + own + ["", names, "UNSIGNED-PAYLOAD"]
        let hash = Digests.hex(Digests.sha256(Array(request.joined(separator: "\n").utf8)))
        let scope = Self.scope(date)
        var key = Array("aliyun_v4\(secret)".utf8)
        for part in scope.components(separatedBy: "/") + ["OSS4-HMAC-SHA256\n\(date)\n\(scope)\n\(hash)"] {
            key = Digests.hmacSHA256(key: key, Array(part.utf8))
        }
        return Digests.hex(key)
    }

    private var bucket: Substring { url.host.prefix { $0 != "." } }

    private func lines(where isSigned: (String) -> Bool) -> [String] {
        fields.filter { isSigned($0.key) }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .map { "\($0.key):\($0.value)" }
    }

    private static func scope(_ date: String) -> String {
        "\(date.prefix(8))/\(Setup.ossRegion)/oss/aliyun_v4_request"
    }

    private static func part(_ name: String, of field: String) -> String {
        field.components(separatedBy: ",").first { $0.hasPrefix(name + "=") }.map {
            String($0.dropFirst(name.count + 1))
        }
            ?? ""
    }

    private static func seconds(_ date: String?) -> Int64? {
        TestService.moment(-900...60, writtenAs: date, by: basicISO8601)
    }

    private static func expect(_ found: String?, _ expected: String) throws {
        guard found == expected else {
            throw Program.Failure(description: "\(found ?? "nothing") instead of \(expected)")
        }
    }

    /// Of those that version 1 signs, what a single object can have.
    private static let subResources: Set = [
        "acl", "append", "objectMeta", "partNumber", "position", "response-cache-control",
        "response-content-disposition", "response-content-encoding", "response-content-language",
        "response-content-type", "response-expires", "restore", "security-token", "symlink", "tagging", "uploadId",
        "uploads", "versionId",
    ]
}
