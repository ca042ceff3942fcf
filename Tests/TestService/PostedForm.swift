import Foundation

/// A form as OSS reads it, by code that shares nothing with the service (the vendor's pages "PostObject" and "A V4 signature in a
/// PostObject request"): what its policy says, once the signature is found to hold.
struct PostedForm {
    let url: SentURL
    /// All but the file.
    var fields: [String: String]
    let policy: JSON
    /// The policy as it was signed.
    let text: String

    /// - Throws: what does not hold.
    init(_ answer: JSON, accessKey: String = Setup.ossAccessKey) throws {
        url = try SentURL(answer["url"]?.string)
        fields = [:]
        for name in answer["fields"]?.names ?? [] { fields[name] = answer["fields"]?[name]?.string }
        let encoded = fields["policy"] ?? ""
        text = String(decoding: try Base64Text.decode(encoded, urlSafe: false), as: UTF8.self)
        policy = try JSON(text)
        if fields["x-oss-signature"] != nil {
            try verifyV4(encoded, accessKey)
        } else {
            let code = Digests.hmacSHA1(key: Array(Setup.ossSecret.utf8), Array(encoded.utf8))
            try expect(fields["Signature"], Base64Text.encode(code, urlSafe: false))
            try expect(fields["OSSAccessKeyId"], accessKey)
        }
    }

    private func verifyV4(_ encoded: String, _ accessKey: String) throws {
        let date = fields["x-oss-date"] ?? ""
        let day = String(date.prefix(8))
        try expect(fields["x-oss-signature-version"], "OSS4-HMAC-SHA256")
        try expect(fields["x-oss-credential"], "\(accessKey)/\(day)/cn-hangzhou/oss/aliyun_v4_request")
        var code = Array("aliyun_v4\(Setup.ossSecret)".utf8)
        for part in [day, "cn-hangzhou", "oss", "aliyun_v4_request", encoded] {
            code = Digests.hmacSHA256(key: code, Array(part.utf8))
        }
        try expect(fields["x-oss-signature"], Digests.hex(code))
        for name in ["x-oss-signature-version", "x-oss-credential", "x-oss-date"] where condition(name) == nil {
            throw Program.Failure(description: "the policy has no condition for \(name)")
        }
        let isRecent = moment(Answer.age, writtenAs: date, by: basicISO8601) != nil
        guard isRecent else { throw Program.Failure(description: "it was not signed now: \(date)") }
    }

    private func expect(_ found: String?, _ expected: String) throws {
        guard found == expected else {
            throw Program.Failure(description: "\(found ?? "nothing") instead of \(expected)")
        }
    }

    /// The conditions but version 4's own, each written as JSON of one line.
    var conditions: [JSON] {
        (policy["conditions"]?.list ?? []).filter { condition in
            !condition.names.contains {
                $0.hasPrefix("x-oss-signature") || ["x-oss-credential", "x-oss-date"].contains($0)
            }
        }
    }

    /// The one value that the policy has for a field.
    func condition(_ name: String) -> String? {
        for condition in policy["conditions"]?.list ?? [] {
            if let value = condition[name]?.string { return value }
        }
        return nil
    }

    /// When the policy ends.
    var expiration: String? { policy["expiration"]?.string }

    /// Which condition the vendor finds broken; nil where it takes the upload.
    /// - Parameters:
    ///   - size: the file's, in bytes.
    ///   - changes: fields that the client sends otherwise; nil for one that it leaves out.
    func fault(size: Int64, file: String = "cat.png", _ changes: [String: String?] = [:]) -> String? {
        var sent = sent(changes)
        sent["key"] = sent["key"]?.replacing("${filename}", with: file)
        sent["bucket"] = url.host.split(separator: ".").first.map(String.init)
        for condition in policy["conditions"]?.list ?? [] {
            for name in condition.names where sent[name.lowercased()] != condition[name]?.string { return name }
            guard let parts = condition.list else { continue }
            let name = String((parts.dropFirst().first?.string ?? "").dropFirst()).lowercased()
            let holds =
                switch parts.first {
                case "content-length-range":
                    parts.count == 3 && (parts[1].integer ?? .max) <= size && size <= (parts[2].integer ?? 0)
                case "eq": parts.count == 3 && sent[name] == parts[2].string
                case "starts-with": parts.count == 3 && sent[name]?.hasPrefix(parts[2].string ?? "?") == true
                case "in": parts.count == 3 && sent[name].map { parts[2].list?.contains(.string($0)) == true } == true
                default: false
                }
            if !holds { return name.isEmpty ? parts.first?.string ?? "?" : name }
        }
        return nil
    }

    /// The type that the vendor gives the object: it takes the field `x-oss-content-type` first, then the Content-Type of the file's
    /// own part, and the field `content-type` last ("PostObject", `x-oss-content-type`).
    /// - Parameters:
    ///   - part: the Content-Type of the file's part; nil where the part has none.
    ///   - changes: as `fault` has them.
    func objectType(part: String?, _ changes: [String: String?] = [:]) -> String {
        let sent = sent(changes)
        return sent["x-oss-content-type"] ?? part ?? sent["content-type"] ?? "application/octet-stream"
    }

    /// The fields that a client sends, by their names in lower case.
    private func sent(_ changes: [String: String?]) -> [String: String] {
        var sent = [String: String](uniqueKeysWithValues: fields.map { ($0.key.lowercased(), $0.value) })
        for (name, value) in changes { sent[name.lowercased()] = value }
        return sent
    }
}
