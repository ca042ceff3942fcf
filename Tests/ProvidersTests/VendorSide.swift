import Foundation

@testable import Bytes
@testable import Crypto

/// What the vendors do with what we sign, after their documents and with none of our signers: each gives back the object that a
/// text is good for, nil when its signature does not hold.
enum VendorSide {
    /// Qiniu's `download-token` page: `token` comes last, and signs everything before it.
    static func object(ofDownload url: String, _ key: SigningKey) throws -> [UInt8]? {
        guard let mark = url.range(of: "&token=", options: .backwards) else { return nil }
        let signed = String(url[..<mark.lowerBound])
        let token = try "\(key.accessKey.text):\(key.sha1.signature(over: signed, .urlSafe))"
        guard url[mark.upperBound...] == token, SplitURL(signed).parameter("e").flatMap(Int64.init) != nil else {
            return nil
        }
        return SplitURL(signed).key
    }

    /// Qiniu's CDN: `sign` is the MD5 of key, path and `t`.
    static func object(ofAntiLeech url: String, _ secret: String) throws -> [UInt8]? {
        let split = SplitURL(url)
        guard let time = split.parameter("t"), let sign = split.parameter("sign") else { return nil }
        let digest = try Digest(.md5, of: Array((secret + split.path + time).utf8).span)
        let hex = digest.bytes.array.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return sign == hex ? split.key : nil
    }

    /// Qiniu's `upload-token` and `put-policy` pages; the scope is cut at its first colon.
    static func object(ofUpload token: String, _ key: SigningKey) throws -> (bucket: [UInt8], key: [UInt8])? {
        let parts = token.components(separatedBy: ":")
        guard parts.count == 3, parts[0] == key.accessKey.text,
            try key.sha1.signature(over: parts[2], .urlSafe) == parts[1], let policy = decoded(parts[2])
        else { return nil }
        let scope = try JSON.read(policy)["scope"]?.bytes ?? []
        guard let colon = scope.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (Array(scope[..<colon]), Array(scope[(colon + 1)...]))
    }

    /// NOS's `accessControl` page, for a URL without headers or sub-resources. The server may take the path as it came, or
    /// decode it and encode it again as Java's URLEncoder does: it must not matter.
    static func object(ofNOS url: String, bucket: String, method: String, _ key: SigningKey) throws -> [UInt8]? {
        let split = SplitURL(url)
        guard let object = split.key, split.parameter("NOSAccessKeyId") == key.accessKey.text,
            let expires = split.parameter("Expires"),
            let signature = split.parameter("Signature")?.removingPercentEncoding
        else { return nil }
        for path in [split.path, "/" + javaEncoded(object)] {
            let text = "\(method)\n\n\n\(expires)\n/\(bucket)\(path)"
            guard try key.sha256.signature(over: text, .standard) == signature else { return nil }
        }
        return object
    }

    /// Url-safe base64 with its padding.
    static func decoded(_ text: String) -> Data? {
        Data(
            base64Encoded: text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/"))
    }

    private static func javaEncoded(_ bytes: [UInt8]) -> String {
        PercentText.encode(bytes, keeping: "-_.*")
    }
}
