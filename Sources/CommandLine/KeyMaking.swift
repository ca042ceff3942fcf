import Bytes
import Configuration
import Crypto
import Machine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `countersign make-key` and `countersign hash-key`: an API key of 256 random bits, or one that is there already, and its digest for
/// the configuration.
enum KeyMaking {
    /// The longest API key that `hash-key` takes, in bytes.
    private static let maximumLength = 4096

    static func make(_ options: Options) -> Exit {
        do throws(CryptoError) {
            let (key, digest) = try make()
            tell(digest, of: key, options)
            return .done
        } catch {
            Terminal.complain("countersign make-key: \(error)")
            return .failed
        }
    }

    /// A key of 43 url-safe characters, and its SHA-256 in hex.
    static func make() throws(CryptoError) -> (key: [UInt8], digest: [UInt8]) {
        let key = Base64.urlSafe.encode(try SecureRandom.bytes(32)).filter { $0 != UInt8(ascii: "=") }
        return (key, try digest(of: key))
    }

    /// The key comes by standard input alone: the process list shows arguments to everybody.
    static func hash(_ options: Options) -> Exit {
        if isatty(STDIN_FILENO) == 1 {
            Terminal.complain(
                "countersign hash-key: type the key, Enter and Ctrl-D; `countersign make-key` makes a new one")
        }
        let input = Terminal.read(atMost: maximumLength + 2) ?? []
        do throws(CryptoError) {
            guard let key = key(in: input) else {
                Terminal.complain(
                    "countersign hash-key: standard input must have one line, an API key of 1 to \(maximumLength) visible "
                        + "ASCII characters without spaces; `countersign make-key` makes a new one")
                return .failed
            }
            if let weakness = GuessableKeys.weakness(ofAPIKey: key) {
                Terminal.complain(
                    "countersign hash-key: warning: the key \(weakness); `countersign make-key` makes one that nobody can "
                        + "guess")
            }
            tell(try digest(of: key), of: nil, options)
            return .done
        } catch {
            Terminal.complain("countersign hash-key: \(error)")
            return .failed
        }
    }

    /// The key on the one line of a text, without its line break; nil where it has none, or several, or no client could send it in a
    /// header.
    static func key(in text: [UInt8]) -> [UInt8]? {
        var key = text[...]
        if key.last == UInt8(ascii: "\n") { key.removeLast() }
        if key.last == UInt8(ascii: "\r") { key.removeLast() }
        let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
        guard (1...maximumLength).contains(key.count), key.allSatisfy(visible.contains) else { return nil }
        return Array(key)
    }

    private static func digest(of key: [UInt8]) throws(CryptoError) -> [UInt8] {
        Hex.encode(try Digest(.sha256, of: key.span).bytes.array)
    }

    /// - Parameter key: nil where it need not be shown.
    private static func tell(_ digest: [UInt8], of key: [UInt8]?, _ options: Options) {
        guard options.wantsJSON else {
            if let key { Terminal.say("key for the client, shown only now: \(key.text)") }
            Terminal.say("entry for authentication.apiKeys:   { id: \"NAME\", sha256: \"\(digest.text)\" }")
            return
        }
        Terminal.say(
            String(json: { json in
                if let key { json.add("key", key) }
                json.add("sha256", digest)
            }))
    }
}
