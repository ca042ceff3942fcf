import Bytes

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An address to listen on or to connect to: a numeric IPv4 or IPv6 address and a port, or the path of a Unix socket.
package struct SocketAddress: Sendable, CustomStringConvertible {
    // Unsafe: a storage has room for an address of any family, whose bytes may be anything; it is lent for the call.
    private var storage: sockaddr_storage
    package let family: Int32

    package init(_ name: ListenAddress) {
        switch name {
        case .network(let name): self.init(name)
        case .unix(let path): self.init(path: path)
        }
    }

    /// - Parameter path: of at most `ListenAddress.longestPath` bytes; what is beyond is left out.
    private init(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
        }
        family = AF_UNIX
        storage = SocketAddress.stored(address)
    }

    package init(_ name: HostPort) { self.init(name.address, port: name.port) }

    package init(_ numeric: IPAddress, port: UInt16) {
        if numeric.isV6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: numeric.bytes) }
            family = AF_INET6
            storage = SocketAddress.stored(address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: numeric.bytes) }
            family = AF_INET
            storage = SocketAddress.stored(address)
        }
    }

    /// The address that a socket is bound to.
    package init?(boundBy descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        self.storage = storage
        family = Int32(storage.ss_family)
    }

    /// 0 for a Unix socket.
    package var port: UInt16 {
        switch family {
        case AF_INET: read(sockaddr_in.self) { UInt16(bigEndian: $0.sin_port) }
        case AF_INET6: read(sockaddr_in6.self) { UInt16(bigEndian: $0.sin6_port) }
        default: 0
        }
    }

    /// That of a Unix socket; nil for any other.
    var path: String? {
        guard family == AF_UNIX else { return nil }
        return read(sockaddr_un.self) { address in
            unsafe withUnsafeBytes(of: address.sun_path) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }

    /// The address without its port, an IPv6 address in brackets, as a Host field would name it.
    package var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
        if family == AF_INET {
            _ = unsafe read(sockaddr_in.self) { address in
                var address = address.sin_addr
                return unsafe inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
            }
        } else {
            _ = unsafe read(sockaddr_in6.self) { address in
                var address = address.sin6_addr
                return unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
            }
        }
        let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return family == AF_INET ? name : "[\(name)]"
    }

    package var description: String { path.map { "unix:\($0)" } ?? "\(host):\(port)" }

    /// Whether it is the same address and the same port.
    func equals(_ other: SocketAddress) -> Bool {
        family == other.family && path == other.path && host == other.host && port == other.port
    }

    /// Lends the address to a system call.
    package func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        let length =
            switch family {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: MemoryLayout<sockaddr_un>.size
            }
        return unsafe withUnsafePointer(to: storage) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(length)) }
        }
    }

    private static func stored<Address>(_ address: Address) -> sockaddr_storage {
        var storage = sockaddr_storage()
        unsafe withUnsafeMutableBytes(of: &storage) { target in
            unsafe withUnsafeBytes(of: address) { unsafe target.copyMemory(from: $0) }
        }
        return storage
    }

    private func read<Address, Result>(_: Address.Type, _ body: (Address) -> Result) -> Result {
        unsafe withUnsafeBytes(of: storage) { unsafe body($0.loadUnaligned(as: Address.self)) }
    }
}
