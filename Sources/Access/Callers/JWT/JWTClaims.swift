import Bytes

/// What a token says (RFC 7519 section 4.1).
struct JWTClaims {
    let issuer: [UInt8]
    let subject: [UInt8]
    let audience: JWTAudience
    /// Seconds since 1970, as are the others.
    let expiry: Int64
    /// From when on the token holds: `nbf`, or `iat` if that is later; nil where neither is said.
    let start: Int64?
    private let members: [JSONMember]

    init(_ text: [UInt8]) throws(JWTFault) {
        let claims: JSONValue
        do throws(JSONError) {
            claims = try JSONReader.read(text, as: .json, maximumDepth: 16, maximumValues: 1000)
        } catch {
            throw JWTFault("its claims are not proper JSON")
        }
        guard case .object(let members) = claims.content else { throw JWTFault("its claims are not an object") }
        self.members = members
        guard let issuer = claims["iss"]?.text else { throw JWTFault("its iss is not a string") }
        guard let subject = claims["sub"]?.text, !subject.isEmpty else { throw JWTFault("its sub is not a string") }
        let audience = try JWTAudience(claims["aud"])
        guard let expiry = claims["exp"].flatMap({ JWTClaims.seconds($0, roundingUp: false) }) else {
            throw JWTFault("its exp is not a time")
        }
        (self.issuer, self.subject, self.audience, self.expiry) = (issuer, subject, audience, expiry)
        var start: Int64?
        for name in ["nbf", "iat"] {
            guard let value = claims[name] else { continue }
            guard let time = JWTClaims.seconds(value, roundingUp: true) else {
                throw JWTFault("its nbf or iat is not a time")
            }
            start = max(start ?? 0, time)
        }
        guard start ?? 0 <= expiry else { throw JWTFault("its exp is before its iat or nbf") }
        self.start = start
    }

    /// Those of the claims that conditions can be about, and that have one of these names.
    func kept(_ names: Set<[UInt8]>) -> CallerClaims { CallerClaims(members, named: names) }

    /// The last second of the year 9999.
    private static let latest: Int64 = 253_402_300_799

    /// A NumericDate (section 2): seconds since 1970, whole or with a decimal fraction. An exponent is not taken: nobody writes
    /// times so.
    static func seconds(_ value: JSONValue, roundingUp: Bool) -> Int64? {
        guard case .number(let number) = value.content, number.text.count <= 32 else { return nil }
        let whole = number.text.prefix { $0 != UInt8(ascii: ".") }
        guard let seconds = Decimal.parse(Array(whole).span, maximum: latest) else { return nil }
        let fraction = number.text.dropFirst(whole.count + 1)
        guard fraction.allSatisfy(\.isDigit) else { return nil }
        let isWhole = fraction.allSatisfy { $0 == UInt8(ascii: "0") }
        return roundingUp && !isWhole ? seconds + 1 : seconds
    }
}
