/// What a listener listens on: an address with a port, or a Unix socket.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    case network(HostPort)
    case unix(path: String)

    /// What the system has room for.
    package static let longestPath = 107

    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080` or `unix:/run/countersign.sock`.
    package init?(_ text: String) {
        guard text.hasPrefix("unix:") else {
            guard let address = HostPort(text) else { return nil }
            self = .network(address)
            return
        }
        let path = text.dropFirst(5)
        guard path.hasPrefix("/"), !path.hasSuffix("/"), path.utf8.count <= ListenAddress.longestPath,
            !path.utf8.contains(0)
        else { return nil }
        self = .unix(path: String(path))
    }

    package var description: String {
        switch self {
        case .network(let address): "\(address)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// Whether only processes of this machine can connect.
    package var isLocal: Bool {
        switch self {
        case .network(let address): address.address.isLoopback
        case .unix: true
        }
    }

    /// Where this machine reaches a listener of its own.
    package var reachable: ListenAddress {
        switch self {
        case .network(let address): .network(address.reachable)
        case .unix: self
        }
    }

    /// Whether one listener of the two would take the other's connections.
    package func overlaps(_ other: ListenAddress) -> Bool {
        switch (self, other) {
        case (.network(let one), .network(let two)): one.overlaps(two)
        case (.unix(let one), .unix(let two)): one == two
        case (.network, .unix), (.unix, .network): false
        }
    }
}
