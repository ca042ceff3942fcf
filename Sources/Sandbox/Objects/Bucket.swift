import Bytes
import Machine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The objects of one bucket: bytes as files below a folder of its name, records beside them.
struct Bucket {
    private struct Entry {
        let object: StoredObject
        /// Of its bytes, below the bucket's folder.
        let file: String
    }

    private let folder: String
    private let records: String
    private var entries: [[UInt8]: Entry] = [:]
    /// All keys in order; nil when they have to be sorted anew.
    private var sorted: [[UInt8]]?

    /// Makes the folders where they are missing, and reads the records of the objects whose files are there.
    /// - Parameter uploads: the folder of files that are not complete, as an earlier process has left it.
    init(folder: String, records: String, uploads: String) throws(StoreFault) {
        self.folder = folder
        self.records = records
        for path in [folder, records] {
            if let fault = NewFolder.make(path) { throw .disk("the folder \(path) \(fault)") }
            guard Bucket.isFolder(path) else { throw .disk("the folder \(path) is a link, and links are not followed") }
        }
        for name in FolderNames.read(records) where name.hasPrefix(".") {
            try finishPut(aside: name, isStaged: ObjectFile("\(uploads)/\(name.dropFirst())") != nil)
        }
        for name in FolderNames.read(records) where name.hasSuffix(".json") && !name.hasPrefix(".") {
            guard let read = ReadFile("\(records)/\(name)"), let object = StoredObject.read(read.bytes),
                try ObjectPath.record(object.key) == name,
                let file = try ObjectPath.places(of: object.key).first(where: { open($0)?.size == object.size })
            else { continue }
            entries[object.key] = Entry(object: object, file: file)
        }
    }

    subscript(key: [UInt8]) -> StoredObject? { entries[key]?.object }

    func file(of key: [UInt8]) -> ObjectFile? { entries[key].flatMap { open($0.file) } }

    private func open(_ file: String) -> ObjectFile? {
        hasFolders(above: file) ? ObjectFile("\(folder)/\(file)") : nil
    }

    mutating func list(_ request: ListRequest) -> ObjectListing {
        let keys = sorted ?? entries.keys.sorted { $0.precedes($1) }
        sorted = keys
        return ObjectListing(request, of: keys) { entries[$0]?.object }
    }

    /// Gives a file that is complete its place, in one step. What may want room on the disk, the record, is written before: where
    /// there is none, the object that was there stays whole. Until it gets its place, too, the record has the name of the staged
    /// file, so that the next process finishes what this one did not come to (`finishPut`).
    mutating func put(_ staged: StagedFile, _ object: StoredObject) throws(StoreFault) {
        let file = try place(of: object.key)
        guard hasFolders(above: file) else {
            throw .disk("the object's folder is gone, or a link, which is not followed")
        }
        let record = try ObjectPath.record(object.key)
        let aside = "\(records)/.\(staged.name)"
        if let fault = NewFile.make(object.record, at: aside) {
            // Unsafe: the path is lent for the call. It may have been written in part.
            unsafe unlink(aside)
            if entries[object.key] == nil { removeEmptyFolders(above: file) }
            throw .disk("the record \(fault)")
        }
        do throws(StoreFault) { try staged.move(to: "\(folder)/\(file)") } catch {
            // Unsafe: the path is lent for the call.
            unsafe unlink(aside)
            throw error
        }
        // Unsafe: the paths are lent for the call.
        guard unsafe rename(aside, "\(records)/\(record)") == 0 else { throw .disk(StoreFault.systemMessage()) }
        if entries[object.key] == nil { sorted = nil }
        entries[object.key] = Entry(object: object, file: file)
    }

    /// Gives a record its place if its file has got its own, or removes it: the process that wrote it was killed in between.
    /// - Parameter isStaged: whether the file is still among those that are not complete.
    private func finishPut(aside name: String, isStaged: Bool) throws(StoreFault) {
        let aside = "\(records)/\(name)"
        if !isStaged, let read = ReadFile(aside), let object = StoredObject.read(read.bytes) {
            let record = try ObjectPath.record(object.key)
            // Unsafe: the paths are lent for the call.
            guard unsafe rename(aside, "\(records)/\(record)") == 0 else { throw .disk(StoreFault.systemMessage()) }
        } else {
            // Unsafe: the path is lent for the call.
            unsafe unlink(aside)
        }
    }

    /// - Returns: whether there was such an object.
    mutating func remove(_ key: [UInt8]) throws(StoreFault) -> Bool {
        guard let entry = entries.removeValue(forKey: key) else { return false }
        sorted = nil
        let isInside = hasFolders(above: entry.file)
        // Unsafe: the paths are lent for the calls. A record without its file is no object, either.
        if isInside { unsafe unlink("\(folder)/\(entry.file)") }
        unsafe unlink("\(records)/\(try ObjectPath.record(key))")
        if isInside { removeEmptyFolders(above: entry.file) }
        return true
    }

    /// The path that the key says, or where that is taken by a folder, or goes through a file, its own; its folder is made.
    /// - Returns: where the object's file belongs, below the bucket's folder.
    private func place(of key: [UInt8]) throws(StoreFault) -> String {
        if let known = entries[key]?.file { return known }
        // A file of the digest would be found first when the folder is opened again.
        if let left = try ObjectPath.places(of: key).first, open(left) != nil { return left }
        if let plain = ObjectPath.plain(key), makeFolder(above: plain) {
            if !Bucket.isFolder("\(folder)/\(plain)") { return plain }
            removeEmptyFolders(above: plain)
        }
        let hashed = try ObjectPath.hashed(key)
        guard makeFolder(above: hashed) else { throw .disk(StoreFault.systemMessage()) }
        return hashed
    }

    /// Whether there is a folder itself, and no link to one.
    static func isFolder(_ path: String) -> Bool {
        var info = stat()
        // Unsafe: the path is lent for the call, and the system writes to a local.
        return unsafe lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether all folders that a file lies in are there, and none of them is a link, which could lead anywhere.
    private func hasFolders(above file: String) -> Bool {
        folders(above: file).allSatisfy { Bucket.isFolder("\(folder)/\($0)") }
    }

    /// Makes the folders that a file lies in, as far as they are not there.
    /// - Returns: false where one of them is taken by a file or a link.
    private func makeFolder(above file: String) -> Bool {
        folders(above: file).allSatisfy { path in
            let path = "\(folder)/\(path)"
            // Unsafe: the path is lent for the call.
            return unsafe mkdir(path, 0o700) == 0 || Bucket.isFolder(path)
        }
    }

    /// The paths of the folders that a file lies in, the outermost first.
    private func folders(above file: String) -> [Substring] {
        file.indices.filter { file[$0] == "/" }.map { file[..<$0] }
    }

    private func removeEmptyFolders(above file: String) {
        var path = file[...]
        while let end = path.lastIndex(of: "/") {
            path = path[..<end]
            // Unsafe: the path is lent for the call. It does nothing where the folder holds something.
            guard unsafe rmdir("\(folder)/\(path)") == 0 else { return }
        }
    }
}
