import Access
import Bytes
import Crypto

/// A URL that carries its own version 4 signature, and before it the key's name, the token, when it was signed and for how long
/// (Amazon S3 API reference, "Using Query Parameters"; OSS API reference, "Add V4 signatures to URLs"; that page takes
/// `x-oss-expires` for a moment, OSS does not).
package struct PresignedURLV4: URLSignature, ~Escapable {
    private let canonical: CanonicalRequest
    private let signer: V4Signer
    /// In seconds.
    private let lifetime: Int64

    /// How long a URL may live, in seconds.
    package static let lifetimes: ClosedRange<Int64> = 1...604_800

    @_lifetime(copy canonical)
    private init(_ canonical: CanonicalRequest, lasting lifetime: Int64, by signer: V4Signer) {
        self.canonical = canonical
        self.lifetime = lifetime
        self.signer = signer
    }

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
        let url = PresignedURLV4(copy canonical, lasting: lifetime, by: signer)
        canonical.request.writeStart(on: endpoint, into: &out)
        out.append(UInt8(ascii: "?"))
        let start = out.count
        canonical.writeQuery(carrying: url, into: &out)
        scratch.reset()
        canonical.write(query: out.bytes.extracting(start..<out.count), into: &scratch)
        let code = try signer.key.code(ofRequest: &scratch, at: signer.moment)
        out.append(UInt8(ascii: "&"))
        out.append(signer.key.scheme.parameters.signature)
        out.append(UInt8(ascii: "="))
        Hex.encode(code.bytes, into: &out)
    }

    // MARK: What the URL says

    private var parts: [(part: V4Scheme.URLPart, name: [UInt8])] { signer.key.scheme.urlParts }

    var count: Int { parts.count }

    func name(at index: Int) -> [UInt8]? {
        let isThere =
            switch parts[index].part {
            case .algorithm, .credential, .date, .expires: true
            case .signedHeaders: canonical.hasNames
            case .token: signer.token != nil
            }
        return isThere ? parts[index].name : nil
    }

    func writeValue(at index: Int, into out: inout ByteWriter) {
        switch parts[index].part {
        case .algorithm: out.append(signer.key.scheme.algorithm)
        case .credential: out.append(signer.key.encodedCredential)
        case .date: ISO8601.writeBasic(signer.moment, into: &out)
        case .expires: out.append(decimal: lifetime)
        case .signedHeaders: canonical.writeNames(isEncoded: true, into: &out)
        case .token: if let token = signer.token { Percent.encode(token.span, into: &out) }
        }
    }
}
