/// How far an upload is. It counts what the vendor has acknowledged, so it never goes back because of a cut connection.
public struct UploadProgress: Sendable {
    /// Bytes that the vendor has.
    public let sentBytes: Int64
    /// Bytes of the file.
    public let totalBytes: Int64
    /// From where the upload can go on later, even in another process; nil where the vendor has no such way.
    public let checkpoint: UploadCheckpoint?

    /// From 0 to 1; an empty file has 1.
    public var fraction: Double { totalBytes == 0 ? 1 : Double(sentBytes) / Double(totalBytes) }
}

/// From where an upload can go on. It holds no secret, and can be stored as JSON.
public struct UploadCheckpoint: Sendable, Hashable, Codable {
    /// One part that the vendor has.
    struct Part: Sendable, Hashable, Codable {
        let number: Int
        let etag: String
    }

    /// Where the file goes.
    public let vendor: UploadVendor
    /// The bucket.
    public let bucket: String
    /// The object's key.
    public let key: String
    /// The file as it was: one that has changed since is uploaded from its beginning.
    let file: FileIdentity
    let pieceSize: Int
    /// The vendor's name of the upload; NOS gives another one with each piece, and none before the first.
    var uploadID: String
    var offset: Int64 = 0
    var parts: [Part] = []
}

extension UploadCheckpoint {
    /// Whether it is one that this library makes. An app stores checkpoints, so another program may have changed them.
    var isSound: Bool {
        guard (0...UploadCheckpoint.largestFile).contains(file.size), (0...file.size).contains(offset),
            UploadOptions.pieceSizes(for: file.size).contains(pieceSize)
        else { return false }
        let count = file.size / Int64(pieceSize) + (file.size % Int64(pieceSize) == 0 ? 0 : 1)
        return UploadCheckpoint.isName(bucket)
            && (vendor == .nos && uploadID.isEmpty || UploadCheckpoint.isName(uploadID))
            && parts.count <= count && parts.map(\.number) == Array(0..<parts.count).map { $0 + 1 }
            && parts.allSatisfy { UploadCheckpoint.isText($0.etag) }
    }

    /// No vendor stores a larger object: one pebibyte, in bytes.
    private static let largestFile: Int64 = 1 << 50

    /// Whether it can be a segment of a path.
    private static func isName(_ text: String) -> Bool { isText(text) && text != "." && text != ".." }

    private static func isText(_ text: String) -> Bool {
        (1...4096).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

/// An object that has been uploaded.
public struct UploadedObject: Sendable, Hashable {
    /// The vendor.
    public let vendor: UploadVendor
    /// The bucket.
    public let bucket: String
    /// The object's key.
    public let key: String
    /// The vendor's answer to the last request: JSON from Kodo (the put policy's `returnBody`, if there is one) and NOS, XML or
    /// nothing from OSS. Nil where the connection was cut behind that request, and the vendor said afterwards that the upload was done.
    public let answer: [UInt8]?
}
