import Bytes
import Crypto
import Net

/// An upload in parts that is under way.
struct PartUpload: Sendable {
    let bucket: [UInt8]
    let key: [UInt8]
    /// What the object will have beside its bytes; its digest is known at the end.
    let description: ObjectDescription
    /// When it began, seconds since 1970.
    let time: Int64
    var parts: [Int: UploadedPart] = [:]
}

/// A part that arrived whole.
struct UploadedPart: Sendable {
    let size: Int
    /// As the vendor spells it, without quotes.
    let hash: [UInt8]
    /// The vendor's checksum, where it keeps one beside the digest.
    var checksum: UInt64 = 0
    /// When it arrived, seconds since 1970.
    let time: Int64
    /// Removed when nothing refers to it any more.
    let file: PartFile
}

/// The bytes of a part; the file goes with the last reference.
// Unsafe: the staged file is complete, so that nobody writes to it any more.
final class PartFile: @unchecked Sendable {
    private let staged: StagedFile
    var path: String { staged.path }

    init(_ complete: StagedFile) {
        complete.seal()
        staged = complete
    }
}

/// The uploads in parts of one vendor, by an identifier that nobody can guess.
final class PartUploads: Sendable {
    /// The most uploads that may be under way; beyond it the oldest is forgotten with its parts.
    static let most = 1024

    private struct State {
        var uploads: [[UInt8]: PartUpload] = [:]
        var order: [[UInt8]] = []
    }

    private let state = Guarded(State())

    /// - Returns: the identifier, 32 letters and digits.
    func begin(_ upload: PartUpload) throws(CryptoError) -> [UInt8] {
        let id = try SecureRandom.alphanumerics(32)
        state.withLock { state in
            state.uploads[id] = upload
            state.order.append(id)
            if state.order.count > PartUploads.most { state.uploads[state.order.removeFirst()] = nil }
        }
        return id
    }

    /// The upload of an identifier, where it is for this object.
    func upload(_ id: [UInt8], of key: [UInt8], in bucket: [UInt8]) -> PartUpload? {
        state.withLock { state in state.uploads[id].flatMap { $0.key == key && $0.bucket == bucket ? $0 : nil } }
    }

    /// All that are under way in a bucket, in the order of their keys, then of their beginnings.
    func all(in bucket: [UInt8]) -> [(id: [UInt8], upload: PartUpload)] {
        state.withLock { state in
            state.order.compactMap { id in state.uploads[id].map { (id, $0) } }
        }.filter { $0.1.bucket == bucket }.enumerated().sorted {
            $0.element.1.key == $1.element.1.key ? $0.offset < $1.offset : $0.element.1.key.precedes($1.element.1.key)
        }.map(\.element)
    }

    /// Takes a part; one of the same number is replaced.
    /// - Returns: false where the upload is gone.
    func add(_ part: UploadedPart, number: Int, to id: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.uploads[id] != nil else { return false }
            state.uploads[id]?.parts[number] = part
            return true
        }
    }

    /// Forgets an upload and its parts.
    func end(_ id: [UInt8]) {
        state.withLock { state in
            state.uploads[id] = nil
            state.order.removeAll { $0 == id }
        }
    }
}

extension ObjectStore {
    /// Writes parts one behind the other into a new file.
    func join(_ parts: [UploadedPart]) throws(StoreFault) -> StagedFile {
        let whole = try stage()
        for part in parts {
            guard let file = ObjectFile(part.file.path), file.size == part.size else {
                throw .disk("a part is no longer there")
            }
            var index = 0
            while index < file.size {
                let piece = file.read(min(256 * 1024, file.size - index), at: index)
                guard !piece.isEmpty else { throw .disk("a part cannot be read") }
                try whole.write(piece)
                index += piece.count
            }
        }
        return whole
    }
}
