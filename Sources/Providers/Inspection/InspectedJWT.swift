import Bytes

/// A JSON Web Token (RFC 7519), as anybody may have made it. It is no vendor's: callers show one to the service, so whoever
/// knows the issuers that the service trusts says whether its signature holds.
package enum InspectedJWT {
    package static let kind = "JWT"

    /// The three parts, decoded; nil for what is no JWT.
    package struct Parts: Sendable {
        package let header: JSONValue
        package let claims: JSONValue
        /// What is signed.
        package let signed: [UInt8]
        package let signature: [UInt8]
    }

    /// Nil if it is something else.
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - judge: notes whether the signature holds.
    package static func inspect(
        _ specimen: Specimen, at now: Int64, judge: (Parts, inout Inspection) -> Void
    ) -> Inspection? {
        var text: [UInt8]
        switch specimen.authorization("Bearer ")?.value {
        case let value?: text = value
        case nil:
            guard case .text(let value) = specimen.content else { return nil }
            text = value
        }
        guard let parts = parts(of: text) else { return nil }
        var inspection = Inspection(kind)
        tell("header", parts.header, in: &inspection)
        tell("claims", parts.claims, in: &inspection)
        if let algorithm = parts.header.text("alg"), algorithm.map(\.lowercasedASCII) == Array(text: "none") {
            inspection.fails("signature", "alg none is no signature")
        } else {
            judge(parts, &inspection)
        }
        judgeTimes(of: parts.claims, now, in: &inspection)
        return inspection
    }

    private static func tell(_ part: String, _ value: JSONValue, in inspection: inout Inspection) {
        guard case .object(let members) = value.content else { return }
        for member in members { inspection.tell("\(part).\(member.name.text)", member.value) }
    }

    private static func judgeTimes(of claims: JSONValue, _ now: Int64, in inspection: inout Inspection) {
        if let end = claims["exp"].flatMap({ seconds($0) }) {
            inspection.ends(at: end, now: now)
        } else {
            inspection.fails("expiry", "exp must be there, in seconds since 1970")
        }
        guard let claim = claims["nbf"] else { return }
        guard let begin = seconds(claim) else {
            return inspection.fails("nbf", "it must be in seconds since 1970")
        }
        if begin > now { inspection.fails("nbf", "it begins in \(TimeSpan.words(from: now, to: begin)) only") }
    }

    /// A NumericDate, without its fraction.
    private static func seconds(_ value: JSONValue) -> Int64? {
        guard case .number(let number) = value.content else { return nil }
        return number.integer ?? Double(number.text.text).flatMap { Int64(exactly: $0.rounded(.down)) }
    }

    /// Compact serialization (RFC 7515 section 7.1): base64 without padding, joined by dots.
    private static func parts(of text: [UInt8]) -> Parts? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 3, let header = object(parts[0]), header["alg"] != nil, let claims = object(parts[1]),
            let signature = decoded(parts[2])
        else { return nil }
        return Parts(
            header: header, claims: claims, signed: parts[0] + [UInt8(ascii: ".")] + parts[1], signature: signature)
    }

    private static func object(_ part: [UInt8]) -> JSONValue? {
        guard let text = decoded(part), let value = try? JSONReader.read(text, as: .json, maximumDepth: 16),
            case .object = value.content
        else { return nil }
        return value
    }

    private static func decoded(_ part: [UInt8]) -> [UInt8]? {
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - part.count % 4) % 4)
        let padded = part + padding
        return padding.count < 3 ? Base64.urlSafe.decode(padded.span) : nil
    }
}
