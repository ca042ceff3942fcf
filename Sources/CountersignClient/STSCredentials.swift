/// A temporary access key of Alibaba Cloud, for its SDKs; `/distribute-token.json`.
public struct STSCredentials: Sendable, Hashable {
    /// The public half of the key.
    public let accessKeyId: String
    /// The secret key.
    public let accessKeySecret: String
    /// What has to be sent along with every request.
    public let securityToken: String
    /// What the key is for.
    public let scope: Scope?
    /// How long it holds. Its `serverTime` is the answer's `Date`.
    public let validity: Validity

    /// What a temporary key is for.
    public struct Scope: Sendable, Hashable, Decodable {
        /// The bucket.
        public let bucket: String
        /// What keys must begin with, if it is for several.
        public let prefix: String?
        /// The key, if it is for one.
        public let key: String?
        /// The bucket's region, if the service knows it.
        public let region: String?
        /// The bucket's host, if the service knows it.
        public let endpoint: String?

        private enum CodingKeys: String, CodingKey {
            case bucket = "Bucket"
            case prefix = "Prefix"
            case key = "Key"
            case region = "Region"
            case endpoint = "Endpoint"
        }
    }
}

extension STSCredentials: ServiceAnswer {
    private enum CodingKeys: String, CodingKey {
        case accessKeyId = "AccessKeyId"
        case accessKeySecret = "AccessKeySecret"
        case securityToken = "SecurityToken"
        case scope = "Scope"
    }

    /// From the service's answer.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        accessKeyId = try members.decode(String.self, forKey: .accessKeyId)
        accessKeySecret = try members.decode(String.self, forKey: .accessKeySecret)
        securityToken = try members.decode(String.self, forKey: .securityToken)
        scope = try members.decodeIfPresent(Scope.self, forKey: .scope)
        validity = try Validity(from: decoder)
    }
}

extension STSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whose key it is, without its secrets.
    public var description: String { "temporary key \(accessKeyId)" }

    /// The same.
    public var debugDescription: String { description }

    /// The same: `dump` shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
