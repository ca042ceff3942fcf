#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which file something is.
struct FileMark: Equatable {
    private let device: dev_t
    private let inode: ino_t
    let names: Int
    let isRegular: Bool
    let size: Int64
    let user: uid_t
    private let group: gid_t

    static func == (a: FileMark, b: FileMark) -> Bool { a.device == b.device && a.inode == b.inode }

    private init(_ info: stat) {
        device = info.st_dev
        inode = info.st_ino
        names = Int(info.st_nlink)
        isRegular = info.st_mode & S_IFMT == S_IFREG
        size = Int64(info.st_size)
        (user, group) = (info.st_uid, info.st_gid)
    }

    /// Gives a file that root has made to the owner of this one, who goes on with it.
    func giveOwner(to file: Int32) {
        if geteuid() == 0 { fchown(file, user, group) }
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
