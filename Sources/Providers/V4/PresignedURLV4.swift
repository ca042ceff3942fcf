import Access
import Bytes
import Crypto

/// A URL that carries its own version 4 signature, and with it the key's name, the token, when it was signed and for how long
/// (Amazon S3 API reference, "Using Query Parameters"; OSS API reference, "Add V4 signatures to URLs"; that page takes
/// `x-oss-expires` for a moment, OSS does not).
package enum PresignedURLV4 {
    /// How long a URL may live, in seconds.
    package static let lifetimes: ClosedRange<Int64> = 1...604_800

    /// - Parameters:
    ///   - canonical: of the request with the fields that the client has to send.
    ///   - lifetime: in seconds from the moment of the signature.
    ///   - out: what is written there stands in a JSON string as it is.
    ///   - scratch: room to work in; the string to sign is there afterwards.
    package static func write(
        for canonical: borrowing CanonicalRequest, on endpoint: BaseURL, lasting lifetime: Int64,
        by signer: V4Signer, into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard lifetimes.contains(lifetime) else { throw .unsignable("a URL must live for 1 to 604800 seconds") }
        try canonical.request.checkCarriesNothing()
        var parameters = parameters(of: canonical, lasting: lifetime, by: signer, using: &scratch)
        scratch.reset()
        canonical.write(parameters, into: &scratch)
        let code = try signer.key.code(ofRequest: &scratch, at: signer.moment)
        let end = scratch.count
        Hex.encode(code.bytes, into: &scratch)
        parameters.append(
            NameValue(signer.key.scheme.parameters.signature, scratch.bytes.extracting(end..<scratch.count).array))
        scratch.truncate(to: end)
        // In place, so that no other array is made.
        parameters.sort { $0.name.precedes($1.name) }
        canonical.request.writeURL(on: endpoint, parameters, into: &out)
    }

    /// The query's parameters, with those that are signed with them, in the order in which they are signed.
    private static func parameters(
        of canonical: borrowing CanonicalRequest, lasting lifetime: Int64, by signer: V4Signer,
        using scratch: inout ByteWriter
    ) -> [NameValue] {
        func text(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
            scratch.reset()
            write(&scratch)
            return scratch.array
        }
        let names = signer.key.scheme.parameters
        var parameters = canonical.request.parameters
        parameters.reserveCapacity(parameters.count + 7)
        parameters.append(NameValue(names.algorithm, signer.key.algorithm))
        parameters.append(NameValue(names.credential, signer.key.credential))
        parameters.append(NameValue(names.date, text { ISO8601.writeBasic(signer.moment, into: &$0) }))
        parameters.append(NameValue(names.expires, text { $0.append(decimal: lifetime) }))
        if canonical.hasNames {
            parameters.append(NameValue(names.signedHeaders, text { canonical.writeNames(into: &$0) }))
        }
        if let token = signer.token { parameters.append(NameValue(names.token, token)) }
        parameters.sort { $0.precedesEncoded($1) }
        return parameters
    }
}
