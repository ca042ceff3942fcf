import Bytes
import Crypto

/// A content that has arrived whole: on the disk, but not an object yet.
struct NOSContent {
    let file: StagedFile
    let md5: [UInt8]

    /// Reads the content of an upload to its end, and compares it with Content-MD5, which is hexadecimal with this vendor.
    /// - Parameter most: bytes that it may have.
    init(_ request: SandboxRequest, _ body: BodyReader, atMost most: Int, in store: ObjectStore) throws {
        guard body.length ?? 0 <= most else { throw NOSRefusal.tooLarge }
        let announced = try NOSContent.announced(request)
        let digest = try RunningDigest(.md5)
        file = try store.stage()
        while let bytes = try body.read() {
            guard body.count <= most else { throw NOSRefusal.tooLarge }
            try digest.update(bytes.span)
            try file.write(bytes)
        }
        md5 = try digest.finish().bytes.array
        guard announced == nil || announced == md5 else { throw NOSRefusal.badDigest }
    }

    /// Parts one behind the other.
    init(joining parts: [UploadedPart], in store: ObjectStore) throws {
        file = try store.join(parts)
        let digest = try RunningDigest(.md5)
        guard let whole = ObjectFile(file.path), whole.size == file.size else {
            throw StoreFault.disk("what was joined cannot be read")
        }
        var index = 0
        while index < whole.size {
            let piece = whole.read(min(256 * 1024, whole.size - index), at: index)
            guard !piece.isEmpty else { throw StoreFault.disk("what was joined cannot be read") }
            try digest.update(piece.span)
            index += piece.count
        }
        md5 = try digest.finish().bytes.array
    }

    private static func announced(_ request: SandboxRequest) throws -> [UInt8]? {
        guard request.has("content-md5") else { return nil }
        guard let field = request.value(of: "content-md5"), let bytes = Hex.decode(field.span), bytes.count == 16 else {
            throw NOSRefusal.invalidDigest
        }
        return bytes
    }
}

extension ObjectDescription {
    /// What NOS keeps of the request that begins an upload: type and `x-nos-meta-` fields.
    init(_ request: SandboxRequest) {
        let type = request.value(of: "content-type") ?? []
        self.init(
            hash: [], mediaType: type.isEmpty ? Array("application/octet-stream;charset=UTF-8".utf8) : type,
            metadata: request.fields.compactMap { field in
                let name = field.name.map(\.lowercasedASCII)
                return name.span.begins(with: "x-nos-meta-") ? NameValue(name, field.value) : nil
            })
    }
}
