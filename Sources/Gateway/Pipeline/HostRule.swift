import Bytes
import Configuration
import HTTP

/// R1: which Host names are answered to, so that a web page cannot reach a loopback listener by a name of its own
/// (DNS rebinding).
struct HostRule: Sendable {
    /// Nil when every name is.
    private let names: [[UInt8]]?
    /// Whether every numeric address is, too: no web page can have one for a name of its own.
    private let admitsAddresses: Bool

    /// - Parameters:
    ///   - listener: the address that is listened on.
    ///   - isAdmin: whether it is the admin's, which is asked by the machine's address, off loopback.
    init(_ server: Configuration.Server, listener: ListenAddress, isAdmin: Bool = false) {
        admitsAddresses = isAdmin && !listener.isLocal
        names = server.names(at: listener)
    }

    func admits(_ authority: Span<UInt8>) -> Bool {
        guard let names else { return true }
        let host = authority.extracting(0..<HostRule.hostLength(of: authority))
        for name in names where host.equals(ignoringCaseOf: name) { return true }
        return admitsAddresses && HostPort("\(host.text):0") != nil
    }

    /// Without the port: what comes before the colon that is not inside an IPv6 literal's brackets.
    private static func hostLength(of authority: Span<UInt8>) -> Int {
        var index = authority.count
        while index > 0 {
            index -= 1
            if authority[index] == UInt8(ascii: "]") { return authority.count }
            if authority[index] == UInt8(ascii: ":") { return index }
        }
        return authority.count
    }
}
