import Bytes
import Crypto
import Machine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file that the lines stand in: only its end is ever written, and what is not known to be on the disk is never taken for
/// written. Several processes may write the same one: each has it to itself while it adds a group of lines, and goes on from the
/// last line that there is, of whichever process.
///
/// It belongs to one thread.
package final class AuditFile {
    package let path: String
    /// What was found that had to be set aside.
    private var findings: [String] = []
    /// The last line that is on the disk by all that is known; of durability `none`, that the system has.
    package private(set) var durable = AuditMark()
    private let calls: AuditSystemCalls
    private let maximumSize: Int
    private let key: HMACKey
    private var chain: AuditChain
    private var out = ByteWriter(capacity: 64 << 10)
    private var descriptor: Int32 = -1 { didSet { identity = FileIdentity(descriptor) } }
    /// Which file the descriptor is of; nil where there is none.
    private var identity: FileIdentity?
    /// The folder of the file, which processes lock while they wait for it.
    private var folder: Int32 = -1
    /// Nil until the file could be had.
    private var head: AuditHead?
    /// Bytes of the file that are known to be whole lines; -1 where nothing is known of it.
    private var size: Int64 = -1
    /// Where the chain stands in the file, behind which are the lines that were added and not written.
    private var written = AuditChain.Position()
    /// Whether no other process can write it now.
    private var isTaken = false

    /// - Throws: when the file cannot be had.
    package init(
        _ path: String, key: Secret, maximumSize: Int = .max, calls: AuditSystemCalls = .system, at moment: Int64
    ) throws(AuditFault) {
        self.path = path
        self.calls = calls
        self.maximumSize = maximumSize
        do throws(CryptoError) { self.key = try HMACKey(.sha256, key) } catch { throw AuditFault("\(error)") }
        chain = AuditChain(self.key)
        defer { release() }
        do throws(AuditFault) {
            try openCurrent()
            let head = try AuditHead(of: path, by: self.key, calls: calls)
            try start(behind: head, at: moment)
            self.head = head
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    /// What was found since the last call that had to be set aside; for the log.
    package func takeFindings() -> [String] {
        defer { findings = [] }
        return findings
    }

    // MARK: Lines

    /// Adds a line to those that `commit` writes, until when no other process writes the file.
    package func append(_ content: Span<UInt8>, at moment: Int64) throws(AuditFault) {
        if !isTaken { try take(at: moment) }
        do throws(CryptoError) { try chain.append(content, to: &out) } catch {
            forget()
            release()
            throw AuditFault("\(error)")
        }
    }

    /// Writes the lines that were added, and waits until the disk has them. After a fault nothing more is written into this file
    /// (`recover`): a sync that is tried again can succeed although the bytes are lost.
    package func commit(waiting: Bool = true) throws(AuditFault) {
        defer { release() }
        try write(waiting: waiting)
    }

    /// Writes the lines that were added, which are the last of this process, waits until the disk has them, and records how far
    /// the lines go, so that the next start can tell when some of them are not there any more.
    package func stop() throws(AuditFault) {
        defer { release() }
        try write(waiting: true)
        guard let head else { return }
        let running = try head.read()?.running ?? 1
        try head.write(AuditHead.Record(position: written, running: max(0, running - 1)))
    }

    private func write(waiting: Bool) throws(AuditFault) {
        do throws(AuditFault) { try calls.put(out, into: descriptor, path) } catch {
            // What was begun may be half a line. Where that cannot be undone, the next process sets it aside.
            _ = ftruncate(descriptor, off_t(size))
            forget()
            throw error
        }
        size += Int64(out.count)
        written = chain.position
        out.reset()
        out.trim(above: 1 << 20)
        if waiting { try sync(descriptor) }
        settle()
    }

    /// A new file after a fault.
    package func recover(at moment: Int64) throws(AuditFault) {
        defer { release() }
        if try !take(at: moment) { try rotate(.fault, at: moment) }
    }

    /// Begins a new file because the operator asks for it.
    package func rotate(at moment: Int64) throws(AuditFault) {
        defer { release() }
        if try !take(at: moment) { try rotate(.signal, at: moment) }
    }

    /// Forgets the lines that were added and not written.
    private func forget() {
        out.reset()
        chain.position = written
    }

    private func settle() { durable = AuditMark(number: written.number, head: written.head) }

    // MARK: Start

    /// Goes on from the line that the last process has recorded, and finds what is missing of the lines up to there.
    private func start(behind head: AuditHead, at moment: Int64) throws(AuditFault) {
        let record = try head.read()
        if record == nil, !head.isAlone, try !AuditTail(of: descriptor, by: key).isGenuine {
            throw AuditFault(AuditFile.otherKey(path))
        }
        if let record {
            move(to: record.position)
            settle()
        }
        let recorded = written.number
        if recorded > 0, FileIdentity(descriptor)?.size == 0 {
            findings.append(
                "\(path) is empty or was not there, and its lines went up to \(recorded): it was moved away, or they were "
                    + "deleted")
        }
        if try !join(recorded == 0 ? .start : .moved, at: moment) {
            let isStopped = record.map { !head.isAlone || ($0.running == 0 && written.number == recorded) } ?? false
            if !isStopped { findings.append(AuditFile.missingStop(record, path)) }
            try begin(isStopped ? .start : .unstopped, at: moment)
        }
        let others = head.isAlone ? 0 : record?.running ?? 0
        try head.write(AuditHead.Record(position: written, running: others + 1))
    }

    private static func otherKey(_ path: String) -> String {
        "another process writes \(path) under another key, and each would set the other's lines aside: to change audit.key, "
            + "stop that process, replace the key, and start"
    }

    private static func missingStop(_ record: AuditHead.Record?, _ path: String) -> String {
        record == nil
            ? "\(path)-head has no record under this key of how far the lines went: nobody can tell whether some were cut off"
            : "\(path) does not end with a recorded stop: the process was killed, or its end was cut off"
    }

    // MARK: Turns

    /// Has the file to itself from now on, and goes on from its last line.
    /// - Returns: whether a new one is begun for that.
    @discardableResult
    private func take(at moment: Int64) throws(AuditFault) -> Bool {
        do throws(AuditFault) {
            if descriptor >= 0 {
                try AuditFile.lock(descriptor, in: folder, path)
                isTaken = true
            }
            // One look, at what has the name: where that is our file, it has our file's size.
            let named = FileIdentity(path)
            if named == nil || named != identity || named?.size != size {
                guard try !join(.moved, at: moment) else { return true }
            }
            guard size >= Int64(maximumSize) else { return false }
            try rotate(.size, at: moment)
            return true
        } catch {
            release()
            throw error
        }
    }

    private func release() {
        guard isTaken else { return }
        isTaken = false
        flock(descriptor, LOCK_UN)
    }

    private func close() {
        closeFile()
        if folder >= 0 { systemClose(folder) }
        folder = -1
    }

    private func closeFile() {
        guard descriptor >= 0 else { return }
        release()
        systemClose(descriptor)
        descriptor = -1
    }

    /// Opens the file that has the name, and has it to itself.
    private func openCurrent() throws(AuditFault) {
        (descriptor, folder) = try AuditFile.openLocked(path)
        isTaken = true
    }

    /// Goes on from the last line of the file that has the name now: others have written it, or put it there.
    /// - Parameter reason: why a file is begun that has no line yet.
    /// - Returns: whether one is begun.
    private func join(_ reason: AuditChain.Reason, at moment: Int64) throws(AuditFault) -> Bool {
        if descriptor < 0 || FileIdentity(descriptor) != FileIdentity(path) {
            // Lines may have been added to the old one before it was moved.
            if descriptor >= 0 { _ = goOn(from: try AuditTail(of: descriptor, by: key)) }
            close()
            try openCurrent()
        }
        size = -1
        let tail = try AuditTail(of: descriptor, by: key)
        if let torn = tail.torn {
            let name = try setAside(torn, at: moment)
            guard ftruncate(descriptor, off_t(tail.size)) == 0 else { throw AuditFault(failed: "cannot cut \(path)") }
            findings.append("the last line was torn; its \(torn.count) bytes are in \(name)")
        }
        guard tail.size > 0 else {
            try begin(reason, at: moment)
            return true
        }
        guard FileIdentity(descriptor)?.names == 1, goOn(from: tail) else {
            let isCut = tail.isGenuine && tail.position.number < written.number
            let fault =
                isCut
                ? "ends with line \(tail.position.number), and its lines went up to \(written.number): its end was cut off"
                : "does not end as this key's audit does"
            findings.append("\(path) \(fault); it is set aside, and a new file begun")
            if tail.position.number > written.number {
                let isSettled = durable.number == written.number
                move(to: tail.position)
                // They are another's lines, and none of ours that could be lost.
                if isSettled { settle() }
            }
            try rotate(.unverified, lastOf: tail.position.number, at: moment)
            return true
        }
        size = tail.size
        return false
    }

    /// - Returns: whether the end of a file is a line under the key and none before ours, so that the next goes on from it.
    private func goOn(from tail: AuditTail) -> Bool {
        let (last, own) = (tail.position, written)
        guard tail.isGenuine,
            last.number > own.number || (last.number == own.number && last.head.constantTimeEquals(own.head))
        else { return false }
        move(to: last)
        // The processes that wrote the other lines have synced them; the next segment counts those of ours that may be lost.
        if durable.number == own.number { settle() }
        return true
    }

    private func move(to position: AuditChain.Position) { (chain.position, written) = (position, position) }

    // MARK: Segments

    /// Begins a segment in the file that there is.
    private func begin(_ reason: AuditChain.Reason, at moment: Int64) throws(AuditFault) {
        let count = try startSegment(reason, in: descriptor, at: moment)
        size = max(0, size) + count
        try syncFolder()
    }

    /// Gives the old file another name, and begins a new one by its name, with where the chain stands.
    /// - Parameter lastLine: the number of the old file's last line, 0 where it cannot be read; nil for the last that is known to be
    ///   on the disk.
    private func rotate(
        _ reason: AuditChain.Reason, lastOf lastLine: Int64? = nil, at moment: Int64
    ) throws(AuditFault) {
        let next = path + "-next"
        // Unsafe: here and below, paths and bytes are lent for the calls.
        unsafe unlink(next)
        let fresh = unsafe open(next, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard fresh >= 0 else { throw AuditFault(failed: "cannot make \(next)") }
        FileIdentity(descriptor)?.giveOwner(to: fresh)
        let (position, mark) = (written, durable)
        do throws(AuditFault) {
            guard flock(fresh, LOCK_EX | LOCK_NB) == 0 else { throw AuditFault(failed: "cannot lock \(next)") }
            let count = try startSegment(reason, in: fresh, at: moment)
            try setAsideCurrent(behind: lastLine ?? mark.number, at: moment)
            guard unsafe rename(next, path) == 0 else { throw AuditFault(failed: "cannot rename \(next)") }
            size = count
        } catch {
            // Its line was never seen.
            move(to: position)
            durable = mark
            unsafe unlink(next)
            systemClose(fresh)
            throw error
        }
        closeFile()
        (descriptor, isTaken) = (fresh, true)
        try syncFolder()
    }

    /// - Returns: how many bytes it has written.
    private func startSegment(
        _ reason: AuditChain.Reason, in descriptor: Int32, at moment: Int64
    ) throws(AuditFault) -> Int64 {
        var line = ByteWriter(capacity: 512)
        do throws(CryptoError) {
            try chain.beginSegment(reason, unsynced: written.number - durable.number, at: moment, to: &line)
        } catch { throw AuditFault("\(error)") }
        do throws(AuditFault) {
            try calls.put(line, into: descriptor, path)
            try sync(descriptor)
        } catch {
            chain.position = written
            throw error
        }
        written = chain.position
        settle()
        return Int64(line.count)
    }

    /// Gives the file another name, so that the new one can have its own.
    private func setAsideCurrent(behind number: Int64, at moment: Int64) throws(AuditFault) {
        guard let there = FileIdentity(path) else { return }
        guard there == FileIdentity(descriptor) else { throw AuditFault("\(path) was replaced just now") }
        guard there.names == 1 else { return }
        let end = number > 0 ? AuditFile.padded(number) : "unreadable"
        _ = try AuditFile.named("\(path).\(AuditFile.stamp(moment))-\(end)") { name in
            // Not every file system has links; then the name is nobody's for a moment.
            unsafe link(path, name) == 0 || (errno != EEXIST && rename(path, name) == 0)
        }
    }

    // MARK: The system

    private func sync(_ descriptor: Int32) throws(AuditFault) {
        guard calls.sync(descriptor) == 0 else { throw AuditFault(failed: "cannot bring \(path) to the disk") }
    }

    /// Without this, a new file's name may be lost with the power.
    private func syncFolder() throws(AuditFault) {
        let folder = try AuditFile.openFolder(of: path)
        defer { systemClose(folder) }
        // Some file systems have no such thing.
        guard fsync(folder) == 0 || errno == EINVAL else { throw AuditFault(failed: "cannot sync the folder") }
    }

    private func setAside(_ bytes: [UInt8], at moment: Int64) throws(AuditFault) -> String {
        var file: Int32 = -1
        let name = try AuditFile.named("\(path)-torn.\(AuditFile.stamp(moment))") { name in
            file = unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            return file >= 0
        }
        defer { systemClose(file) }
        FileIdentity(descriptor)?.giveOwner(to: file)
        let count = unsafe bytes.withUnsafeBytes { unsafe calls.write(file, $0) }
        guard count == bytes.count, calls.sync(file) == 0 else { throw AuditFault(failed: "cannot write \(name)") }
        return name
    }

    /// Opens the file for appending, and locks it; not where another user could write it or put another in its place. Its folder
    /// is opened with it.
    private static func openLocked(_ path: String) throws(AuditFault) -> (file: Int32, folder: Int32) {
        let trust = AuditFileTrust(path)
        if let fault = trust.folderFault { throw AuditFault(fault) }
        while true {
            let folder = try openFolder(of: path)
            do throws(AuditFault) {
                if let file = try openLocked(path, in: folder, trust) { return (file, folder) }
            } catch {
                systemClose(folder)
                throw error
            }
            systemClose(folder)
        }
    }

    /// - Returns: nil where another has its name by the time that it is locked.
    private static func openLocked(
        _ path: String, in folder: Int32, _ trust: AuditFileTrust
    ) throws(AuditFault) -> Int32? {
        let isThere = FileIdentity(path) != nil
        let file = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { throw AuditFault(failed: "cannot open \(path)") }
        do throws(AuditFault) {
            if !isThere { FileIdentity(AuditFileTrust.folder(of: path))?.giveOwner(to: file) }
            guard let mark = FileIdentity(file) else { throw AuditFault(failed: "cannot look at \(path)") }
            if let fault = trust.fault(of: mark) { throw AuditFault(fault) }
            try lock(file, in: folder, path)
            // Another may have been put in its trust before it was locked, and this one another name.
            if let locked = FileIdentity(file), locked == FileIdentity(path) {
                if let fault = trust.nameFault(of: locked) { throw AuditFault(fault) }
                return file
            }
        } catch {
            systemClose(file)
            throw error
        }
        systemClose(file)
        return nil
    }

    /// How long others may have the file, which is as long as a disk may take.
    private static let patience = Duration.seconds(5)

    /// Waits for its turn, but no longer than for a disk. A process that waits has the folder locked, so that the one
    /// that had the file does not take it again before.
    private static func lock(_ file: Int32, in folder: Int32, _ path: String) throws(AuditFault) {
        defer { flock(folder, LOCK_UN) }
        let end = ContinuousClock.now + AuditFile.patience
        for descriptor in [folder, file] {
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else {
                    // Not every file system locks folders; where it does not, turns are left to chance.
                    if descriptor == folder { break }
                    throw AuditFault(failed: "cannot lock \(path)")
                }
                guard ContinuousClock.now < end else {
                    throw AuditFault("others have kept \(path) locked for \(AuditFile.patience)")
                }
                usleep(250)
            }
        }
    }

    private static func openFolder(of path: String) throws(AuditFault) -> Int32 {
        let folder = AuditFileTrust.folder(of: path)
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AuditFault(failed: "cannot open \(folder)") }
        return descriptor
    }
}
