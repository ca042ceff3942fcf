#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Judges whether anybody but root and the user of the process can change a file, or put another in its place.
///
/// The rules are those of OpenSSH for keys and their folders (StrictModes of sshd_config(5)): the file and every folder on the way to
/// it belong to root or to that user, and neither group nor others may write there. Every link on the way is judged, with the folder
/// that it stands in. A folder with the sticky bit may be writable, since only the owner of a file can replace it there;
/// mounted secrets of Kubernetes stand in such folders.
package struct FileTrust: Sendable {
    // Unsafe: paths are lent to the system for a call, and it writes to locals.

    /// Whom files and folders may belong to.
    private let owners: Set<uid_t>
    private let user = geteuid()

    /// - Parameter owner: another user whom files may belong to; for root, who works on the files of a service.
    package init(andOf owner: uid_t? = nil) { owners = Set([0, user] + (owner.map { [$0] } ?? [])) }

    /// - Parameter info: what the system says of the file, best by the descriptor that was opened by the path.
    /// - Returns: why another user can change the file, and what would be right; nil when none can.
    package func fault(of path: String, _ info: stat) -> String? {
        // A pipe, or a file that is gone, has come by a descriptor when the process was started.
        let hasPath = info.st_mode & S_IFMT == S_IFREG && info.st_nlink > 0
        return fault(onTheWayTo: path, isWhole: hasPath) ?? fault(ofOwner: info, path)
            ?? fault(ofMode: info, path, "change \(path)")
    }

    /// - Returns: why another user can put other files into a folder; nil when none can.
    package func fault(ofFolder path: String) -> String? { fault(onTheWayTo: path + "/.", isWhole: true) }

    /// - Returns: why another user can make files in a folder in which the service makes its own; nil when none can. The sticky bit
    ///   does not help here: the first user to make a file has its name.
    package func fault(ofFolderForOwnFiles path: String) -> String? {
        if let fault = fault(ofFolder: path) { return fault }
        guard let info = FileTrust.info(path + "/.") else { return "\(path) cannot be looked at" }
        return fault(ofMode: info, path, "make files in \(path)")
    }

    /// More links than the system itself would follow.
    private static let mostLinks = 40

    /// - Parameter isWhole: whether the way must lead to its end.
    private func fault(onTheWayTo path: String, isWhole: Bool) -> String? {
        // What is left of the way, the next name last.
        var rest = names(path).reversed() as [Substring]
        var folder = ""
        if !path.hasPrefix("/") {
            guard let current = FileTrust.currentFolder else { return "the current folder has no name" }
            rest += names(current).reversed()
        }
        var links = 0
        if let fault = fault(ofFolder: folder, at: "/") { return fault }
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
                continue
            }
            let entryPath = "\(folder)/\(name)"
            guard let info = FileTrust.info(entryPath) else {
                return isWhole ? "\(entryPath) cannot be looked at" : nil
            }
            switch info.st_mode & S_IFMT {
            case S_IFLNK:
                links += 1
                guard links <= FileTrust.mostLinks, let target = FileTrust.target(of: entryPath) else {
                    return "\(entryPath) is a link that cannot be followed"
                }
                if let fault = fault(ofOwner: info, entryPath) { return fault }
                if target.hasPrefix("/") { folder = "" }
                rest += names(target).reversed()
            case S_IFDIR:
                if let fault = fault(ofFolder: entryPath, at: entryPath) { return fault }
                folder = entryPath
            default:
                // The file itself; it is judged by its descriptor.
                folder = entryPath
            }
        }
        return nil
    }

    private func fault(ofFolder folder: String, at path: String) -> String? {
        guard let info = FileTrust.info(path) else { return "\(path) cannot be looked at" }
        if let fault = fault(ofOwner: info, path) { return fault }
        let isSticky = info.st_mode & 0o1000 != 0
        return isSticky ? nil : fault(ofMode: info, path, "replace what is in \(path)")
    }

    private func fault(ofOwner info: stat, _ path: String) -> String? {
        guard !owners.contains(info.st_uid) else { return nil }
        return "\(path) belongs to the user with the number \(info.st_uid), who can change it; "
            + "chown it to root, or to the user who runs this (\(user))"
    }

    private func fault(ofMode info: stat, _ path: String, _ deed: String) -> String? {
        if info.st_mode & 0o002 != 0 { return "anybody on this machine can \(deed); chmod o-w it" }
        if info.st_mode & 0o020 != 0 { return "the group with the number \(info.st_gid) can \(deed); chmod g-w it" }
        return nil
    }

    private func names(_ path: String) -> [Substring] { path.split(separator: "/") }

    private static var currentFolder: String? {
        guard let name = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(name) }
        return unsafe String(cString: name)
    }

    /// Of a link, not of what it leads to.
    private static func info(_ path: String) -> stat? {
        var info = stat()
        return unsafe lstat(path, &info) == 0 ? info : nil
    }

    private static func target(of link: String) -> String? {
        var text = [CChar](repeating: 0, count: 4097)
        let count = unsafe readlink(link, &text, text.count - 1)
        guard count > 0, count < text.count - 1 else { return nil }
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
