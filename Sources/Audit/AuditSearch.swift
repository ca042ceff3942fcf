import Machine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The lines of an audit that have a text in them: of its file, then of those that were set aside, each from its end. Nothing is verified.
package struct AuditSearch {
    /// Bytes that are looked at, at most.
    private static let reach: Int64 = 1 << 30
    /// Lines that are held at a time.
    private static let pageSize = 10_000

    /// Whether all files were looked at to their beginning.
    package private(set) var isComplete = true

    /// - Parameters:
    ///   - path: of the file that is written now; that there is none is no fault.
    ///   - body: gets each line.
    /// - Throws: where a file cannot be read, or holds something that is no line.
    package init(of path: String, with text: [UInt8], _ body: ([UInt8]) -> Void) throws(AuditFault) {
        var left = AuditSearch.reach
        for file in AuditSearch.files(of: path) {
            guard let size = FileIdentity(file)?.size else { continue }
            guard size <= left else {
                isComplete = false
                return
            }
            left -= size
            var before: Int64?
            repeat {
                let page = try AuditPage(of: file, before: before, with: text, most: AuditSearch.pageSize)
                for line in page.lines { body(line) }
                before = page.before
            } while before != nil
        }
    }

    /// The newest first: names of files that were set aside have the time in them.
    private static func files(of path: String) -> [String] {
        let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let (folder, name) = (String(path[..<end]), path[end...])
        let aside = FolderNames.read(folder.isEmpty ? "." : folder).filter { $0.hasPrefix(name + ".") }
        return [path] + aside.sorted(by: >).map { folder + $0 }
    }
}
