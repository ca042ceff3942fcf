#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Two sockets that are connected with one another, for servers that read and write a descriptor.
package enum SocketPair {
    /// Sends bytes and the end of them to `serve`, which runs on this thread, and collects what it sends: at most what a socket holds.
    package static func exchange(_ bytes: [UInt8], with serve: (Int32) -> Void) -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return [] }
        defer { close(ends[0]) }
        _ = write(ends[0], bytes, bytes.count)
        shutdown(ends[0], Int32(SHUT_WR))
        serve(ends[1])
        close(ends[1])
        var answer: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 64 * 1024)
        while case let count = read(ends[0], &room, room.count), count > 0 { answer += room[..<count] }
        return answer
    }
}
