import CSystem

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the system says of this process and of the time.
package enum SystemFacts {
    /// Processors that the process may run on, at least one.
    package static var processors: Int { max(1, Int(cs_processors())) }

    /// Seconds since 1970.
    package static var unixSeconds: Int64 { Int64(time(nil)) }

    /// The name of the user who runs this process; its number where it has none.
    package static var userName: String {
        var (entry, found) = unsafe (passwd(), UnsafeMutablePointer<passwd>?.none)
        var text = [CChar](repeating: 0, count: 4096)
        // Unsafe: the system writes to locals, and the name, which is among them, is copied at once.
        guard unsafe getpwuid_r(getuid(), &entry, &text, text.count, &found) == 0, unsafe found != nil,
            let name = unsafe entry.pw_name
        else { return "user \(getuid())" }
        return unsafe String(cString: name)
    }

    /// The machine's name; nil where it has none.
    package static var hostName: String? {
        var text = [CChar](repeating: 0, count: 256)
        // Unsafe: the system writes at most as many bytes as there are.
        guard unsafe gethostname(&text, text.count - 1) == 0, text[0] != 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The absolute path of the folder that the process is in; nil where it is gone.
    package static var folder: String? {
        // Unsafe: the system allocates the text, which is copied and freed here.
        guard let text = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// The path of the file that the process runs; nil where the system does not say.
    package static var program: String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        // Unsafe: the system writes at most as many bytes as there are.
        let count = unsafe readlink("/proc/self/exe", &text, text.count)
        return count > 0 ? String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
