import Bytes
import Crypto
import HTTP

/// Uploads by token (`x-nos-token`), as apps and web pages do them: an object comes in pieces of at most 4 MiB, each of which says where
/// it belongs; the last one makes the object.
struct NOSDirectUploads {
    /// The longest piece, in bytes.
    static let longestPiece = 4 << 20

    let accounts: VendorAccounts
    let store: ObjectStore
    /// By context; pieces are numbered from 0 on.
    let contexts: PartUploads
    let callbacks: NOSCallback

    /// What a client says of a piece in the query.
    private struct Piece {
        let offset: Int
        let isLast: Bool
        /// nil at the beginning.
        let context: [UInt8]?

        init(_ target: NOSTarget) throws(NOSRefusal) {
            guard let digits = target.value("offset"), let offset = Decimal.parse(digits.span) else {
                throw .malformed("offset must be a whole number")
            }
            let complete = target.value("complete") ?? []
            isLast = complete.elementsEqual("true".utf8)
            guard isLast || complete.elementsEqual("false".utf8) else {
                throw .malformed("complete must be true or false")
            }
            self.offset = Int(offset)
            context = target.value("context").flatMap { $0.isEmpty ? nil : $0 }
            guard context != nil || offset == 0 else { throw .malformed("offset must be 0 without a context") }
        }
    }

    func answer(
        _ request: SandboxRequest, _ target: NOSTarget, _ body: BodyReader, _ requestID: [UInt8], at now: Int64
    ) throws -> SandboxResponse {
        guard let token = request.value(of: "x-nos-token") else { throw NOSRefusal.token("is missing") }
        let policy = try NOSPutPolicy(token, by: accounts, at: now)
        guard let bucket = target.bucket, let key = target.key else {
            throw NOSRefusal.malformed("the path must be /bucket/object")
        }
        guard bucket == policy.bucket else { throw NOSRefusal.token("is for another bucket") }
        guard key == policy.object else { throw NOSRefusal.token("is for another object") }
        guard store.hasBucket(bucket) else { throw NOSRefusal.noSuchBucket }
        guard target.value("version")?.elementsEqual("1.0".utf8) ?? false else {
            throw NOSRefusal.malformed("version must be 1.0")
        }
        if target.has("uploadContext") {
            guard request.isMethod("GET") else { throw NOSRefusal.methodNotAllowed }
            let upload = try find(target.value("context") ?? [], policy)
            return NOSDirectUploads.json(requestID, upload.size, target.value("context") ?? [])
        }
        guard request.isMethod("POST") else { throw NOSRefusal.methodNotAllowed }
        return try take(try Piece(target), request, body, policy, requestID, at: now)
    }

    private func take(
        _ piece: Piece, _ request: SandboxRequest, _ body: BodyReader, _ policy: NOSPutPolicy, _ requestID: [UInt8],
        at now: Int64
    ) throws -> SandboxResponse {
        let begun = try piece.context.map { try find($0, policy) }
        let upload =
            begun
            ?? PartUpload(
                bucket: policy.bucket, key: policy.object, description: ObjectDescription(request), time: now)
        guard piece.offset == upload.size else {
            throw NOSRefusal.malformed("offset must be \(upload.size), where the next piece begins")
        }
        guard policy.admits(upload.mediaType) else { throw NOSRefusal.token("does not allow this Content-Type") }
        guard policy.overwrites || store.object(policy.object, in: policy.bucket) == nil else {
            throw NOSRefusal.exists
        }
        let content = try NOSContent(request, body, atMost: NOSDirectUploads.longestPiece, in: store)
        let size = upload.size + content.file.size
        guard size <= policy.sizeMax else { throw NOSRefusal.token("allows at most \(policy.sizeMax) bytes") }
        guard !piece.isLast || size >= policy.sizeMin else {
            throw NOSRefusal.token("asks for at least \(policy.sizeMin) bytes")
        }
        guard piece.isLast else {
            let context = try piece.context ?? contexts.begin(upload)
            try add(content, to: context, behind: upload, at: now)
            return NOSDirectUploads.json(requestID, size, context)
        }
        var whole = content
        if piece.context != nil {
            let pieces = upload.pieces + [NOSDirectUploads.part(content, at: now)]
            whole = try NOSContent(joining: pieces, in: store)
        }
        var description = upload.description
        description.hash = Hex.encode(whole.md5)
        let object = try store.put(
            whole.file, description, as: policy.object, in: policy.bucket, at: now, replaces: policy.overwrites)
        if let context = piece.context { contexts.end(context) }
        return NOSDirectUploads.json(
            requestID, size, piece.context ?? [], callback: try callbacks.send(policy, object))
    }

    private func add(
        _ content: NOSContent, to context: [UInt8], behind upload: PartUpload, at now: Int64
    ) throws(NOSRefusal) {
        // An empty piece would have a number that the next one takes.
        guard content.file.size > 0 else { return }
        let part = NOSDirectUploads.part(content, at: now)
        guard contexts.add(part, number: upload.parts.count, to: context) else { throw .noSuchContext }
    }

    private func find(_ context: [UInt8], _ policy: NOSPutPolicy) throws(NOSRefusal) -> PartUpload {
        guard let upload = contexts.upload(context, of: policy.object, in: policy.bucket) else { throw .noSuchContext }
        return upload
    }

    private static func part(_ content: NOSContent, at now: Int64) -> UploadedPart {
        UploadedPart(
            size: content.file.size, hash: Hex.encode(content.md5), time: now, file: PartFile(content.file))
    }

    /// - Parameter callback: what the server of the callback answered; nil where there was none.
    private static func json(
        _ requestID: [UInt8], _ offset: Int, _ context: [UInt8], callback: [UInt8]? = nil
    ) -> SandboxResponse {
        var out = ByteWriter(capacity: 256)
        out.append(object: { json in
            json.add("requestID", requestID)
            json.add("offset", offset)
            json.add("context", context)
            if let callback { json.add("callbackRetMsg", Base64.standard.encode(callback)) }
        })
        return SandboxResponse(200, "application/json; charset=utf-8", out.array)
    }
}

extension PartUpload {
    /// Bytes that have come.
    fileprivate var size: Int { parts.values.reduce(0) { $0 + $1.size } }

    /// In their order.
    fileprivate var pieces: [UploadedPart] { parts.sorted { $0.key < $1.key }.map(\.value) }

    /// In lower case, without parameters.
    fileprivate var mediaType: [UInt8] {
        Array(description.mediaType.prefix { $0 != UInt8(ascii: ";") }).span.trimmed.array.map(\.lowercasedASCII)
    }
}
