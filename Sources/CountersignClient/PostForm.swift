import Foundation

/// A form with which a file is uploaded to OSS as `multipart/form-data`; `/oss/post-policy`.
public struct PostForm: Sendable, Hashable, ServiceAnswer {
    /// What a form is for.
    public enum Target: Sendable, Hashable {
        /// One object.
        case key(String)
        /// Any object whose key begins so; it ends in `/`.
        case prefix(String)
        /// What the grant says.
        case grant
    }

    /// Where the form is sent, by POST.
    public let url: URL
    /// The form's fields; the file comes behind them, as the field `file`.
    public let fields: [String: String]
    /// The bucket.
    public let bucket: String
    /// The object's key, if the form is for one.
    public let key: String?
    /// What the keys begin with, if it is for several.
    public let keyPrefix: String?
    /// How long it holds.
    public let validity: Validity

    private enum CodingKeys: CodingKey { case url, fields, bucket, key, keyPrefix }

    /// From the service's answer.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        url = try members.decode(URL.self, forKey: .url)
        fields = try members.decode([String: String].self, forKey: .fields)
        bucket = try members.decode(String.self, forKey: .bucket)
        key = try members.decodeIfPresent(String.self, forKey: .key)
        keyPrefix = try members.decodeIfPresent(String.self, forKey: .keyPrefix)
        validity = try Validity(from: decoder)
    }
}
