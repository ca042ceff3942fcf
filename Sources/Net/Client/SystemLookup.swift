import Bytes

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The system's way to find the addresses of a name; it waits for name servers.
package enum SystemLookup {
    // Unsafe: the list is the system's, read within one call and freed at its end.

    /// More addresses of a name than that are not tried.
    private static let mostAddresses = 8

    /// IPv4 and IPv6 addresses in the order in which the system would try them (RFC 6724).
    package static func addresses(of name: String) -> Resolver.Outcome {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(name, nil, &hints, &list)
        guard result == 0 else { return .failure(isFinal(result) ? .unknown : .unavailable) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = unsafe list
        while let entry = unsafe next, addresses.count < mostAddresses {
            if let address = unsafe address(of: entry.pointee), !addresses.contains(address) {
                addresses.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(.unknown) : .success(addresses)
    }

    private static func isFinal(_ result: Int32) -> Bool {
        #if canImport(Glibc)
            // The second is behind a feature macro in the header.
            let noAddress: Int32 = -5
            return result == EAI_NONAME || result == noAddress
        #else
            return result == EAI_NONAME
        #endif
    }

    private static func address(of entry: addrinfo) -> IPAddress? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard unsafe entry.ai_family == AF_INET || entry.ai_family == AF_INET6,
            unsafe getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                == 0
        else { return nil }
        // An address of one link only is told with its interface, and is then none for anybody else.
        return IPAddress(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
