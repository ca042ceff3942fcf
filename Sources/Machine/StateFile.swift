#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A small file that several processes read and write in turn, each time whole: a reader sees the old text or the new one, also
/// after a loss of power. Who writes holds the lock of a file beside it, `PATH-lock`, since the file itself is another each time.
package struct StateFile: Sendable {
    package let path: String
    /// With a slash at its end; for a name without a slash, the current folder.
    private let folder: String

    /// Why it cannot be read or written, and what would be right.
    package struct Fault: Error, CustomStringConvertible, Sendable {
        package let description: String

        init(_ description: String) { self.description = description }

        /// - Parameter what: what has failed; the system's words are added.
        fileprivate init(failed what: String) { description = "\(what): \(systemMessage())" }
    }

    /// What tells one writing of the file from others.
    package struct Mark: Sendable, Equatable {
        private let device: UInt64
        private let number: UInt64
        private let size: Int64
        private let modified: [Int]

        fileprivate init(_ info: stat) {
            device = UInt64(info.st_dev)
            number = UInt64(info.st_ino)
            size = Int64(info.st_size)
            #if canImport(Glibc)
                modified = [info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec]
            #else
                modified = [
                    info.st_mtimespec.tv_sec, info.st_mtimespec.tv_nsec, info.st_ctimespec.tv_sec,
                    info.st_ctimespec.tv_nsec,
                ]
            #endif
        }
    }

    package init(_ path: String) {
        self.path = path
        folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }

    // MARK: Reading

    /// Nil where there is no file, or it cannot be looked at: one call of the system.
    package var mark: Mark? { StateFile.info(path).map(Mark.init) }

    /// What stands in it; nil where there is no file.
    /// - Parameter most: bytes that it may have.
    package func read(atMost most: Int) throws(Fault) -> (bytes: [UInt8], mark: Mark)? {
        if let fault = folderFault { throw Fault("\(path) is not read: \(fault)") }
        // Unsafe: here and below, paths and bytes are lent for the calls, and the system writes to locals.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw Fault(failed: "cannot open \(path)") }
        defer { close(descriptor) }
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else { throw Fault(failed: "cannot look at \(path)") }
        guard info.st_mode & S_IFMT == S_IFREG else { throw Fault("\(path) is no ordinary file") }
        if let fault = trust.fault(of: path, info) { throw Fault("\(path) is not read: \(fault)") }
        guard Int(info.st_size) <= most else { throw Fault("\(path) is larger than \(most) bytes") }
        guard let bytes = ReadFile.contents(of: descriptor), bytes.count <= most else {
            throw Fault(failed: "cannot read \(path)")
        }
        return (bytes, Mark(info))
    }

    // MARK: Writing

    /// Milliseconds that another process may have the lock.
    private static let patience = 5000

    /// Writes what `change` makes of the text that stands there, which no other process changes meanwhile.
    /// - Parameters:
    ///   - most: bytes that it may have.
    ///   - change: gets nil where there is no file; where it returns nil, nothing is written.
    package func update<Failure: Error>(
        atMost most: Int, _ change: ([UInt8]?) throws(Failure) -> [UInt8]?
    ) throws {
        let lock = try lock()
        defer {
            flock(lock, LOCK_UN)
            close(lock)
        }
        guard let text = try change(try read(atMost: most)?.bytes) else { return }
        try replace(by: text)
    }

    /// - Returns: the descriptor that has the lock.
    private func lock() throws(Fault) -> Int32 {
        if let fault = folderFault { throw Fault("\(path) is not written: \(fault)") }
        let name = path + "-lock"
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw Fault(failed: "cannot open \(name)") }
        giveOwner(to: descriptor)
        var left = StateFile.patience
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard left > 0, errno == EWOULDBLOCK || errno == EINTR else {
                let fault = Fault(failed: "another process keeps \(name)")
                close(descriptor)
                throw fault
            }
            usleep(10_000)
            left -= 10
        }
        return descriptor
    }

    private func replace(by text: [UInt8]) throws(Fault) {
        let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let hidden = "\(path[..<end]).\(path[end...]).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let descriptor = unsafe open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(failed: "\(path) cannot be written") }
        giveOwner(to: descriptor)
        let isWhole = StateFile.put(text, into: descriptor) && fsync(descriptor) == 0
        let fault = isWhole ? nil : Fault(failed: "\(path) cannot be written")
        close(descriptor)
        guard fault == nil, unsafe rename(hidden, path) == 0 else {
            let fault = fault ?? Fault(failed: "\(path) cannot be written")
            unsafe unlink(hidden)
            throw fault
        }
        // The name itself is on the disk only when its folder is.
        let parent = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return }
        fsync(parent)
        close(parent)
    }

    private static func put(_ text: [UInt8], into descriptor: Int32) -> Bool {
        var rest = text[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    // MARK: Owners

    private var folderFault: String? {
        if StateFile.info(folder + ".") == nil, errno == ENOENT { return "the folder \(folder) does not exist" }
        return trust.fault(ofFolderForOwnFiles: folder)
    }

    /// Root goes on with a service's file, which belongs to the service's user as its folder does.
    private var trust: FileTrust { FileTrust(andOf: geteuid() == 0 ? StateFile.info(folder + ".")?.st_uid : nil) }

    /// Gives a file that root has made to the owner of the folder, who goes on with it.
    private func giveOwner(to descriptor: Int32) {
        guard geteuid() == 0, let info = StateFile.info(folder + ".") else { return }
        fchown(descriptor, info.st_uid, info.st_gid)
    }

    private static func info(_ path: String) -> stat? {
        var info = stat()
        return unsafe lstat(path, &info) == 0 ? info : nil
    }
}
