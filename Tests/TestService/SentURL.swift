import Foundation
import Testing

/// A URL as an HTTP client sends it, in parts, none of them decoded.
struct SentURL {
    let text: String
    let scheme: String
    /// With the port.
    let host: String
    let path: String
    /// Without the question mark; nil where there is none.
    let query: String?

    init(_ text: String?) throws {
        let text = text ?? ""
        let parts = text.components(separatedBy: "://")
        let slash = parts.last?.firstIndex(of: "/")
        guard parts.count == 2, let slash, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains("#") else {
            throw Program.Failure(description: "no URL that can be sent: \(text)")
        }
        self.text = text
        scheme = parts[0]
        host = String(parts[1][..<slash])
        let target = String(parts[1][slash...])
        let mark = target.firstIndex(of: "?")
        path = String(target[..<(mark ?? target.endIndex)])
        query = mark.map { String(target[target.index(after: $0)...]) }
    }

    /// Path and query, as they stand on a request line.
    var target: String { path + (query.map { "?" + $0 } ?? "") }

    /// The decoded path without its slash.
    var key: String? { String(path.dropFirst()).removingPercentEncoding }

    /// Names and values of the query, decoded, in order.
    var parameters: [(name: String, value: String)] {
        (query ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (
                parts[0].removingPercentEncoding ?? "?",
                (parts.count > 1 ? parts[1] : "").removingPercentEncoding ?? "?"
            )
        }
    }

    /// The value of a parameter that is there once.
    func parameter(_ name: String) -> String? {
        let values = parameters.filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }
}

/// What vendors find when they verify, by code that shares nothing with the service: an error says what does not hold.
enum Verified {
    /// Qiniu's `download-token` page. The signature is over all that stands before `&token=`.
    static func download(_ text: String?) throws -> (url: SentURL, deadline: Int64?) {
        let url = try SentURL(text)
        guard let mark = url.text.range(of: "&token=", options: .backwards) else {
            throw Program.Failure(description: "no token: \(url.text)")
        }
        let signed = String(url.text[..<mark.lowerBound])
        try expect(String(url.text[mark.upperBound...]), "\(Setup.qiniuAccessKey):\(qiniu(signed))")
        return (url, url.parameter("e").flatMap(Int64.init))
    }

    /// Timestamp anti-leech: `sign` is MD5 of key, encoded path and `t`.
    static func antiLeech(_ text: String?) throws -> (url: SentURL, deadline: Int64?) {
        let url = try SentURL(text)
        let time = url.parameter("t") ?? ""
        let signed = Digests.md5(Array((Setup.cdnKey + url.path + time).utf8))
        try expect(url.parameter("sign") ?? "none", Digests.hex(signed))
        return (url, Int64(time, radix: 16))
    }

    /// Qiniu's `access-token` page: version 2 of a request without a body.
    static func management(_ answer: JSON) throws -> SentURL {
        let url = try SentURL(answer["url"]?.string)
        let headers = answer["headers"]
        let type = headers?["Content-Type"]?.string ?? ""
        let signed =
            "\(answer["method"]?.string ?? "") \(url.target)\nHost: \(url.host)\nContent-Type: \(type)\n"
            + "X-Qiniu-Date: \(headers?["X-Qiniu-Date"]?.string ?? "")\n\n"
        try expect(headers?["Authorization"]?.string ?? "none", "Qiniu \(Setup.qiniuAccessKey):\(qiniu(signed))")
        return url
    }

    /// The same page: version 1.
    static func qbox(_ answer: JSON) throws -> SentURL {
        let url = try SentURL(answer["url"]?.string)
        let signed = url.target + "\n"
        try expect(
            answer["headers"]?["Authorization"]?.string ?? "none", "QBox \(Setup.qiniuAccessKey):\(qiniu(signed))")
        return url
    }

    /// NOS's `accessControl` page; the bucket is the first label of the host.
    static func nosHeader(_ answer: JSON) throws -> SentURL {
        let url = try SentURL(answer["url"]?.string)
        let signature = nos(answer, url, moment: answer["headers"]?["Date"]?.string ?? "")
        try expect(
            answer["headers"]?["Authorization"]?.string ?? "none", "NOS \(Setup.nosAccessKey):\(signature)")
        return url
    }

