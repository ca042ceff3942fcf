import Access
import Bytes
import Crypto

/// Whether a callback comes from Qiniu, and says what Qiniu said: its Authorization field is made as `ManagementSignature` says
/// (`callback` page), with the bucket owner's key.
///
/// Stricter than the vendor's SDKs: a body that the signature does not cover is refused, since anybody who has seen one
/// callback could send another in its place.
package enum CallbackSignature {
    package enum Verdict: Equatable {
        case genuine(ManagementSignature)
        case refused(Fault)
    }

    package enum Fault: Equatable {
        /// The field is not `Qiniu AK:sign` or `QBox AK:sign`.
        case malformed
        /// Signed with another access key than ours.
        case otherKey
        /// The signature would hold for any body.
        case bodyNotCovered
        case wrongSignature
    }

    /// - Parameters:
    ///   - authorization: the Authorization field's value.
    ///   - request: the callback as the vendor sent it, to the host and target of the public URL that it knows.
    ///   - scratch: room to work in.
    package static func judge(
        _ authorization: Span<UInt8>, of request: borrowing ManagementRequest, with key: SigningKey,
        using scratch: inout ByteWriter
    ) throws(IssueError) -> Verdict {
        let signature: ManagementSignature
        if authorization.begins(with: ManagementSignature.qiniu.scheme) {
            signature = .qiniu
        } else if authorization.begins(with: ManagementSignature.qbox.scheme) {
            signature = .qbox
        } else {
            return .refused(.malformed)
        }
        let token = authorization.extracting(signature.scheme.utf8CodeUnitCount..<authorization.count)
        guard let colon = token.firstIndex(of: UInt8(ascii: ":")),
            let claimed = Base64.urlSafe.decode(token.extracting(colon + 1..<token.count)).flatMap({ Digest($0) })
        else { return .refused(.malformed) }
        guard token.extracting(0..<colon).equals(key.accessKey) else { return .refused(.otherKey) }
        guard isCovered(request, by: signature) else { return .refused(.bodyNotCovered) }
        scratch.reset()
        signature.writeText(of: request, into: &scratch)
        let code = try key.sha1.code(of: scratch.bytes)
        return code.constantTimeEquals(claimed) ? .genuine(signature) : .refused(.wrongSignature)
    }

    /// QBox does not sign the content type either: a JSON callback would still hold as a form without a body.
    private static func isCovered(_ request: borrowing ManagementRequest, by signature: ManagementSignature) -> Bool {
        signature.covers(bodyOf: request.contentType) && (signature == .qiniu || !request.body.isEmpty)
    }
}
