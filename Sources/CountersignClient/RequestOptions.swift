/// What can be asked of every route besides what it is about.
public struct RequestOptions: Sendable, Hashable {
    /// The grant to use, where several would fit.
    public var grant: String?
    /// The bucket, where the grant leaves it open.
    public var bucket: String?
    /// The extension, such as `jpg`, that the service gives the key of a grant with `${ext}`.
    public var fileExtension: String?
    /// For how many seconds the credential shall hold. The grant has a standard and a maximum.
    public var lifetime: Int?
    /// Other parameters of the route by their names, such as `fsizeLimit`; docs/api.md lists them.
    public var parameters: [String: String]

    /// Whatever is left out is left to the grant.
    public init(
        grant: String? = nil, bucket: String? = nil, fileExtension: String? = nil, lifetime: Int? = nil,
        parameters: [String: String] = [:]
    ) {
        self.grant = grant
        self.bucket = bucket
        self.fileExtension = fileExtension
        self.lifetime = lifetime
        self.parameters = parameters
    }
}
