import Access
import Bytes
import Crypto

/// `/oss/callback`: what OSS sends when an upload with a `callback` is done.
struct OSSCallback: CallbackVerifier {
    let publicURL: PublicURL
    let reply: [UInt8]
    private let host: VendorEndpoint

    var keyHost: VendorEndpoint? { host }

    static let route = RouteDescription(
        "oss.callback", path: "/oss/callback", "Callbacks from OSS, verified and answered.",
        request: RouteRequest([], withoutKey: .prefix),
        grant: RouteGrant(callbacks: Fields()) { grant throws(FieldProblem) in try OSSCallback(grant) },
        answer: RouteAnswer([]))

    private struct Fields: FieldGroup {
        let publicURL = Field.publicURL(of: "OSS")
        let reply = Field.reply(to: "OSS")
        let keyHost = Field(
            "keyHost", .string, default: CallbackKeyURL.host.description,
            "The host of the vendor's public key, such as a mirror: `HOST` or `https://HOST`, with `:PORT` if the port is "
                + "not 443. `http://` is for this machine only.")
    }

    private init(_ grant: Settings<Fields>) throws(FieldProblem) {
        guard let url = PublicURL(grant.publicURL ?? []) else { throw FieldProblem("publicURL", PublicURL.form) }
        guard UploadCallback.isPath(url.path.span) else {
            throw FieldProblem(
                "publicURL", "must have a path without +, %3F or an encoded control character, which OSS signs decoded")
        }
        do throws(VendorEndpoint.Fault) {
            host = try VendorEndpoint(host: grant.keyHost)
        } catch {
            throw FieldProblem("keyHost", error.reason.description)
        }
        publicURL = url
        reply = grant.reply ?? []
    }

    func faultOfHead(_ callback: borrowing ReceivedCallback, with key: SigningKey) -> CallbackFault? {
        do throws(CallbackFault) {
            _ = try parts(of: callback)
            return nil
        } catch {
            return error
        }
    }

    func judge(
        _ callback: borrowing ReceivedCallback, with key: SigningKey, using scratch: inout ByteWriter
    ) throws(IssueError) -> CallbackVerdict {
        let parts: (key: PublishedKey, signature: [UInt8])
        do throws(CallbackFault) { parts = try self.parts(of: callback) } catch { return .refused(error) }
        do throws(CryptoError) {
            let signature = try UploadCallback.claim(
                parts.signature, over: callback.target, body: callback.body, using: &scratch)
            guard let signature else { return .refused(CallbackFault("its path could be read in two ways")) }
            return .claimed(CallbackClaim(key: parts.key, signature: signature))
        } catch {
            throw .crypto(error)
        }
    }

    /// What the head says: where the key is, and the signature.
    private func parts(
        of callback: borrowing ReceivedCallback
    ) throws(CallbackFault) -> (key: PublishedKey, signature: [UInt8]) {
        guard let signature = UploadCallback.signature(in: callback.authorization) else {
            throw CallbackFault("its Authorization is not the base64 of a signature")
        }
        let lines = callback.fieldLines
        guard let field = OSSCallback.keyField(in: lines) else {
            throw CallbackFault("it has no x-oss-pub-key-url, or more than one")
        }
        guard let url = CallbackKeyURL(lines.extracting(field)) else {
            throw CallbackFault("its x-oss-pub-key-url is not the base64 of the URL of one of the vendor's keys")
        }
        return (PublishedKey(host: host, path: url.path, isUsual: url.isUsual), signature)
    }

    /// The value of the one `x-oss-pub-key-url`.
    private static func keyField(in lines: Span<UInt8>) -> Range<Int>? {
        var (start, found) = (0, nil as Range<Int>?)
        do throws(IssueError) {
            while let line = try NamedRange.nextLine(&start, of: lines) {
                guard lines.extracting(line.name).equals(ignoringCase: "x-oss-pub-key-url") else { continue }
                guard found == nil else { return nil }
                found = line.value
            }
        } catch {
            return nil
        }
        return found
    }
}
