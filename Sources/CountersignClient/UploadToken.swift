/// A token with which files are uploaded to Qiniu Kodo or NetEase NOS.
public struct UploadToken: Sendable, Hashable {
    /// The vendors that have upload tokens.
    public enum Vendor: String, Sendable, Hashable, Codable {
        /// Qiniu Kodo; `/qiniu/uptoken`.
        case qiniu
        /// NetEase NOS; `/nos/token`.
        case nos
    }

    /// The token, as the vendor's SDKs take it.
    public let token: String
    /// The bucket.
    public let bucket: String
    /// The key that the token is for; nil where it is for all that begin with `keyPrefix`.
    public let key: String?
    /// What keys must begin with, where the token is for several.
    public let keyPrefix: String?
    /// Where the bucket is downloaded from, where the grant says so.
    public let domain: String?
    /// How long it holds.
    public let validity: Validity
}

extension UploadToken: ServiceAnswer {
    private enum CodingKeys: CodingKey { case token, bucket, key, keyPrefix, domain }

    /// From the service's answer.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        token = try members.decode(String.self, forKey: .token)
        bucket = try members.decode(String.self, forKey: .bucket)
        key = try members.decodeIfPresent(String.self, forKey: .key)
        keyPrefix = try members.decodeIfPresent(String.self, forKey: .keyPrefix)
        domain = try members.decodeIfPresent(String.self, forKey: .domain)
        validity = try Validity(from: decoder)
    }
}

extension UploadToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is for, without the token.
    public var description: String { "upload token for \(bucket) \(key ?? (keyPrefix ?? "") + "*")" }

    /// The same.
    public var debugDescription: String { description }

    /// The same: `dump` shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
