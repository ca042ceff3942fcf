import Bytes

/// Where the vendor's public key is that signed a callback: the callback says so itself, so nothing but the vendor's own host
/// is believed, and what is fetched is fetched by HTTPS.
struct CallbackKeyURL: Hashable, Sendable {
    static let host: StaticString = "gosspublic.alicdn.com"

    private static let starts = ["https://", "http://"].map { (scheme: StaticString) in
        scheme.array + host.array + [UInt8(ascii: "/")]
    }

    /// The path on that host, which needs no encoding.
    let path: [UInt8]

    /// Where the vendor has had its key from the beginning.
    var isUsual: Bool { path.span.equals("/callback_pub_key_v1.pem") }

    /// - Parameter field: the value of `x-oss-pub-key-url`: the base64 of the URL, whose scheme the vendor's samples give as
    ///   `http`. Nil comes back for any other host, port, user, query or fragment.
    init?(_ field: Span<UInt8>) {
        guard field.count <= 512, let url = Base64.standard.decode(field) else { return nil }
        for start in CallbackKeyURL.starts where url.starts(with: start) {
            // The path begins with the last / of that.
            let path = Array(url[(start.count - 1)...])
            guard CallbackKeyURL.isPath(path) else { return nil }
            self.path = path
            return
        }
        return nil
    }

    /// Names of letters, digits and `-_.`, none of them of dots alone.
    private static func isPath(_ path: [UInt8]) -> Bool {
        path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { name in
            name.contains { $0 != UInt8(ascii: ".") }
                && name.allSatisfy { $0.isLetterOrDigit || "-_.".utf8.contains($0) }
        }
    }
}
