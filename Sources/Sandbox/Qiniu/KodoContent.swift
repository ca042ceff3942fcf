import Bytes
import CZlib
import Crypto

/// A content that is coming in: it goes to a file aside, and what Kodo knows of it is computed on the way.
final class KodoContent {
    /// What is enough to tell the type of a content.
    static let sampleLength = 512

    let file: StagedFile
    private(set) var crc32: UInt32 = 0
    /// The first bytes.
    private(set) var sample: [UInt8] = []
    private var runningHash: KodoHash
    private let md5: RunningDigest?

    /// - Parameter hasMD5: whether its MD5 is asked for, too.
    init(in store: ObjectStore, hasMD5: Bool = false) throws {
        file = try store.stage()
        runningHash = try KodoHash()
        md5 = hasMD5 ? try RunningDigest(.md5) : nil
    }

    /// In bytes.
    var size: Int { file.size }

    func append(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        try runningHash.update(bytes)
        try md5?.update(bytes.span)
        // Unsafe: the bytes are lent for the call.
        let code = unsafe bytes.withUnsafeBufferPointer {
            unsafe CZlib.crc32(uLong(crc32), $0.baseAddress, uInt(clamping: $0.count))
        }
        crc32 = UInt32(truncatingIfNeeded: code)
        if sample.count < KodoContent.sampleLength {
            sample += bytes.prefix(KodoContent.sampleLength - sample.count)
        }
        try file.write(bytes)
    }

    /// Takes a whole body.
    /// - Parameter most: more than this many bytes are refused.
    func append(_ body: BodyReader, atMost most: Int) throws {
        if let length = body.length, length > most { throw BodyReader.Fault.tooLarge }
        while let bytes = try body.read() {
            guard size + bytes.count <= most else { throw BodyReader.Fault.tooLarge }
            try append(bytes)
        }
    }

    /// Takes parts that have arrived, one behind the other.
    func append(_ parts: [UploadedPart]) throws {
        for part in parts {
            guard let source = ObjectFile(part.file.path), source.size == part.size else {
                throw StoreFault.disk("a part is no longer there")
            }
            var index = 0
            while index < source.size {
                let piece = source.read(min(64 * 1024, source.size - index), at: index)
                guard !piece.isEmpty else { throw StoreFault.disk("a part cannot be read") }
                try append(piece)
                index += piece.count
            }
        }
    }

    /// The hash of all that came; nothing may come after it.
    func hash() throws -> [UInt8] { try runningHash.finish() }

    /// In hexadecimal; nothing may come after it.
    func md5Text() throws -> [UInt8] { Hex.encode(try md5?.finish().bytes.array ?? []) }

    /// All that came as a part of something larger.
    func part(at now: Int64) throws -> UploadedPart {
        UploadedPart(size: size, hash: try hash(), time: now, file: PartFile(file))
    }
}
