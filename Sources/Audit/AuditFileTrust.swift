import Machine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Judges whether another user could write an audit's file, or put another in its place.
///
/// The service asks when it opens the file; `countersign check` asks before, by the same rules.
package struct AuditFileTrust {
    private let path: String
    private let folder: String
    private let trust: FileTrust

    package init(_ path: String) {
        self.path = path
        folder = AuditFileTrust.folder(of: path)
        // Root goes on with a service's file, which belongs to the service's user as its folder does.
        trust = FileTrust(andOf: geteuid() == 0 ? FileIdentity(following: folder)?.user : nil)
    }

    /// The folder of a file, as a path that ends with a slash; for a name without a slash, the current folder.
    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// Why there is no folder where the file could be made; nil when there is one.
    package var missingFolder: String? {
        guard FileIdentity(following: folder) == nil, errno == ENOENT else { return nil }
        return "the folder \(folder) does not exist; the service does not start without it"
    }

    /// Why the service would write no audit here, and what would be right; nil when it would.
    package var fault: String? {
        if let fault = folderFault { return fault }
        guard let mark = FileIdentity(path) else { return nil }
        if let fault = fault(of: mark) { return fault }
        // A running service may have put another file there meanwhile.
        return nameFault(of: mark).flatMap { FileIdentity(path) == mark ? $0 : nil }
    }

    /// Why others could keep the service from writing, though they can write nothing themselves; nil when nobody could. Processes take turns
    /// by a lock on the folder and on the file, and a user that can read these can hold the lock.
    package var weakness: String? {
        for (path, mark) in [(folder, FileIdentity(following: folder)), (path, FileIdentity(path))] {
            guard let mode = mark?.info.st_mode, mode & 0o044 != 0 else { continue }
            return "others can read \(path), and could hold its lock, so that nothing is issued; chmod go-r \(path)"
        }
        return nil
    }

    /// Why another user could put another file here; nil when none could.
    var folderFault: String? { trust.fault(ofFolderForOwnFiles: folder).map { "\(path) is not written: \($0)" } }

    /// Why the file is no audit's, or who else could write it; nil when nobody could.
    func fault(of file: FileIdentity) -> String? {
        guard file.isRegular else { return "\(path) is no ordinary file" }
        return trust.fault(of: path, file.info).map { "\(path) is not written: \($0)" }
    }

    /// By a name (hard link) that stands elsewhere, the file could be written and kept although it is closed and gone here. In the
    /// audit's own folder it may have another one, where a process has ended in the midst of setting it aside.
    func nameFault(of file: FileIdentity) -> String? {
        guard file.names > 1 else { return nil }
        let own = FolderNames.read(folder).count { FileIdentity("\(folder)/\($0)") == file }
        guard own < file.names else { return nil }
        return
            "\(path) is not written: it has \(file.names) names, and not all are in its folder; by such a hard link it could be "
            + "changed; remove that, or move the file away, and a new one is begun"
    }
}
