/// The upload tokens of one upload: kept by the client, renewed before they end, and all for the same object. Where the service has
/// chosen the key, each later token is asked for by that key.
actor TokenSource {
    /// The first token for a key that the service has chosen. The client does not keep it.
    private struct First {
        let token: UploadToken
        var renewal: Duration
        var end: Duration
    }

    private let client: Countersign
    private let vendor: UploadToken.Vendor
    private let options: RequestOptions
    private let wantedKey: String?
    /// The object's; nil until the service has chosen it.
    private(set) var key: String?
    private var last: UploadToken?
    private var first: First?

    /// - Parameters:
    ///   - key: the key that is asked for; nil for what the grant says.
    ///   - checkpoint: of an earlier upload of the same file, which had its key already.
    init(_ run: UploadRun, _ vendor: UploadToken.Vendor, key: String?, from checkpoint: UploadCheckpoint?) {
        client = run.client
        self.vendor = vendor
        options = run.options.request
        wantedKey = key
        self.key = key ?? checkpoint?.key
    }

    /// - Throws: `UploadError.Reason`, `CountersignError`, `CancellationError`.
    func token() async throws -> UploadToken {
        let asked = client.service.time.now()
        if let first, asked < first.renewal { return first.token }
        let token: UploadToken
        do {
            token = try await client.uploadToken(for: key, at: vendor, options: options)
        } catch let error as CountersignError {
            return try instead(after: error, at: asked)
        }
        if first == nil, key == nil, token.key != nil {
            let lifetime = token.validity.lifetime ?? .seconds(1 << 40)
            first = First(token: token, renewal: asked + lifetime * 0.75, end: asked + lifetime)
        } else {
            first = nil
        }
        guard let object = token.key ?? key else { throw UploadError.Reason.missingKey }
        guard key == nil || key == object, last == nil || last?.bucket == token.bucket else {
            throw UploadError.Reason.unrenewableKey
        }
        key = object
        last = token
        return token
    }

    /// What there is when the service gives no other token: the first one until its end.
    private func instead(after error: CountersignError, at now: Duration) throws -> UploadToken {
        guard wantedKey == nil, key != nil else { throw error }
        var isRefused = false
        if case .notInGrant = error { isRefused = true }
        guard isRefused || error.isTemporary else { throw error }
        guard let first, now < first.end else { throw isRefused ? UploadError.Reason.unrenewableKey : error }
        if isRefused { self.first?.renewal = first.end }
        return first.token
    }

    /// Forgets the last token: the vendor has refused it.
    func forget() async {
        first?.renewal = .zero
        first?.end = .zero
        guard let last else { return }
        await client.keeper.forget(last, for: Countersign.uploadToken(for: key, at: vendor, options: options))
    }
}
