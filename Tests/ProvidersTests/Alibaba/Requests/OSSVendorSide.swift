import Foundation

@testable import Bytes
@testable import Crypto

/// OSS as its documents describe it, with none of our signers: it reads a request as it arrives, and gives back the object that
/// the request's signature is good for; nil when the signature does not hold. Everything is bytes: texts that Swift takes for
/// equal are not.
struct OSSVendorSide {
    var accessKey = "AK"
    var secret = Array("sécret-1234567890".utf8)
    var token: String?
    var region = "cn-hangzhou"

    /// A request on its way.
    struct Arrival {
        var method: String
        var url: String
        var fields: [(String, String)] = []

        func with(_ change: (inout Arrival) -> Void) -> Arrival {
            var changed = self
            change(&changed)
            return changed
        }
    }

    private struct Pair {
        let name: [UInt8]
        let value: [UInt8]
    }

    func object(of arrival: Arrival) throws -> [UInt8]? {
        let split = SplitURL(arrival.url)
        guard let key = split.key, let host = split.authority.split(separator: ".").first else { return nil }
        var query: [Pair] = []
        for part in (split.query ?? "").split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let name = decoded(halves[0]), let value = decoded(halves.count > 1 ? halves[1] : "") else {
                return nil
            }
            query.append(Pair(name: name, value: value))
        }
        let authorization = arrival.fields.first { $0.0.lowercased() == "authorization" }?.1
        let resource = Array("/\(host)/".utf8) + key
        let isGood =
            if let authorization, authorization.hasPrefix("OSS ") {
                try holdsV1(arrival, resource, query, authorization)
            } else if let authorization {
                try holdsV4(arrival, resource, query, authorization)
            } else if value("Signature", of: query) != nil {
                try holdsV1(arrival, resource, query, nil)
            } else {
                try holdsV4(arrival, resource, query, nil)
            }
        return isGood ? key : nil
    }

    /// "Include signatures in the Authorization header", "Add signatures to URLs".
    private func holdsV1(
        _ arrival: Arrival, _ resource: [UInt8], _ query: [Pair], _ authorization: String?
    ) throws -> Bool {
        let fields = fields(of: arrival)
        let moment: [UInt8]
        let claim: [UInt8]
        if let authorization {
            guard let date = value("x-oss-date", of: fields) ?? value("date", of: fields),
                value("x-oss-security-token", of: fields)?.text == token
            else { return false }
            (moment, claim) = (date, Array(authorization.utf8))
        } else {
            guard let end = value("Expires", of: query), let signature = value("Signature", of: query),
                let name = value("OSSAccessKeyId", of: query), value("security-token", of: query)?.text == token
            else { return false }
            (moment, claim) = (end, Array("OSS ".utf8) + name + Array(":".utf8) + signature)
        }
        let signed = query.filter { pair in
            Self.subResources.contains(pair.name.text) || pair.name.starts(with: "x-oss-".utf8)
        }.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        let subResources = signed.map { $0.name + ($0.value.isEmpty ? [] : Array("=".utf8) + $0.value) }
        var text = Array(arrival.method.utf8) + [0x0A] + (value("content-md5", of: fields) ?? []) + [0x0A]
        text += (value("content-type", of: fields) ?? []) + [0x0A] + moment + [0x0A]
        text += lines(of: fields) { $0.starts(with: "x-oss-".utf8) } + resource
        if !signed.isEmpty { text += Array("?".utf8) + subResources.joined(separator: "&".utf8) }
        let code = try HMACKey(.sha1, Secret(secret)).sign(text.span).bytes.array
        return claim == Array("OSS \(accessKey):\(Base64.standard.encode(code).text)".utf8)
    }

    /// "Include a V4 signature in the Authorization header", "Add V4 signatures to URLs".
    private func holdsV4(
        _ arrival: Arrival, _ resource: [UInt8], _ query: [Pair], _ authorization: String?
    ) throws -> Bool {
        let fields = fields(of: arrival)
        var parts: [String: String] = [:]
        var (date, known) = ("", token)
        if let authorization {
            guard authorization.hasPrefix("OSS4-HMAC-SHA256 ") else { return false }
            for part in authorization.dropFirst(17).components(separatedBy: ",") {
                let halves = part.components(separatedBy: "=")
                parts[halves[0]] = halves.dropFirst().joined(separator: "=")
            }
            guard value("x-oss-content-sha256", of: fields)?.text == "UNSIGNED-PAYLOAD" else { return false }
            date = value("x-oss-date", of: fields)?.text ?? ""
            known = value("x-oss-security-token", of: fields)?.text
        } else {
            guard value("x-oss-signature-version", of: query)?.text == "OSS4-HMAC-SHA256",
                let life = value("x-oss-expires", of: query).flatMap({ Int($0.text) }), (1...604_800).contains(life)
            else { return false }
            parts["Credential"] = value("x-oss-credential", of: query)?.text
            parts["AdditionalHeaders"] = value("x-oss-additional-headers", of: query)?.text
            parts["Signature"] = value("x-oss-signature", of: query)?.text
            date = value("x-oss-date", of: query)?.text ?? ""
            known = value("x-oss-security-token", of: query)?.text
        }
        let scope = "\(date.prefix(8))/\(region)/oss/aliyun_v4_request"
        guard known == token, parts["Credential"] == "\(accessKey)/\(scope)", parts["AdditionalHeaders"] != "" else {
            return false
        }
        let additional = (parts["AdditionalHeaders"] ?? "").components(separatedBy: ";")
        let pairs = query.filter { $0.name.text != "x-oss-signature" }
            .map { encoded($0.name) + ($0.value.isEmpty ? "" : "=" + encoded($0.value)) }
            // Of two equal beginnings the shorter one comes first, whatever follows it.
            .sorted { $0.split(separator: "=")[0].utf8.lexicographicallyPrecedes($1.split(separator: "=")[0].utf8) }
        var text = Array(
            "\(arrival.method)\n\(encoded(resource, keeping: "/"))\n\(pairs.joined(separator: "&"))\n".utf8)
        text += lines(of: fields) { name in
            name.starts(with: "x-oss-".utf8) || ["content-type", "content-md5"].contains(name.text)
                || additional.contains(name.text)
        }
        text += Array("\n\(parts["AdditionalHeaders"] ?? "")\nUNSIGNED-PAYLOAD".utf8)
        let hash = try Digest(.sha256, of: text.span).bytes.array
        var key = Array("aliyun_v4".utf8) + secret
        let signed = "OSS4-HMAC-SHA256\n\(date)\n\(scope)\n\(Hex.encode(hash).text)"
        for part in scope.components(separatedBy: "/") + [signed] {
            key = try HMACKey(.sha256, Secret(key)).sign(Array(part.utf8).span).bytes.array
        }
        return parts["Signature"] == Hex.encode(key).text
    }

    /// Names in lower case, sorted, and those of one name as they came.
    private func fields(of arrival: Arrival) -> [Pair] {
        let fields = arrival.fields.map { name, value in
            (name.lowercased(), Array(value.trimmingCharacters(in: [" ", "\t"]).utf8))
        }
        let names = Set(fields.map(\.0)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return names.map { name in
            let values = fields.filter { $0.0 == name }.map(\.1)
            return Pair(name: Array(name.utf8), value: Array(values.joined(separator: ",".utf8)))
        }
    }

    private func lines(of fields: [Pair], where isSigned: ([UInt8]) -> Bool) -> [UInt8] {
        var lines: [UInt8] = []
        for field in fields where isSigned(field.name) {
            lines += field.name
            lines.append(UInt8(ascii: ":"))
            lines += field.value
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }

    private func value(_ name: String, of pairs: [Pair]) -> [UInt8]? {
        let found = pairs.filter { $0.name == Array(name.utf8) }
        return found.count == 1 ? found[0].value : nil
    }

    private func decoded(_ text: String) -> [UInt8]? { SplitURL("x://x/" + text).key ?? (text.isEmpty ? [] : nil) }

    private func encoded(_ bytes: [UInt8], keeping marks: String = "") -> String {
        PercentText.encode(bytes, keeping: "-_.~" + marks)
    }

    /// The parameters that version 1 signs, of those that a single object can have.
    private static let subResources: Set = [
        "acl", "append", "callback", "callback-var", "img", "objectInfo", "objectMeta", "partNumber", "position",
        "response-cache-control", "response-content-disposition", "response-content-encoding",
        "response-content-language", "response-content-type", "response-expires", "restore", "security-token",
        "symlink",
        "tagging", "uploadId", "uploads", "versionId",
    ]
}
