import Bytes
import Crypto
import Providers

/// An upload token taken apart as the vendor and its client SDKs do it: at its colons, into an access key, a signature, and a
/// policy of which they need `scope` and `deadline` (`upload-token` page).
struct UploadTokenParts {
    enum Fault: Error {
        /// It is not three parts.
        case notAToken
        /// The signature or the policy is not url-safe base64 with its padding.
        case badBase64
        case badPolicy(JSONError)
        /// The policy has no scope with a bucket, or no deadline in whole seconds.
        case incomplete
    }

    let accessKey: [UInt8]
    let policy: JSONValue
    let bucket: [UInt8]
    /// What the scope says behind its first colon; nil where it has none, which is the whole bucket.
    let key: [UInt8]?
    /// Seconds since 1970.
    let deadline: Int64
    private let signature: [UInt8]
    private let signed: [UInt8]

    init(_ token: Span<UInt8>) throws(Fault) {
        guard let first = token.firstIndex(of: UInt8(ascii: ":")),
            let second = token.firstIndex(of: UInt8(ascii: ":"), from: first + 1), first > 0
        else { throw .notAToken }
        // A fourth part would not be base64.
        let encoded = token.extracting(second + 1..<token.count)
        guard let signature = Base64.urlSafe.decode(token.extracting(first + 1..<second)),
            let text = Base64.urlSafe.decode(encoded)
        else { throw .badBase64 }
        let policy: JSONValue
        do throws(JSONError) { policy = try JSONReader.read(text, as: .json, maximumDepth: 8) } catch {
            throw .badPolicy(error)
        }
        guard case .string(let scope)? = policy["scope"]?.content,
            case .number(let number)? = policy["deadline"]?.content, let deadline = number.integer
        else { throw .incomplete }
        let colon = scope.firstIndex(of: UInt8(ascii: ":"))
        bucket = Array(scope[..<(colon ?? scope.count)])
        guard !bucket.isEmpty else { throw .incomplete }
        key = colon.map { Array(scope[($0 + 1)...]) }
        accessKey = token.extracting(0..<first).array
        self.deadline = deadline
        self.policy = policy
        self.signature = signature
        signed = encoded.array
    }

    /// Whether the key made this token; the access key alone does not tell.
    func isSigned(by key: SigningKey) throws(CryptoError) -> Bool {
        guard accessKey == key.accessKey, let claimed = Digest(signature) else { return false }
        return try key.sha1.sign(signed.span).constantTimeEquals(claimed)
    }
}
