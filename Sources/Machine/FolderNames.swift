#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What stands in a folder.
package enum FolderNames {
    /// - Returns: the names of all files and folders there; none where it cannot be read.
    package static func read(_ path: String) -> [String] {
        // Unsafe: the path is lent for the call, and each entry is copied before the next is asked for.
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }
}
