import Bytes
import Crypto

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How far the lines went when a process last began or stopped writing them, in a small file beside the audit's own.
///
/// Lines that are cut off at the end leave a chain that holds. So each start compares the end of the audit with this record,
/// which is signed with a key derived from the audit's. Every process that writes the audit holds a shared lock on the file for
/// as long as it lives: so a start knows whether it is alone. A process reads or writes the record only with the audit's file locked.
final class AuditHead {
    struct Record {
        var position = AuditChain.Position()
        /// Processes that have begun and have not recorded their stop.
        var running: Int64 = 0
    }

    let path: String
    /// Whether no other process wrote the audit when this one began.
    let isAlone: Bool
    private let descriptor: Int32
    private let key: HMACKey
    private let calls: AuditSystemCalls

    /// Bytes of the file, whatever the record. A disk writes no less than this at once: so a loss of power leaves the old record or
    /// the new one, and no half.
    private static let size = 512
    private static let purpose = Array("the head of an audit".utf8)

    /// - Parameters:
    ///   - audit: the path of the audit's own file.
    ///   - key: the audit's.
    init(of audit: String, by key: HMACKey, calls: AuditSystemCalls) throws(AuditFault) {
        path = audit + "-head"
        self.calls = calls
        do throws(CryptoError) { self.key = try key.derived(by: AuditHead.purpose.span) } catch {
            throw AuditFault("\(error)")
        }
        let isThere = FileIdentity(path) != nil
        // Unsafe: here and below, paths and bytes are lent for the calls.
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw AuditFault(failed: "cannot open \(path)") }
        isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard FileIdentity(descriptor)?.isRegular == true else { throw AuditFault("\(path) is no ordinary file") }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { throw AuditFault(failed: "cannot lock \(path)") }
        if !isThere { FileIdentity(audit)?.giveOwner(to: descriptor) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        // A child that was just forked still has the descriptor, and would keep the lock until it runs another program.
        flock(descriptor, LOCK_UN)
        systemClose(descriptor)
    }

    /// The record that was written last; nil where there is none under the key.
    func read() throws(AuditFault) -> Record? {
        var bytes = [UInt8](repeating: 0, count: AuditHead.size)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw AuditFault(failed: "cannot read \(path)") }
        guard let value = try? JSONReader.read(Array(bytes[..<count]), as: .json),
            let number = AuditHead.number(value["seq"]), let running = AuditHead.number(value["running"]),
            let head = value["head"]?.text.flatMap({ ParsedAuditLine.code($0.span) }),
            let code = value["mac"]?.text.flatMap({ ParsedAuditLine.code($0.span) })
        else { return nil }
        let record = Record(position: AuditChain.Position(number: number, head: head), running: running)
        return try self.code(of: AuditHead.text(of: record)).constantTimeEquals(code) ? record : nil
    }

    /// Writes another record over the last, and waits until the disk has it.
    func write(_ record: Record) throws(AuditFault) {
        var text = AuditHead.text(of: record)
        let code = try code(of: text)
        text.append(afterOthers: true, members: { $0.add("mac", hex: code.bytes) })
        text.append("}")
        while text.count < AuditHead.size - 1 { text.append(" ") }
        text.append("\n")
        let count = unsafe text.bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == text.count, calls.sync(descriptor) == 0 else { throw AuditFault(failed: "cannot write \(path)") }
    }

    private static func number(_ value: JSONValue?) -> Int64? {
        guard case .number(let number)? = value?.content, let integer = number.integer,
            (0...AuditChain.lastNumber).contains(integer)
        else { return nil }
        return integer
    }

    private func code(of text: borrowing ByteWriter) throws(AuditFault) -> Digest {
        do throws(CryptoError) { return try key.sign(text.bytes) } catch { throw AuditFault("\(error)") }
    }

    /// The record as far as its code is over it: the code stands behind it in the same object.
    private static func text(of record: Record) -> ByteWriter {
        var text = ByteWriter(capacity: size)
        text.append("{")
        text.append(members: { json in
            json.add("seq", record.position.number)
            json.add("head", hex: record.position.head.bytes)
            json.add("running", record.running)
        })
        return text
    }
}
