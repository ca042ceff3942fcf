import Bytes
import Crypto

/// A token as it was sent, taken apart (RFC 7519, in the compact form of RFC 7515 section 3.1). Nothing that it says is believed
/// before its signature is known to hold.
struct JSONWebToken {
    /// The longest that is looked at, in bytes.
    static let maximumLength = 8192

    let algorithm: SignatureAlgorithm
    /// What its key is called, if that is said.
    let keyID: [UInt8]?
    let claims: JWTClaims
    let signature: [UInt8]
    /// How many bytes of the text are signed.
    let signedLength: Int

    /// Whether it has a token's three parts: two dots. No key that the service makes has any.
    static func isOne(_ text: Span<UInt8>) -> Bool {
        var dots = 0
        for index in text.indices where text[index] == UInt8(ascii: ".") {
            dots += 1
            if dots > 2 { return false }
        }
        return dots == 2
    }

    init(_ text: Span<UInt8>) throws(JWTFault) {
        guard text.count <= JSONWebToken.maximumLength else { throw JWTFault("it is longer than 8192 bytes") }
        guard JSONWebToken.isOne(text), let first = text.firstIndex(of: UInt8(ascii: ".")),
            let second = text.firstIndex(of: UInt8(ascii: "."), from: first + 1)
        else { throw JWTFault("it does not have three parts") }
        guard let header = Base64.urlSafe.decode(text.extracting(0..<first), padded: false),
            let payload = Base64.urlSafe.decode(text.extracting(first + 1..<second), padded: false),
            let signature = Base64.urlSafe.decode(text.extracting(second + 1..<text.count), padded: false)
        else { throw JWTFault("a part is not canonical base64url") }
        guard !signature.isEmpty else { throw JWTFault("it has no signature") }
        (algorithm, keyID) = try JSONWebToken.read(header: header)
        claims = try JWTClaims(payload)
        self.signature = signature
        signedLength = second
    }

    /// What would have keys taken from the token or from where it points, or its bytes read otherwise than they are here.
    private static let refusedMembers = ["crit", "b64", "jwk", "jku", "x5u", "x5c", "zip", "enc"]

    private static func read(header bytes: [UInt8]) throws(JWTFault) -> (SignatureAlgorithm, keyID: [UInt8]?) {
        let header: JSONValue
        do throws(JSONError) {
            header = try JSONReader.read(bytes, as: .json, maximumDepth: 4, maximumValues: 64)
        } catch {
            throw JWTFault("its header is not proper JSON")
        }
        guard case .object = header.content else { throw JWTFault("its header is not an object") }
        for name in refusedMembers where header[name] != nil {
            throw JWTFault("its header has one of crit, b64, jwk, jku, x5u, x5c, zip and enc")
        }
        guard let name = header["alg"]?.text,
            let algorithm = SignatureAlgorithm.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name) })
        else { throw JWTFault("its alg is none that is known") }
        if let type = header["typ"] {
            let isKnown =
                type.text.map {
                    $0.span.equals(ignoringCase: "jwt") || $0.span.equals(ignoringCase: "at+jwt")
                } ?? false
            guard isKnown else { throw JWTFault("its typ is neither JWT nor at+jwt") }
        }
        guard let keyID = header["kid"] else { return (algorithm, nil) }
        guard let name = keyID.text else { throw JWTFault("its kid is not a string") }
        return (algorithm, name)
    }
}
