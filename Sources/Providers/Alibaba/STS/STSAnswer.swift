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
        let incomplete = SessionFault(.incomplete, status: answer.status)
        guard let id = object.text("AccessKeyId"), let secret = object.text("AccessKeySecret"),
            let token = object.text("SecurityToken"), let expiration = object.text("Expiration"),
            let end = ISO8601.parse(expiration.span),
            let credential = SessionCredential(
                accessKeyID: id, secret: secret, securityToken: token,
                expiresAt: SessionCredential.end(end, at: now, longest: longest))
        else { throw incomplete }
        guard end > now else { throw SessionFault(.expired, status: answer.status) }
        return credential
    }

    /// The JSON object that the body is.
    static func object(_ answer: UpstreamAnswer) throws(SessionFault) -> JSONValue {
        guard !(300...399).contains(answer.status) else { throw SessionFault(.redirect, status: answer.status) }
        guard answer.body.count <= maximumLength else { throw SessionFault(.tooLarge, status: answer.status) }
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
        if let code = object.text("Code"),
            let fault = SessionFault(
                vendorCode: code, requestID: object.text("RequestId"), status: answer.status,
                keyCodes: ["InvalidSecurityToken", "InvalidAccessKeyId"])
        {
            return fault
        }
        return SessionFault(answer.status == 200 ? .incomplete : .unreadable, status: answer.status)
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
