#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which file something is.
struct FileIdentity: Equatable {
    /// What the system said of it.
    let info: stat
    var names: Int { Int(info.st_nlink) }
    var isRegular: Bool { info.st_mode & S_IFMT == S_IFREG }
    var size: Int64 { Int64(info.st_size) }
    var user: uid_t { info.st_uid }

    static func == (a: FileIdentity, b: FileIdentity) -> Bool {
        a.info.st_dev == b.info.st_dev && a.info.st_ino == b.info.st_ino
    }

    private init(_ info: stat) { self.info = info }

    /// Gives a file that root has made to the owner of this one, who goes on with it.
    func giveOwner(to file: Int32) {
        if geteuid() == 0 { fchown(file, info.st_uid, info.st_gid) }
    }

    init?(_ descriptor: Int32) {
        var info = stat()
        // Unsafe: a local that the system writes within the call.
        guard unsafe fstat(descriptor, &info) == 0 else { return nil }
        self.init(info)
    }

    /// The file that a path leads to, even by a link.
    init?(following path: String) {
        var info = stat()
        guard unsafe stat(path, &info) == 0 else { return nil }
        self.init(info)
    }

    init?(_ path: String) {
        var info = stat()
        guard unsafe lstat(path, &info) == 0 else { return nil }
        self.init(info)
    }
}
