import Bytes

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The names of files that are set aside.
extension AuditFile {
    /// Takes a name that nothing has yet.
    static func named(_ name: String, _ take: (String) -> Bool) throws(AuditFault) -> String {
        for attempt in 1...100 {
            let candidate = attempt == 1 ? name : "\(name)-\(attempt)"
            if take(candidate) { return candidate }
            guard errno == EEXIST else { break }
        }
        throw AuditFault(failed: "cannot make \(name)")
    }

    static func stamp(_ moment: Int64) -> String {
        var text = ByteWriter(capacity: 16)
        ISO8601.writeBasic(moment, into: &text)
        return text.array.text
    }

    /// So wide that names come in the order of their numbers.
    static func padded(_ number: Int64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits
    }
}
