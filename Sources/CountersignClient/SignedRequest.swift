import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request to a vendor that the service has signed: in its URL, or in its header fields.
public struct SignedRequest: Sendable, Hashable {
    /// The vendors whose requests are signed.
    public enum Vendor: String, Sendable, Hashable, Codable {
        /// Alibaba Cloud OSS.
        case oss
        /// NetEase NOS.
        case nos
    }

    /// The method.
    public let method: String
    /// The URL.
    public let url: URL
    /// All header fields that have to be sent; no other `Content-Type`, `Content-MD5`, `x-oss-` or `x-nos-` field may be.
    public let headers: [String: String]
    /// The bucket, where the answer names it.
    public let bucket: String?
    /// The key that the request is about.
    public let key: String?
    /// How long it holds.
    public let validity: Validity

    /// The same for a URL session, without a body.
    public var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }
}

extension SignedRequest: ServiceAnswer {
    private enum CodingKeys: CodingKey { case method, url, headers, bucket, key }

    /// From the service's answer.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        // A Qiniu download has no other.
        method = try members.decodeIfPresent(String.self, forKey: .method) ?? "GET"
        url = try members.decode(URL.self, forKey: .url)
        headers = try members.decodeIfPresent([String: String].self, forKey: .headers) ?? [:]
        bucket = try members.decodeIfPresent(String.self, forKey: .bucket)
        key = try members.decodeIfPresent(String.self, forKey: .key)
        validity = try Validity(from: decoder)
    }
}

extension SignedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, host and path, without the signature.
    public var description: String { "\(method) \(url.host() ?? "")\(url.path())" }

    /// The same.
    public var debugDescription: String { description }

    /// The same: `dump` shows no signature either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
