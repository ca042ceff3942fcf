import Bytes
import Crypto
import HTTP

/// What an upload token of NOS allows: `UPLOAD AccessKey:Signature:Policy`, the policy being base64 of one object of JSON, the signature
/// base64 of the HMAC-SHA256 over that base64.
struct NOSPutPolicy {
    let bucket: [UInt8]
    let object: [UInt8]
    /// Seconds since 1970; nil where the token holds for ever.
    let expires: Int64?
    let sizeMin: Int64
    let sizeMax: Int64
    /// Types joined by `;`; nil for all.
    let mimeLimit: [UInt8]?
    let overwrites: Bool
    let callbackURL: [UInt8]?
    let callbackBody: [UInt8]

    /// Reads and verifies a token.
    init(_ token: [UInt8], by accounts: VendorAccounts, at now: Int64) throws {
        let prefix = Array("UPLOAD ".utf8)
        let parts = token.dropFirst(prefix.count).split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard token.starts(with: prefix), parts.count == 3 else {
            throw NOSRefusal.token("must be UPLOAD AccessKey:Signature:Policy")
        }
        let (signature, encoded) = (Array(parts[1]), Array(parts[2]))
        guard let secret = accounts.secret(of: Array(parts[0])) else {
            throw NOSRefusal.token("is of an unknown access key")
        }
        let expected = Base64.standard.encode(try HMACKey(.sha256, secret).sign(encoded.span).bytes.array)
        guard Secret(expected).constantTimeEquals(Secret(signature)) else {
            throw NOSRefusal.token("has another signature")
        }
        guard let text = Base64.standard.decode(encoded.span), let json = try? JSONReader.read(text, as: .json),
            case .object = json.content
        else { throw NOSRefusal.token("holds no policy") }
        try self.init(json)
        if let expires, expires <= now { throw NOSRefusal.token("has expired") }
    }

    private init(_ json: JSONValue) throws(NOSRefusal) {
        func text(_ name: String) throws(NOSRefusal) -> [UInt8]? {
            guard let value = json[name] else { return nil }
            guard let text = value.text else { throw .token("has a \(name) that is no text") }
            return text
        }
        func number(_ name: String) throws(NOSRefusal) -> Int64? {
            guard let value = json[name] else { return nil }
            guard let number = value.integer, number >= 0 else { throw .token("has a \(name) that is no whole number") }
            return number
        }
        guard let bucket = try text("Bucket"), let object = try text("Object"), !bucket.isEmpty, !object.isEmpty else {
            throw .token("must have Bucket and Object")
        }
        (self.bucket, self.object) = (bucket, object)
        expires = try number("Expires")
        sizeMin = try number("ObjectSizeMin") ?? 0
        sizeMax = try number("ObjectSizeMax") ?? .max
        mimeLimit = try text("MimeLimit")
        switch json["OverWrite"]?.content {
        case nil: overwrites = true
        case .boolean(let flag): overwrites = flag
        default: throw .token("has an OverWrite that is neither true nor false")
        }
        callbackURL = try text("CallbackUrl")
        callbackBody = try text("CallbackBody") ?? []
    }

    /// Whether objects of a media type may be uploaded; `image/*` stands for all of a kind.
    func admits(_ mediaType: [UInt8]) -> Bool {
        guard let mimeLimit else { return true }
        return mimeLimit.split(separator: UInt8(ascii: ";")).contains { entry in
            let wanted = Array(entry).span.trimmed.array.map(\.lowercasedASCII)
            guard wanted.suffix(2).elementsEqual("/*".utf8) else { return wanted == mediaType }
            return mediaType.starts(with: wanted.dropLast())
        }
    }
}
