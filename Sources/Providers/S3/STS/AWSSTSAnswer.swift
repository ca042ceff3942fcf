import Bytes

/// Reads what AWS's STS answers, or a server in its place: a credential, or the fault, in XML (AWS STS API reference). Only what is
/// entirely as it is documented becomes a credential.
enum AWSSTSAnswer {
    /// - Parameters:
    ///   - now: the service's clock, in seconds since 1970.
    ///   - longest: the seconds that were asked for. What is given beyond them is told to nobody (R5).
    static func read(
        _ answer: UpstreamAnswer, to call: AWSSTS.Call, at now: Int64, longest: Int64
    ) throws(SessionFault) -> SessionCredential {
        guard !(300...399).contains(answer.status) else { throw SessionFault(.redirect, status: answer.status) }
        guard answer.body.count <= CredentialExchange.answerLimit else {
            throw SessionFault(.tooLarge, status: answer.status)
        }
        guard let document = XMLElement.read(answer.body) else {
            throw SessionFault(.unreadable, status: answer.status)
        }
        let (response, result) = call.elements
        guard answer.status == 200, document.isCalled(response),
            let credentials = document.only(result)?.only("Credentials")
        else { throw fault(in: document, answer) }
        try answer.checkClock(at: now)
        guard let id = credentials.text("AccessKeyId"), let secret = credentials.text("SecretAccessKey"),
            let token = credentials.text("SessionToken"), let expiration = credentials.text("Expiration"),
            let end = ISO8601.parseInternet(expiration.span),
            let credential = SessionCredential(
                accessKeyID: id, secret: secret, securityToken: token,
                expiresAt: SessionCredential.end(end, at: now, longest: longest))
        else { throw SessionFault(.incomplete, status: answer.status) }
        guard end > now else { throw SessionFault(.expired, status: answer.status) }
        return credential
    }

    /// `<ErrorResponse><Error><Code>…`, or the bare `<Error><Code>…` of S3.
    private static func fault(in document: XMLElement, _ answer: UpstreamAnswer) -> SessionFault {
        let error = document.isCalled("Error") ? document : document.only("Error")
        if let code = error?.text("Code"),
            let fault = SessionFault(
                vendorCode: code, requestID: document.text("RequestId"), status: answer.status)
        {
            return fault
        }
        return SessionFault(answer.status == 200 ? .incomplete : .unreadable, status: answer.status)
    }
}
