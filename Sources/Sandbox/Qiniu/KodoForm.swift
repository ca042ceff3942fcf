import Bytes

/// An upload by a form (`POST /` with multipart/form-data): `token`, `file`, and perhaps `key`, `crc32` and variables.
struct KodoForm {
    /// Bytes of a field that is no file: a token with the longest policy fits.
    private static let longestField = 64 * 1024
    /// The most that Kodo takes in one request.
    static let largestFile = 5 << 30

    let service: KodoService

    func answer(_ request: SandboxRequest, _ body: BodyReader, _ time: KodoTime) throws -> SandboxResponse {
        guard let form = MultipartForm(request, body) else { throw KodoRefusal.invalid("multipart form") }
        var fields = Fields()
        var content: KodoContent?
        var token: KodoUploadToken?
        var claim = KodoUploadClaim()
        while let part = try form.next() {
            guard part.name.elementsEqual("file".utf8) else {
                let value = try form.readAll(atMost: KodoForm.longestField)
                try fields.take(part.name, value, into: &claim)
                if part.name.elementsEqual("token".utf8) { token = try service.signatures.policy(of: value) }
                continue
            }
            guard content == nil else { throw KodoRefusal.invalid("argument: more than one file") }
            claim.fileName = part.filename ?? []
            claim.mediaType = part.mediaType
            content = try receive(form, token, time)
        }
        // A request that is cut short behind its form is no request.
        while try body.read() != nil {}
        guard let token else { throw KodoRefusal.noToken }
        guard let content else { throw KodoRefusal.invalid("argument: no file") }
        if let wanted = fields.crc32, wanted != content.crc32 { throw KodoRefusal.wrongChecksum }
        return try service.finish(content, claim, token, time).answer(isForm: true)
    }

    /// Takes the file. Where the token stands before it, what it does not allow is refused before all of it has come.
    private func receive(
        _ form: MultipartForm, _ token: KodoUploadToken?, _ time: KodoTime
    ) throws -> KodoContent {
        try token?.policy.checkDeadline(at: time.now())
        if let token, !service.store.hasBucket(token.policy.bucket) { throw KodoRefusal.noBucket }
        let content = try KodoContent(in: service.store)
        while let bytes = try form.read() {
            try content.append(bytes)
            try token?.policy.check(size: content.size, isWhole: false)
            guard content.size <= KodoForm.largestFile else { throw KodoRefusal.tooLarge }
        }
        return content
    }
}

/// The fields of a form beside the file, each at most once.
private struct Fields {
    private static let most = 200

    private var names: Set<[UInt8]> = []
    private(set) var crc32: UInt32?

    mutating func take(_ name: [UInt8], _ value: [UInt8], into claim: inout KodoUploadClaim) throws {
        guard names.insert(name).inserted, names.count <= Fields.most else {
            throw KodoRefusal.invalid("argument: \(name.text)")
        }
        switch name.text {
        case "key": claim.key = value
        case "crc32":
            guard let number = Decimal.parse(value.span, maximum: Int64(UInt32.max)) else {
                throw KodoRefusal.invalid("crc32")
            }
            crc32 = UInt32(truncatingIfNeeded: number)
        // Fields that mean nothing here, such as `accept`, are skipped.
        default: _ = try claim.add(name, value)
        }
    }
}
