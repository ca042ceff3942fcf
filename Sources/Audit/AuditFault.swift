#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why no line can be written.
package struct AuditFault: Error, CustomStringConvertible {
    package let description: String

    package init(_ reason: String) { description = reason }

    /// - Parameter what: what failed; `errno` says why.
    init(failed what: String, _ number: Int32 = errno) {
        // Unsafe: the C library's own text is copied at once.
        description = unsafe "\(what): \(String(cString: strerror(number)))"
    }
}
