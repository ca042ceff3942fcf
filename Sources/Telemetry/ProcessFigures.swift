import Bytes

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the process takes of the machine. Where `/proc` is missing only what the system's calls tell.
package struct ProcessFigures: Sendable {
    /// Seconds of all threads, in the kernel and outside of it.
    package private(set) var processorTime = 0.0
    /// Bytes; nil where it cannot be told, as are the following.
    package private(set) var residentMemory: Int?
    package private(set) var openFiles: Int?
    package private(set) var fileLimit: Int?
    /// Seconds since 1970.
    package private(set) var startTime: Double?

    package static func read() -> ProcessFigures {
        var figures = ProcessFigures()
        var usage = rusage()
        #if canImport(Glibc)
            // Unsafe: figures and buffers are lent for the calls; the folder is closed where it is opened.
            unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        figures.processorTime = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        figures.fileLimit = fileLimit()
        #if canImport(Glibc)
            let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
            if let pages = words(of: "/proc/self/statm").dropFirst().first, let count = Int(pages) {
                figures.residentMemory = count * pageSize
            }
            figures.openFiles = openFiles()
            figures.startTime = startTime()
        #endif
        return figures
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    private static func fileLimit() -> Int? {
        var limit = rlimit()
        #if canImport(Glibc)
            guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        #else
            guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return nil }
        #endif
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
        private static func openFiles() -> Int? {
            guard let folder = unsafe opendir("/proc/self/fd") else {
                // A look takes a descriptor: where there is none left, all that there may be are open.
                return errno == EMFILE ? fileLimit() : nil
            }
            defer { unsafe closedir(folder) }
            var count = 0
            while unsafe readdir(folder) != nil { count += 1 }
            // Neither `.` and `..` nor what this very look has opened.
            return max(0, count - 3)
        }

        /// The moment the system started, and how long after it the process did (proc(5), field 22 of `stat`).
        private static func startTime() -> Double? {
            // What stands before the last parenthesis is the name, which may hold anything.
            let fields = text(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
            let lines = text(of: "/proc/stat").split(separator: "\n")
            guard let line = lines.first(where: { $0.hasPrefix("btime ") }), let boot = Double(line.dropFirst(6)) else {
                return nil
            }
            return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        }

        private static func words(of path: String) -> [Substring] { text(of: path).split(separator: " ") }

        private static func text(of path: String) -> String {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return "" }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 64 * 1024)
            var count = 0
            while count < bytes.count {
                let more = unsafe bytes.withUnsafeMutableBytes {
                    unsafe Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
                }
                guard more > 0 else { break }
                count += more
            }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    #endif
}
