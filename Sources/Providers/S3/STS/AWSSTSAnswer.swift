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
        try answer.checkForm()
        guard let document = XMLElement.read(answer.body) else {
            throw SessionFault(.unreadable, status: answer.status)
        }
        let (response, result) = call.elements
        guard answer.status == 200, document.isCalled(response),
            let credentials = document.only(result)?.only("Credentials")
        else { throw fault(in: document, answer) }
        try answer.checkClock(at: now)
        return try answer.credential(
            credentials.text("AccessKeyId"), secret: credentials.text("SecretAccessKey"),
            token: credentials.text("SessionToken"),
            end: credentials.text("Expiration").flatMap { ISO8601.parseInternet($0.span) }, at: now, longest: longest)
    }

    /// `<ErrorResponse><Error><Code>…`, or the bare `<Error><Code>…` of S3.
    private static func fault(in document: XMLElement, _ answer: UpstreamAnswer) -> SessionFault {
        let error = document.isCalled("Error") ? document : document.only("Error")
        return answer.fault(error?.text("Code"), requestID: document.text("RequestId"))
    }
}
