import Bytes

/// Reads what STS answers to `AssumeRole` and `AssumeRoleWithOIDC`: a credential, or the fault. Only what is entirely as the
/// vendor documents becomes a credential.
package enum STSAnswer {
    /// A body longer than this is nobody's credential; a transport need not read further.
    package static let maximumLength = 64 * 1024

    /// How far the vendor's clock may be from ours, in seconds (R17).
    static let clockTolerance: Int64 = 300

    /// - Parameters:
    ///   - now: the service's clock, in seconds since 1970.
    ///   - longest: the seconds that were asked for. What the vendor gives beyond them is told to nobody (R5); nil where
    ///     none were.
    package static func read(
        _ answer: UpstreamAnswer, at now: Int64, longest: Int64? = nil
    ) throws(STSFault) -> STSCredential {
        let object = try object(answer)
        guard answer.status == 200, let credentials = object["Credentials"] else {
            throw fault(in: object, answer)
        }
        try checkClock(answer, at: now)
        // Nobody needs these, but an answer in which they are something else is no answer of STS.
        try checkOptional(object["RequestId"], answer) { if case .string = $0 { true } else { false } }
        try checkOptional(object["AssumedRoleUser"], answer) { if case .object = $0 { true } else { false } }
        return try credential(in: credentials, answer, at: now, longest: longest)
    }

    /// The four members that make a credential.
    static func credential(
        in object: JSONValue, _ answer: UpstreamAnswer, at now: Int64, longest: Int64? = nil
    ) throws(STSFault) -> STSCredential {
        let incomplete = STSFault(.incomplete, status: answer.status)
        guard let id = object.text("AccessKeyId"), let secret = object.text("AccessKeySecret"),
            let token = object.text("SecurityToken"), let expiration = object.text("Expiration"),
            let end = ISO8601.parse(expiration.span),
            let credential = STSCredential(
                accessKeyID: id, secret: secret, securityToken: token,
                expiresAt: longest.map { min(end, now + min($0, AssumeRole.durations.upperBound)) } ?? end)
        else { throw incomplete }
        guard end > now else { throw STSFault(.expired, status: answer.status) }
        return credential
    }

    /// The JSON object that the body is.
    static func object(_ answer: UpstreamAnswer) throws(STSFault) -> JSONValue {
        guard !(300...399).contains(answer.status) else { throw STSFault(.redirect, status: answer.status) }
        guard answer.body.count <= maximumLength else { throw STSFault(.tooLarge, status: answer.status) }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(answer.body, as: .json, maximumDepth: 8, maximumValues: 256)
        } catch {
            throw STSFault(.unreadable, status: answer.status)
        }
        guard case .object = value.content else { throw STSFault(.unreadable, status: answer.status) }
        return value
    }

    /// The fault that an object without a credential tells of.
    static func fault(in object: JSONValue, _ answer: UpstreamAnswer) -> STSFault {
        if let code = object.text("Code"),
            let fault = STSFault(vendorCode: code, requestID: object.text("RequestId"), status: answer.status)
        {
            return fault
        }
        return STSFault(answer.status == 200 ? .incomplete : .unreadable, status: answer.status)
    }

    /// R17: with clocks too far apart nothing is issued, since nobody knows how long it holds.
    static func checkClock(_ answer: UpstreamAnswer, at now: Int64) throws(STSFault) {
        guard let theirs = answer.moment else { return }
        let (distance, overflow) = theirs.subtractingReportingOverflow(now)
        guard !overflow, distance.magnitude <= UInt64(clockTolerance) else {
            throw STSFault(.clockSkew, status: answer.status)
        }
    }

    private static func checkOptional(
        _ member: JSONValue?, _ answer: UpstreamAnswer, _ isRight: (JSONValue.Content) -> Bool
    ) throws(STSFault) {
        guard let member, !isRight(member.content) else { return }
        throw STSFault(.incomplete, status: answer.status)
    }
}

extension JSONValue {
    /// The text of the member, if there is one and it is a string.
    package func text(_ name: String) -> [UInt8]? {
        guard case .string(let bytes)? = self[name]?.content else { return nil }
        return bytes
    }
}
