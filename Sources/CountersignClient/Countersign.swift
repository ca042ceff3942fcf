import Foundation

/// A client of one Countersign service, for one caller.
///
/// Make one and share it: it keeps upload tokens and temporary keys, renews them before they end, and asks the service once where
/// several tasks need the same. Every method throws `CountersignError` where the service refuses or cannot be reached, and
/// `CancellationError` where the task is cancelled.
public final class Countersign: Sendable {
    let service: ServiceClient
    let keeper: CredentialKeeper
    let transport: Transport
    let options: ClientOptions

    /// - Parameters:
    ///   - baseURL: where the service is, such as `https://tokens.example.com`; a path in it stays in front of every route.
    ///   - credential: what the caller shows.
    ///   - options: how patient the client is.
    public convenience init(
        baseURL: URL, credential: CallerCredential = .anonymous, options: ClientOptions = ClientOptions()
    ) {
        self.init(baseURL: baseURL, credential: credential, options: options, time: .continuous)
    }

    init(baseURL: URL, credential: CallerCredential, options: ClientOptions, time: TimeSource) {
        self.options = options
        transport = Transport(timeout: options.timeout)
        service = ServiceClient(
            baseURL: baseURL, credential: credential, transport: transport, retry: options.retry, time: time,
            clock: ServerClock(time))
        keeper = CredentialKeeper(service, renewing: options.renewal)
    }

    /// The time by the service's clock, as its last answer told it; by this device's before the first. Strings to sign need it:
    /// vendors refuse what is dated wrongly.
    public var now: Date { service.clock.now() }

    // MARK: What is kept

    /// An upload token. It is kept, unless the service chose the key: then every answer is for another object.
    /// - Parameter key: the object's whole key; nil for what the grant says.
    public func uploadToken(
        for key: String? = nil, at vendor: UploadToken.Vendor = .qiniu, options: RequestOptions = RequestOptions()
    ) async throws -> UploadToken {
        let question = Countersign.uploadToken(for: key, at: vendor, options: options)
        return try await keeper.credential(for: question) { (token: UploadToken) in key != nil || token.key == nil }
    }

    /// A temporary access key for Alibaba's SDKs. It is kept.
    /// - Parameters:
    ///   - key: one key, for a session of that alone, where the grant allows it.
    ///   - keyPrefix: a longer prefix than the grant's, for a session of that alone; it ends in `/`.
    public func stsCredentials(
        for key: String? = nil, keyPrefix: String? = nil, options: RequestOptions = RequestOptions()
    ) async throws -> STSCredentials {
        var question = Question("distribute-token.json", options)
        question.add("key", key)
        question.add("keyPrefix", keyPrefix)
        return try await keeper.credential(for: question)
    }

    // MARK: What is new each time

    /// A URL that carries its own signature, for one object; `/oss/presigned-url`, `/nos/presigned-url`.
    /// - Parameters:
    ///   - key: the object's whole key; nil for what the grant says.
    ///   - headers: fields that shall be signed, and that are sent.
    ///   - query: sub-resources and other parameters, such as `["uploadId": "…"]`; an empty value for a name alone.
    public func presignedURL(
        for key: String? = nil, at vendor: SignedRequest.Vendor = .oss, method: String = "GET",
        headers: [String: String] = [:], query: [String: String] = [:], options: RequestOptions = RequestOptions()
    ) async throws -> SignedRequest {
        var question = Question("\(vendor.rawValue)/presigned-url", options)
        question.add(key, vendor, method, headers, query)
        return try await service.ask(question).answer
    }

    /// A request about one object, signed in its header field `Authorization`; `/oss/authorization`, `/nos/authorization`. The
    /// parameters are those of `presignedURL`.
    public func signedRequest(
        for key: String? = nil, at vendor: SignedRequest.Vendor = .oss, method: String = "GET",
        headers: [String: String] = [:], query: [String: String] = [:], options: RequestOptions = RequestOptions()
    ) async throws -> SignedRequest {
        var question = Question("\(vendor.rawValue)/authorization", options)
        question.add(key, vendor, method, headers, query)
        return try await service.ask(question).answer
    }

    /// A URL to download one object of a private Kodo bucket by; `/qiniu/download-url`.
    /// - Parameters:
    ///   - key: the object's whole key; nil for what the grant says.
    ///   - query: one of the grant's queries, such as `imageView2/1/w/120`.
    public func downloadURL(
        for key: String? = nil, query: String? = nil, options: RequestOptions = RequestOptions()
    ) async throws -> SignedRequest {
        var question = Question("qiniu/download-url", options)
        question.add("key", key)
        question.add("query", query)
        return try await service.ask(question).answer
    }

    /// The signature over a string to sign of OSS, which the service reads first; `/oss/sign`.
    /// - Parameter stringToSign: exactly as the vendor's SDK made it, dated by `now`.
    public func signature(
        over stringToSign: String, version: Signature.Version = .v1, options: RequestOptions = RequestOptions()
    ) async throws -> Signature {
        var question = Question("oss/sign", options)
        question.add("contentToSign", stringToSign)
        if case .v4(let canonicalRequest) = version {
            question.add("version", "v4")
            question.add("canonicalRequest", canonicalRequest)
        }
        return try await service.ask(question).answer
    }

    /// A form to upload one object, or objects of one prefix, to OSS by; `/oss/post-policy`.
    /// - Parameters:
    ///   - contentType: the object's type, of those that the grant has.
    ///   - maxSize: the largest object, in bytes, if less than the grant's.
    public func postForm(
        for target: PostForm.Target = .grant, contentType: String? = nil, maxSize: Int64? = nil,
        options: RequestOptions = RequestOptions()
    ) async throws -> PostForm {
        var question = Question("oss/post-policy", options)
        switch target {
        case .key(let key): question.add("key", key)
        case .prefix(let prefix): question.add("keyPrefix", prefix)
        case .grant: break
        }
        question.add("contentType", contentType)
        question.add("maxSize", maxSize.map { String($0) })
        return try await service.ask(question).answer
    }

    static func uploadToken(for key: String?, at vendor: UploadToken.Vendor, options: RequestOptions) -> Question {
        var question = Question(vendor == .qiniu ? "qiniu/uptoken" : "nos/token", options)
        question.add(vendor == .qiniu ? "key" : "object", key)
        return question
    }
}

extension Question {
    fileprivate mutating func add(
        _ key: String?, _ vendor: SignedRequest.Vendor, _ method: String, _ headers: [String: String],
        _ query: [String: String]
    ) {
        add(vendor == .oss ? "key" : "object", key)
        add("method", method)
        add("header", headers, joinedBy: ":")
        add("query", query, joinedBy: "=")
    }
}