    static func nosURL(_ answer: JSON) throws -> (url: SentURL, deadline: Int64?) {
        let url = try SentURL(answer["url"]?.string)
        let end = url.parameter("Expires") ?? ""
        try expect(url.parameter("NOSAccessKeyId") ?? "none", Setup.nosAccessKey)
        try expect(url.parameter("Signature") ?? "none", nos(answer, url, moment: end))
        return (url, Int64(end))
    }

    private static func nos(_ answer: JSON, _ url: SentURL, moment: String) -> String {
        var fields: [String: String] = [:]
        for name in answer["headers"]?.names ?? [] {
            fields[name.lowercased()] = answer["headers"]?[name]?.string
        }
        let signed = ["acl", "uploads", "uploadId", "partNumber", "versionId", "delete", "deduplication"]
        let subResources = url.parameters.filter { signed.contains($0.name) }.sorted { $0.name < $1.name }
            .map { $0.value.isEmpty ? $0.name : "\($0.name)=\($0.value)" }
        let bucket = url.host.prefix { $0 != "." }
        let lines =
            [answer["method"]?.string ?? "", fields["content-md5"] ?? "", fields["content-type"] ?? "", moment]
            + fields.filter { $0.key.hasPrefix("x-nos-") }.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
            + ["/\(bucket)\(url.path)" + (subResources.isEmpty ? "" : "?" + subResources.joined(separator: "&"))]
        let code = Digests.hmacSHA256(key: Array(Setup.nosSecret.utf8), Array(lines.joined(separator: "\n").utf8))
        return Base64Text.encode(code, urlSafe: false)
    }

    /// The vendor's Python SDK, `Bucket.sign_rtmp_url`, told by other code: an HMAC-SHA1 over end, parameters and channel.
    static func stream(
        _ text: String?, accessKey: String = Setup.ossAccessKey
    ) throws -> (url: SentURL, deadline: Int64) {
        let url = try SentURL(text)
        let own = ["OSSAccessKeyId", "Expires", "Signature"]
        let lines = url.parameters.filter { !own.contains($0.name) }.sorted { $0.name < $1.name }
            .map { "\($0.name):\($0.value)\n" }.joined()
        let (bucket, end) = (url.host.split(separator: ".")[0], url.parameter("Expires") ?? "")
        guard url.scheme == "rtmp", url.path.hasPrefix("/live/"), let deadline = Int64(end) else {
            throw Program.Failure(description: "no RTMP URL: \(url.text)")
        }
        let signed = "\(end)\n\(lines)/\(bucket)/\(url.path.dropFirst(6))"
        let code = Digests.hmacSHA1(key: Array(Setup.ossSecret.utf8), Array(signed.utf8))
        guard url.parameter("Signature") == Base64Text.encode(code, urlSafe: false),
            url.parameter("OSSAccessKeyId") == accessKey
        else { throw Program.Failure(description: "the signature does not hold: \(url.text)") }
        return (url, deadline)
    }

    private static func qiniu(_ text: String) -> String {
        let code = Digests.hmacSHA1(key: Array(Setup.qiniuSecret.utf8), Array(text.utf8))
        return Base64Text.encode(code, urlSafe: true)
    }

    private static func expect(_ found: String, _ expected: String) throws {
        guard found == expected else { throw Program.Failure(description: "signed \(found) instead of \(expected)") }
    }
}

extension Answer {
    /// The members that the service puts into every answer: by which grant, and until when.
    func expectTerms(
        grant: String, lifetime: Int64, limitedBy: String, deadline: Int64?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectSuccess(sourceLocation: sourceLocation)
        #expect(json["grant"] == .string(grant), sourceLocation: sourceLocation)
        #expect(json["expiresIn"] == .integer(lifetime), sourceLocation: sourceLocation)
        #expect(json["limitedBy"] == .string(limitedBy), sourceLocation: sourceLocation)
        guard let deadline else { return }
        #expect(Answer.age.contains(deadline - lifetime - now), sourceLocation: sourceLocation)
        #expect(json["expiresAt"] == .string(iso8601(deadline)), sourceLocation: sourceLocation)
        #expect(json["serverTime"] == .string(iso8601(deadline - lifetime)), sourceLocation: sourceLocation)
    }

    static let terms: Set = ["grant", "expiresAt", "expiresIn", "limitedBy", "serverTime"]
}
