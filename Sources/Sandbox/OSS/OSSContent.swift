import Bytes
import Crypto

/// A content that has arrived whole: on the disk, but not an object yet.
struct OSSContent {
    let file: StagedFile
    /// Sixteen bytes.
    let md5: [UInt8]
    let checksum: UInt64

    /// The largest object that one request can upload: 5 GiB.
    static let most = 5 << 30

    /// Takes a content piece by piece.
    /// - Parameters:
    ///   - next: the next bytes, nil when there are no more.
    ///   - most: more than this many bytes are refused.
    init(in store: ObjectStore, atMost most: Int = OSSContent.most, _ next: () throws -> [UInt8]?) throws {
        let digest = try RunningDigest(.md5)
        var crc = CRC64()
        file = try store.stage()
        while let bytes = try next() {
            guard file.size + bytes.count <= most else { throw OSSError.entityTooLarge }
            try digest.update(bytes.span)
            crc.update(bytes.span)
            try file.write(bytes)
        }
        md5 = try digest.finish().bytes.array
        checksum = crc.value
    }

    /// Takes the content of a request, and compares it with its Content-MD5.
    init(of call: OSSSide.Call, in store: ObjectStore) throws {
        let head = call.request.head
        guard head.has("content-length") || head.has("transfer-encoding") else { throw OSSError.missingLength }
        guard call.body.length ?? 0 <= OSSContent.most else { throw OSSError.entityTooLarge }
        let announced = try OSSContent.announcedMD5(head)
        try self.init(in: store) { try call.body.read() }
        guard announced == nil || announced == md5 else { throw OSSError.invalidDigest }
    }

    /// Copies a part of an object.
    init(copying source: ObjectFile, _ range: Range<Int>, in store: ObjectStore) throws {
        var index = range.lowerBound
        try self.init(in: store) {
            guard index < range.upperBound else { return nil }
            let piece = source.read(min(256 * 1024, range.upperBound - index), at: index)
            guard !piece.isEmpty else { throw StoreFault.disk("an object cannot be read") }
            index += piece.count
            return piece
        }
    }

    /// As an ETag without its quotes.
    var hash: [UInt8] { Hex.encode(md5).map(\.uppercasedASCII) }

    /// The digest that Content-MD5 announces; nil where it did not come.
    static func announcedMD5(_ head: SandboxRequest) throws(OSSError) -> [UInt8]? {
        guard head.has("content-md5") else { return nil }
        guard let field = head.value(of: "content-md5"), let digest = Base64.standard.decode(field.span),
            digest.count == 16
        else { throw .invalidDigest }
        return digest
    }
}

extension ObjectDescription {
    /// Fields that OSS keeps beside type and `x-oss-meta-…`, and gives back.
    private static let kept: Set<String> = [
        "cache-control", "content-disposition", "content-encoding", "content-language", "expires",
    ]

    /// What is kept of the fields of a request or of a form that makes an object.
    /// - Throws: for fields that ask for what the sandbox does not do.
    init(_ fields: [NameValue]) throws(OSSError) {
        hash = []
        mediaType = Array("application/octet-stream".utf8)
        metadata = []
        for field in OSSRequest.joined(fields, where: { _ in true }) {
            if field.name.span.equals("content-type"), !field.value.isEmpty { mediaType = field.value }
            if field.name.starts(with: "x-oss-meta-".utf8) || ObjectDescription.kept.contains(field.name.text) {
                metadata.append(field)
            }
            try ObjectDescription.refuse(field)
        }
    }

    /// What the vendor would do and the sandbox does not, so that nobody believes it was done.
    private static func refuse(_ field: NameValue) throws(OSSError) {
        let value = field.value.text
        switch field.name.text {
        case "x-oss-object-acl" where !["default", "private"].contains(value),
            "x-oss-acl" where value != "private",
            "x-oss-storage-class" where value != "Standard",
            "x-oss-tagging", "x-oss-server-side-encryption", "x-oss-server-side-data-encryption",
            "x-oss-server-side-encryption-key-id", "x-oss-process":
            throw .notImplemented("the field \(field.name.text): \(value)")
        default: break
        }
    }

    /// With what is known when the bytes are there.
    /// - Parameter type: `Normal` or `Multipart`.
    func completed(_ hash: [UInt8], _ checksum: UInt64, type: StaticString) -> ObjectDescription {
        var whole = self
        whole.hash = hash
        whole.metadata += [
            NameValue("x-oss-object-type", type.array),
            NameValue("x-oss-hash-crc64ecma", Array(text: "\(checksum)")),
        ]
        return whole
    }
}

extension StoredObject {
    /// With its quotes.
    var etag: [UInt8] { [UInt8(ascii: "\"")] + hash + [UInt8(ascii: "\"")] }

    /// `Normal` or `Multipart`.
    var ossType: [UInt8] { field("x-oss-object-type") ?? Array("Normal".utf8) }

    var ossChecksum: [UInt8] { field("x-oss-hash-crc64ecma") ?? [] }

    private func field(_ name: StaticString) -> [UInt8]? { metadata.first { $0.name.span.equals(name) }?.value }
}
