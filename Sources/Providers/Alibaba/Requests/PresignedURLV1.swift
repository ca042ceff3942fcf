import Access
import Bytes
import Crypto

/// A URL that carries its own version 1 signature: the text is a header signature's with the URL's end where the date would be,
/// and a temporary key's token among the sub-resources (OSS API reference, "Add signatures to URLs").
package enum PresignedURLV1 {
    /// - Parameters:
    ///   - request: with the fields that the client has to send; they are signed if they are Content-MD5, Content-Type or the
    ///     vendor's own.
    ///   - deadline: seconds since 1970.
    ///   - out: what is written there stands in a JSON string as it is.
    ///   - scratch: room to work in; the text that is signed is there afterwards.
    package static func write(
        for request: borrowing ObjectRequest, on endpoint: BaseURL, until deadline: Int64,
        by signer: OSSSigner.V1, into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard deadline > 0 else { throw .unsignable("a URL must end after 1970") }
        try request.checkCarriesNothing()
        var parameters = request.parameters
        if let token = signer.token { parameters.append(NameValue("security-token", token)) }
        scratch.reset()
        request.writeStartV1(into: &scratch)
        scratch.append(decimal: deadline)
        try request.writeEndV1(parameters, into: &scratch)
        let code = try signer.key.sha1.code(of: scratch.bytes)
        parameters.append(NameValue("OSSAccessKeyId", signer.key.accessKey))
        parameters.append(NameValue("Expires", Array(text: "\(deadline)")))
        parameters.append(NameValue("Signature", Base64.standard.encode(code.bytes.array)))
        request.writeURL(on: endpoint, parameters, into: &out)
    }
}
