/// The upload tokens of one upload: kept by the client, renewed before they end, and all for the same object.
actor TokenSource {
    private let client: Countersign
    private let vendor: UploadToken.Vendor
    private let options: RequestOptions
    private let wantedKey: String?
    /// The last one, and whether the vendor has refused it.
    private var last: UploadToken?
    private var renewsAt: Duration?

    init(_ client: Countersign, _ vendor: UploadToken.Vendor, key: String?, options: RequestOptions) {
        self.client = client
        self.vendor = vendor
        self.options = options
        wantedKey = key
    }

    /// - Throws: `UploadError.Reason`, `CountersignError`, `CancellationError`.
    func token() async throws -> UploadToken {
        // One whose key the service chose is not kept by the client.
        if let last, last.key != nil, wantedKey == nil, let renewsAt, client.service.time.now() < renewsAt {
            return last
        }
        let asked = client.service.time.now()
        let token = try await client.uploadToken(for: wantedKey, at: vendor, options: options)
        guard token.key != nil || wantedKey != nil else { throw UploadError.Reason.missingKey }
        guard last == nil || last?.key == token.key && last?.bucket == token.bucket else {
            throw UploadError.Reason.changedKey
        }
        last = token
        renewsAt = asked + (token.validity.lifetime ?? .seconds(1 << 40)) * 0.75
        return token
    }

    /// Forgets the last token: the vendor has refused it.
    func forget() async {
        renewsAt = nil
        guard let last else { return }
        await client.keeper.forget(
            last, for: Countersign.uploadToken(for: wantedKey, at: vendor, options: options))
    }
}
