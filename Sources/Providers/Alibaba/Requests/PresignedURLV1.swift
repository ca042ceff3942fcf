import Access
import Bytes
import Crypto

/// A URL that carries its own version 1 signature: the text is a header signature's with the URL's end where the date would be,
/// and a temporary key's token among the sub-resources (OSS API reference, "Add signatures to URLs").
package struct PresignedURLV1: URLSignature {
    private let signer: OSSSigner.V1
    /// Seconds since 1970.
    private let deadline: Int64
    private let code: Digest

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
        scratch.reset()
        request.writeStartV1(into: &scratch)
        scratch.append(decimal: deadline)
        try request.writeEndV1(token: signer.token, into: &scratch)
        let code = try signer.key.sha1.code(of: scratch.bytes)
        let url = PresignedURLV1(signer: signer, deadline: deadline, code: code)
        request.writeURL(on: endpoint, carrying: url, into: &out)
    }

    // MARK: What the URL says

    private enum Part: CaseIterable { case expires, accessKey, signature, token }

    private static let parts = Part.allCases
    private static let names = ["Expires", "OSSAccessKeyId", "Signature", "security-token"].map { Array($0.utf8) }

    var count: Int { PresignedURLV1.parts.count }

    func name(at index: Int) -> [UInt8]? {
        PresignedURLV1.parts[index] == .token && signer.token == nil ? nil : PresignedURLV1.names[index]
    }

    func writeValue(at index: Int, into out: inout ByteWriter) {
        switch PresignedURLV1.parts[index] {
        case .expires: out.append(decimal: deadline)
        case .accessKey:
            let accessKey = signer.key.accessKey
            Percent.encode(accessKey.span, into: &out)
        case .signature:
            ByteWriter.lending { text in
                Base64.standard.encode(code.bytes, into: &text)
                Percent.encode(text.bytes, into: &out)
            }
        case .token: if let token = signer.token { Percent.encode(token.span, into: &out) }
        }
    }
}
