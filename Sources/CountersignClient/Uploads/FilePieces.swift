import Foundation

/// What tells that a file is the same: its size, and when it was changed last.
struct FileIdentity: Sendable, Hashable, Codable {
    let size: Int64
    /// In seconds since 1970.
    let modified: Double

    init(of file: URL) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        guard let size = (attributes[.size] as? NSNumber)?.int64Value,
            attributes[.type] as? FileAttributeType == .typeRegular
        else { throw CocoaError(.fileReadUnknown) }
        self.size = size
        modified = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
    }
}

/// Reads a file piece by piece, and no other file than at first.
struct FilePieces: Sendable {
    private struct Changed: Error {}

    let file: URL
    let identity: FileIdentity
    var size: Int64 { identity.size }

    /// - Throws: `UploadError.Reason`, of the file.
    init(_ file: URL) throws {
        self.file = file
        do {
            // A link's own size is not that of the file.
            identity = try FileIdentity(of: file.resolvingSymlinksInPath())
        } catch {
            throw UploadError.Reason.unreadableFile(error)
        }
    }

    /// A file as it was.
    init(_ file: URL, _ identity: FileIdentity) {
        self.file = file
        self.identity = identity
    }

    /// - Throws: `UploadError.Reason`, of the file.
    func piece(at offset: Int64, of size: Int) throws -> Data {
        do {
            return try read(at: offset, of: size)
        } catch is Changed {
            throw UploadError.Reason.changedFile
        } catch {
            throw UploadError.Reason.unreadableFile(error)
        }
    }

    private func read(at offset: Int64, of size: Int) throws -> Data {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        let expected = min(Int64(size), identity.size - offset)
        var piece = Data()
        while piece.count < expected, let more = try handle.read(upToCount: Int(expected) - piece.count), !more.isEmpty
        {
            piece.append(more)
        }
        guard piece.count == expected else { throw Changed() }
        guard try FileIdentity(of: file.resolvingSymlinksInPath()) == identity else { throw Changed() }
        return piece
    }

    /// - Throws: `UploadError.Reason`, when the file is another by now.
    func check() throws { _ = try piece(at: identity.size, of: 0) }
}
