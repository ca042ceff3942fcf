/// The signature over a string to sign of OSS; `/oss/sign`.
public struct Signature: Sendable, Hashable, ServiceAnswer {
    /// The version of OSS's signature.
    public enum Version: Sendable, Hashable {
        /// Version 1.
        case v1
        /// Version 4, with the canonical request whose hash the string to sign has: without it the service does not know what it
        /// signs, and refuses.
        case v4(canonicalRequest: String)
    }

    /// The signature: base64, or of version 4 hex.
    public let signature: String
    /// The value of the header field `Authorization`; of version 1 only.
    public let authorization: String?
    /// Whose key signed.
    public let accessKeyId: String
    /// The bucket that the string is about.
    public let bucket: String?
    /// The key that the string is about.
    public let key: String?
    /// How long it holds.
    public let validity: Validity

    private enum CodingKeys: CodingKey { case signature, authorization, accessKeyId, bucket, key }

    /// From the service's answer.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        signature = try members.decode(String.self, forKey: .signature)
        authorization = try members.decodeIfPresent(String.self, forKey: .authorization)
        accessKeyId = try members.decode(String.self, forKey: .accessKeyId)
        bucket = try members.decodeIfPresent(String.self, forKey: .bucket)
        key = try members.decodeIfPresent(String.self, forKey: .key)
        validity = try Validity(from: decoder)
    }
}
