import Bytes
import Crypto

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension AuditVerifier {
    /// How much of a file is read.
    package enum Extent {
        /// To its end: nobody writes it any more.
        case all
        /// The whole lines that it has when it is opened: it is being written.
        /// - Parameter most: bytes that it may have.
        case written(most: Int64)
    }

    private static let longestLine = 1 << 20

    /// Reads all lines of a file.
    /// - Throws: `AuditFault` where it cannot be read, is no ordinary file, is too large, or has a line without end.
    package mutating func read(file path: String, _ extent: Extent = .all) throws {
        // Unsafe: the path is lent for the call. Without waiting: to open a pipe would, for who writes into it.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw AuditFault(failed: "cannot read \(path)") }
        defer { systemClose(descriptor) }
        guard let identity = FileIdentity(descriptor), identity.isRegular else {
            throw AuditFault("cannot read \(path): it is no ordinary file")
        }
        begin(path)
        switch extent {
        case .all:
            let rest = try readLines(of: descriptor, path, upTo: .max)
            if !rest.isEmpty { try read(rest.span, isWhole: false) }
        case .written(let most):
            guard identity.size <= most else {
                throw AuditFault("\(path) has more than \(most) bytes; verify it with `countersign audit verify`")
            }
            _ = try readLines(of: descriptor, path, upTo: identity.size)
        }
    }

    /// - Returns: what comes behind the last newline.
    private mutating func readLines(of descriptor: Int32, _ path: String, upTo end: Int64) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var rest: [UInt8] = []
        var position: Int64 = 0
        while position < end {
            let wanted = Int(min(Int64(buffer.count), end - position))
            // Unsafe: the buffer is lent for the call.
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, wanted, off_t(position))
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw AuditFault(failed: "cannot read \(path)") }
            if count == 0 { break }
            position += Int64(count)
            var start = 0
            while let newline = buffer[start..<count].firstIndex(of: UInt8(ascii: "\n")) {
                rest += buffer[start..<newline]
                try read(rest.span, isWhole: true)
                rest.removeAll(keepingCapacity: true)
                start = newline + 1
            }
            rest += buffer[start..<count]
            guard rest.count <= AuditVerifier.longestLine else {
                throw AuditFault("\(path) is no audit: it has a line without end")
            }
        }
        return rest
    }
}
