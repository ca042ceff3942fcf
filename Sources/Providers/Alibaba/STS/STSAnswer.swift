import Bytes

/// Reads what STS answers to `AssumeRole` and `AssumeRoleWithOIDC`: a credential, or the fault. Only what is entirely as the
/// vendor documents becomes a credential.
package enum STSAnswer {
    /// A body longer than this is nobody's credential.
    package static let maximumLength = CredentialExchange.answerLimit

    /// - Parameters:
    ///   - now: the service's clock, in seconds since 1970.
    ///   - longest: the seconds that were asked for. What the vendor gives beyond them is told to nobody (R5); nil where
    ///     none were.
    package static func read(
        _ answer: UpstreamAnswer, at now: Int64, longest: Int64? = nil
    ) throws(SessionFault) -> SessionCredential {
        let object = try object(answer)
        guard answer.status == 200, let credentials = object["Credentials"] else {
            throw fault(in: object, answer)
        }
        try answer.checkClock(at: now)
        // Nobody needs these, but an answer in which they are something else is no answer of STS.
        try checkOptional(object["RequestId"], answer) { if case .string = $0 { true } else { false } }
        try checkOptional(object["AssumedRoleUser"], answer) { if case .object = $0 { true } else { false } }
        return try credential(in: credentials, answer, at: now, longest: longest)
    }

    /// The four members that make a credential.
    static func credential(
        in object: JSONValue, _ answer: UpstreamAnswer, at now: Int64, longest: Int64? = nil
    ) throws(SessionFault) -> SessionCredential {
        try answer.credential(
            object.text("AccessKeyId"), secret: object.text("AccessKeySecret"), token: object.text("SecurityToken"),
            end: object.text("Expiration").flatMap { ISO8601.parse($0.span) }, at: now, longest: longest)
    }

    /// The JSON object that the body is.
    static func object(_ answer: UpstreamAnswer) throws(SessionFault) -> JSONValue {
        try answer.checkForm()
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(answer.body, as: .json, maximumDepth: 8, maximumValues: 256)
        } catch {
            throw SessionFault(.unreadable, status: answer.status)
        }
        guard case .object = value.content else { throw SessionFault(.unreadable, status: answer.status) }
        return value
    }

    /// The fault that an object without a credential tells of.
    static func fault(in object: JSONValue, _ answer: UpstreamAnswer) -> SessionFault {
        answer.fault(
            object.text("Code"), requestID: object.text("RequestId"),
            keyCodes: ["InvalidSecurityToken", "InvalidAccessKeyId"])
    }

    private static func checkOptional(
        _ member: JSONValue?, _ answer: UpstreamAnswer, _ isRight: (JSONValue.Content) -> Bool
    ) throws(SessionFault) {
        guard let member, !isRight(member.content) else { return }
        throw SessionFault(.incomplete, status: answer.status)
    }
}

extension JSONValue {
    /// The text of the member, if there is one and it is a string.
    package func text(_ name: String) -> [UInt8]? {
        guard case .string(let bytes)? = self[name]?.content else { return nil }
        return bytes
    }
}
