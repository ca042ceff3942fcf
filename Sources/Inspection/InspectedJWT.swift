import Bytes
import Providers

/// A JSON Web Token (RFC 7519), as anybody may have made it. It is no vendor's: callers show one to the service, so the
/// configuration, which names the trusted issuers, is needed to check its signature.
package enum InspectedJWT {
    package static let kind = "JWT"

    /// Nil if it is something else.
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - leeway: by how many seconds the clock of the issuer that `iss` names may be wrong.
    ///   - judge: notes whether the signature of the token is its issuer's.
    package static func inspect(
        _ input: InspectionInput, at now: Int64, leeway: (_ issuer: [UInt8]) -> Int64,
        judge: (_ token: [UInt8], inout Inspection) -> Void
    ) -> Inspection? {
        let text: [UInt8]
        switch (input.authorization("Bearer "), input.content) {
        case (let (value, _)?, _): text = value
        case (nil, .text(let value)): text = value
        default: return nil
        }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = object(parts[0]), header["alg"] != nil, let claims = object(parts[1])
        else {
            return nil
        }
        var inspection = Inspection(kind)
        tell("header", header, in: &inspection)
        tell("claims", claims, in: &inspection)
        if parts[2].isEmpty { inspection.fails("signature", "there is none") } else { judge(text, &inspection) }
        judgeTimes(of: claims, now, leeway: leeway(claims.text("iss") ?? []), in: &inspection)
        return inspection
    }

    private static func tell(_ part: String, _ value: JSONValue, in inspection: inout Inspection) {
        guard case .object(let members) = value.content else { return }
        for member in members { inspection.tell("\(part).\(member.name.text)", member.value) }
    }

    private static func judgeTimes(of claims: JSONValue, _ now: Int64, leeway: Int64, in inspection: inout Inspection) {
        if let end = claims["exp"].flatMap({ seconds($0) }) {
            inspection.ends(at: end, now: now, leeway: leeway)
        } else {
            inspection.fails("expiry", "exp must be there, in seconds since 1970")
        }
        guard let claim = claims["nbf"] else { return }
        guard let begin = seconds(claim) else {
            return inspection.fails("nbf", "it must be in seconds since 1970")
        }
        let (first, overflow) = begin.subtractingReportingOverflow(leeway)
        if !overflow, first > now {
            inspection.fails("nbf", "it begins in \(TimeSpan.words(from: now, to: begin)) only")
        }
    }

    /// A NumericDate, without its fraction.
    private static func seconds(_ value: JSONValue) -> Int64? {
        guard case .number(let number) = value.content else { return nil }
        return number.integer ?? Double(number.text.text).flatMap { Int64(exactly: $0.rounded(.down)) }
    }

    /// One of the first two parts (RFC 7515 section 7.1).
    private static func object(_ part: ArraySlice<UInt8>) -> JSONValue? {
        guard let text = Base64.urlSafe.decode(part.span, padded: false),
            let value = try? JSONReader.read(text, as: .json, maximumDepth: 16, maximumValues: 1000),
            case .object = value.content
        else { return nil }
        return value
    }
}
