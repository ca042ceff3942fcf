import Bytes
import Crypto
import Machine

/// `countersign hash-key`: an API key of 256 random bits, and its digest for the configuration.
enum KeyMaking {
    static func run(_ options: Options) -> CommandLineTool.Exit {
        do throws(CryptoError) {
            let (key, digest) = try make()
            if options.wantsJSON {
                Terminal.say(
                    String(json: { json in
                        json.add("key", key)
                        json.add("sha256", digest)
                    }))
            } else {
                Terminal.say("key for the client, shown only now: \(key.text)")
                Terminal.say("entry for authentication.apiKeys:   { id: \"NAME\", sha256: \"\(digest.text)\" }")
            }
            return .done
        } catch {
            Terminal.complain("countersign hash-key: \(error)")
            return .failed
        }
    }

    /// A key of 43 url-safe characters, and its SHA-256 in hex.
    static func make() throws(CryptoError) -> (key: [UInt8], digest: [UInt8]) {
        let key = Base64.urlSafe.encode(try SecureRandom.bytes(32)).filter { $0 != UInt8(ascii: "=") }
        return (key, Hex.encode(try Digest(.sha256, of: key.span).bytes.array))
    }
}
