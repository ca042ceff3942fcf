/// When a token holds, in seconds since 1970, what its issuer's clock may be wrong by included.
package struct JWTValidity: Sendable {
    let start: Int64
    let end: Int64

    init(_ claims: JWTClaims, leeway: Int64) {
        start = claims.start.map { $0 - leeway } ?? .min
        end = claims.expiry + leeway
    }

    /// What is wrong with a token of an issuer's own at this moment; nil when nothing is.
    func fault(at now: Int64) -> JWTFault? {
        if now >= end { return JWTFault("the token has ended", in: .time, isGenuine: true) }
        return now < start ? JWTFault("the token is not valid yet", in: .time, isGenuine: true) : nil
    }
}
