import Bytes
import Crypto

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file that the lines stand in: one process has it, only its end is ever written, and what is not known to be on the disk is
/// never taken for written.
///
/// It belongs to one thread.
package final class AuditFile {
    package let path: String
    /// What was found at start that had to be set aside; for the log.
    package private(set) var findings: [String] = []
    /// What is on the disk by all that is known; of durability `none`, what the system has.
    package private(set) var durable = AuditMark()
    private let calls: AuditCalls
    private let maximumSize: Int
    private var chain: AuditChain
    private var out = ByteWriter(capacity: 64 << 10)
    private var descriptor: Int32 = -1
    /// Bytes of the file that are known to be whole lines.
    private var size: Int64 = 0
    /// Lines since `durable`.
    private var unsynced: Int64 = 0

    /// - Throws: when the file cannot be had, or another process has it.
    package init(
        _ path: String, key: Secret, maximumSize: Int = .max, calls: AuditCalls = .system, at moment: Int64
    ) throws(AuditFault) {
        self.path = path
        self.calls = calls
        self.maximumSize = maximumSize
        let signer: HMACKey
        do throws(CryptoError) { signer = try HMACKey(.sha256, key) } catch { throw AuditFault("\(error)") }
        chain = AuditChain(signer)
        descriptor = try AuditFile.openLocked(path)
        do throws(AuditFault) { try begin(AuditTail(of: descriptor, by: signer), at: moment) } catch {
            // `deinit` does not run for what was not made.
            close(descriptor)
            throw error
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    // MARK: Lines

    /// Adds a line to those that `commit` writes.
    package func append(_ content: Span<UInt8>) throws(AuditFault) {
        do throws(CryptoError) { try chain.append(content, to: &out) } catch { throw AuditFault("\(error)") }
        unsynced += 1
    }

    /// Writes the lines that were added, and waits until the disk has them. After a fault nothing more is written into this file
    /// (`recover`): a sync that is tried again can succeed although the bytes are lost.
    package func commit(waiting: Bool = true) throws(AuditFault) {
        try put(&out, into: descriptor)
        if waiting { try sync(descriptor) }
        settle()
    }

    /// A new file after a fault.
    package func recover(at moment: Int64) throws(AuditFault) {
        out.reset()
        // What was begun may be half a line. Where that cannot be undone, the next segment tells of it.
        _ = ftruncate(descriptor, off_t(size))
        try rotate(.fault, at: moment)
    }

    /// Begins a new file where the old one has been moved away, or is as large as it may be.
    package func rotateIfDue(at moment: Int64) throws(AuditFault) {
        if isMoved {
            try rotate(.moved, at: moment)
        } else if size >= Int64(maximumSize) {
            try rotate(.size, at: moment)
        }
    }

    /// Begins a new file because somebody asks for it.
    package func rotate(at moment: Int64) throws(AuditFault) { try rotate(isMoved ? .moved : .signal, at: moment) }

    private var isMoved: Bool {
        guard let here = FileMark(descriptor), let there = FileMark(path) else { return true }
        return here != there
    }

    private func settle() {
        durable = AuditMark(number: chain.position.number, head: chain.position.head)
        unsynced = 0
    }

    // MARK: Segments

    private func begin(_ tail: AuditTail, at moment: Int64) throws(AuditFault) {
        if let torn = tail.torn {
            let name = try setAside(torn, at: moment)
            guard ftruncate(descriptor, off_t(tail.size)) == 0 else { throw AuditFault(failed: "cannot cut \(path)") }
            findings.append("the last line was torn; its \(torn.count) bytes are in \(name)")
        }
        size = tail.size
        chain.position = tail.position
        guard tail.isGenuine, FileMark(descriptor)?.names == 1 else {
            findings.append("\(path) does not end with a line under audit.key; it is set aside, and a new file begun")
            return try rotate(.unverified, at: moment)
        }
        try startSegment(.start, in: descriptor, at: moment)
        settle()
        try syncFolder()
    }

    /// Puts a new file, which begins with where the chain stands, into the place of the old one, which gets another name.
    private func rotate(_ reason: AuditChain.Reason, at moment: Int64) throws(AuditFault) {
        let next = path + "-next"
        // Unsafe: here and below, paths and bytes are lent for the calls.
        unsafe unlink(next)
        let fresh = unsafe open(next, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard fresh >= 0 else { throw AuditFault(failed: "cannot make \(next)") }
        let old = (position: chain.position, size: size)
        do throws(AuditFault) {
            guard flock(fresh, LOCK_EX | LOCK_NB) == 0 else { throw AuditFault(failed: "cannot lock \(next)") }
            size = 0
            try startSegment(reason, in: fresh, at: moment)
            try setAsideCurrent(at: moment)
            guard unsafe rename(next, path) == 0 else { throw AuditFault(failed: "cannot rename \(next)") }
        } catch {
            // Its line was never seen.
            (chain.position, size) = old
            unsafe unlink(next)
            close(fresh)
            throw error
        }
        close(descriptor)
        descriptor = fresh
        settle()
        try syncFolder()
    }

    private func startSegment(
        _ reason: AuditChain.Reason, in descriptor: Int32, at moment: Int64
    ) throws(AuditFault) {
        var line = ByteWriter(capacity: 512)
        let position = chain.position
        do throws(CryptoError) {
            try chain.beginSegment(reason, unsynced: unsynced, at: moment, to: &line)
        } catch { throw AuditFault("\(error)") }
        do throws(AuditFault) {
            try put(&line, into: descriptor)
            try sync(descriptor)
        } catch {
            chain.position = position
            throw error
        }
    }

    /// Gives whatever has the file's name another, so that the new one can have it.
    private func setAsideCurrent(at moment: Int64) throws(AuditFault) {
        guard let there = FileMark(path) else { return }
        if there != FileMark(descriptor) {
            // Somebody has put it there, who must not have it open as an audit of their own.
            close(try AuditFile.openLocked(path))
        } else if there.names > 1 {
            return
        }
        let name = "\(path).\(AuditFile.stamp(moment))-\(AuditFile.padded(durable.number))"
        _ = try AuditFile.named(name) { name in
            // Not every file system has links; then the name is nobody's for a moment.
            unsafe link(path, name) == 0 || (errno != EEXIST && rename(path, name) == 0)
        }
    }

    // MARK: The system

    private func put(_ bytes: inout ByteWriter, into descriptor: Int32) throws(AuditFault) {
        defer {
            bytes.reset()
            bytes.trim(above: 1 << 20)
        }
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.bytes.withUnsafeBytes {
                unsafe calls.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[start...]))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw AuditFault(failed: "cannot write \(path)") }
            start += count
        }
        size += Int64(start)
    }

    private func sync(_ descriptor: Int32) throws(AuditFault) {
        guard calls.sync(descriptor) == 0 else { throw AuditFault(failed: "cannot bring \(path) to the disk") }
    }

    /// Without this, a new file's name may be lost with the power.
    private func syncFolder() throws(AuditFault) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? "."
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AuditFault(failed: "cannot open \(folder)") }
        defer { close(descriptor) }
        // Some file systems have no such thing.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw AuditFault(failed: "cannot sync \(folder)") }
    }

    private func setAside(_ bytes: [UInt8], at moment: Int64) throws(AuditFault) -> String {
        var file: Int32 = -1
        let name = try AuditFile.named("\(path)-torn.\(AuditFile.stamp(moment))") { name in
            file = unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            return file >= 0
        }
        defer { close(file) }
        let count = unsafe bytes.withUnsafeBytes { unsafe calls.write(file, $0) }
        guard count == bytes.count, calls.sync(file) == 0 else { throw AuditFault(failed: "cannot write \(name)") }
        return name
    }

    /// Takes a name that nothing has yet.
    private static func named(_ name: String, _ take: (String) -> Bool) throws(AuditFault) -> String {
        for attempt in 1...100 {
            let candidate = attempt == 1 ? name : "\(name)-\(attempt)"
            if take(candidate) { return candidate }
            guard errno == EEXIST else { break }
        }
        throw AuditFault(failed: "cannot make \(name)")
    }

    /// Opens the file for appending, if no other process has it.
    private static func openLocked(_ path: String) throws(AuditFault) -> Int32 {
        while true {
            let file = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard file >= 0 else { throw AuditFault(failed: "cannot open \(path)") }
            guard let mark = FileMark(file), mark.isRegular else {
                close(file)
                throw AuditFault("\(path) is no ordinary file")
            }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                defer { close(file) }
                guard errno == EWOULDBLOCK else { throw AuditFault(failed: "cannot lock \(path)") }
                throw AuditFault("\(path) is another process's audit; each has a file of its own")
            }
            // Its owner may have put another in its place before it was locked.
            if FileMark(path) == mark { return file }
            close(file)
        }
    }

    private static func stamp(_ moment: Int64) -> String {
        var text = ByteWriter(capacity: 16)
        ISO8601.writeBasic(moment, into: &text)
        return text.array.text
    }

    /// So wide that names come in the order of their numbers.
    private static func padded(_ number: Int64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits
    }
}

/// How far the lines go.
package struct AuditMark: Sendable {
    package var number: Int64 = 0
    package var head = Digest.zero

    package init(number: Int64 = 0, head: Digest = .zero) {
        self.number = number
        self.head = head
    }
}

/// Which file something is.
struct FileMark: Equatable {
    private let device: dev_t
    private let inode: ino_t
    let names: Int
    let isRegular: Bool
    let size: Int64

    static func == (a: FileMark, b: FileMark) -> Bool { a.device == b.device && a.inode == b.inode }

    private init(_ info: stat) {
        device = info.st_dev
        inode = info.st_ino
        names = Int(info.st_nlink)
        isRegular = info.st_mode & S_IFMT == S_IFREG
        size = Int64(info.st_size)
    }

    init?(_ descriptor: Int32) {
        var info = stat()
        // Unsafe: a local that the system writes within the call.
        guard unsafe fstat(descriptor, &info) == 0 else { return nil }
        self.init(info)
    }

    init?(_ path: String) {
        var info = stat()
        guard unsafe lstat(path, &info) == 0 else { return nil }
        self.init(info)
    }
}
