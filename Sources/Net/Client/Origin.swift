import Bytes

/// Whom an exchange is with: what connections and TLS sessions may be used again for.
struct Origin: Hashable {
    /// In lower case, without brackets and without a final dot.
    let host: String
    /// Of a host that is a numeric address.
    let address: IPAddress?
    let port: UInt16
    /// Nil for plain http.
    let trust: TLSTrust?

    /// Plain http: the cloud's metadata service, which every ECS instance reaches by itself.
    private static let metadataService = "100.100.100.200"

    /// - Throws: for a host that is none, and for plain http to where it must not go.
    init(_ exchange: Exchange) throws(ExchangeError) {
        let trust: TLSTrust? =
            switch exchange.scheme {
            case .https(let trust): trust
            case .http: nil
            }
        guard let origin = Origin(exchange.host, exchange.port, trusting: trust) else { throw .resolve(.badName) }
        guard trust != nil || origin.isLocal || origin.host == Origin.metadataService else { throw .plainHTTP }
        self = origin
    }

    /// - Parameter trust: nil for no TLS.
    /// - Returns: nil for a host that is none.
    init?(_ host: String, _ port: UInt16, trusting trust: TLSTrust?) {
        self.host = Origin.normalised(host)
        self.port = port
        self.trust = trust
        address = IPAddress(self.host)
        guard address != nil || Origin.isName(self.host), port != 0 else { return nil }
    }

    /// Its addresses when they need no look-up; nil for any other name. `localhost` and what is below it are this
    /// machine, whatever a name server says.
    var knownAddresses: [IPAddress]? {
        if let address { return [address] }
        guard Localhost.isName(host.utf8) else { return nil }
        return [IPAddress("127.0.0.1"), IPAddress("::1")].compactMap { $0 }
    }

    private var isLocal: Bool { knownAddresses?.allSatisfy(\.isLoopback) ?? false }

    private static func normalised(_ host: String) -> String {
        var bytes = Array(host.utf8).map(\.lowercasedASCII)[...]
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") { bytes = bytes.dropFirst().dropLast() }
        if bytes.last == UInt8(ascii: ".") { bytes = bytes.dropLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Letters, digits, `-` and `_` between dots. The last label begins with a letter, since the system takes `127.1` and
    /// `0x7f000001` for addresses.
    private static func isName(_ host: String) -> Bool {
        guard host.utf8.count <= 253 else { return false }
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let first = labels.last?.first, ByteSet.lowercase.contains(first) else { return false }
        return labels.allSatisfy { labelBytes.contains(all: Array($0), length: 1...63) }
    }

    private static let labelBytes = ByteSet.lowercaseLabel.union("_")

    static func == (a: Origin, b: Origin) -> Bool { a.host == b.host && a.port == b.port && a.trust === b.trust }

    func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(trust.map(ObjectIdentifier.init))
    }
}
