import Bytes

/// Where the vendor's public key is that signed a callback: the callback says so itself, so nothing but a key's path on the
/// vendor's own host is believed, and what is fetched is fetched by HTTPS. That host is a CDN with other files, too: an attacker
/// who could put a file there would otherwise have a key of its own believed.
struct CallbackKeyURL: Hashable, Sendable {
    static let host: StaticString = "gosspublic.alicdn.com"

    private static let starts = ["https://", "http://"].map { (scheme: StaticString) in
        scheme.array + host.array + [UInt8(ascii: "/")]
    }

    /// What is written of a key's path before its version, and behind it (OSS API reference, "Callback").
    private static let (pathStart, pathEnd) = ("/callback_pub_key_v" as StaticString, ".pem" as StaticString)

    /// The path on that host, which needs no encoding.
    let path: [UInt8]

    /// Where the vendor has had its key from the beginning.
    var isUsual: Bool { path.span.equals("/callback_pub_key_v1.pem") }

    /// - Parameter field: the value of `x-oss-pub-key-url`: the base64 of the URL, whose scheme the vendor's samples give as
    ///   `http`. Nil comes back for any other host, path, port, user, query or fragment.
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

    /// `/callback_pub_key_v1.pem`, with a version of one to three digits that does not begin with 0.
    private static func isPath(_ path: [UInt8]) -> Bool {
        let (start, end) = (pathStart.utf8CodeUnitCount, path.count - pathEnd.utf8CodeUnitCount)
        guard (start + 1...start + 3).contains(end), path.span.extracting(0..<start).equals(pathStart),
            path.span.extracting(end..<path.count).equals(pathEnd)
        else { return false }
        return path[start] != UInt8(ascii: "0") && path[start..<end].allSatisfy(\.isDigit)
    }
}
