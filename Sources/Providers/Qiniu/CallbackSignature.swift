import Access
import Bytes
import Crypto

/// Whether a callback comes from Qiniu, and says what Qiniu said: its Authorization field is made as `ManagementSignature` says
/// (`callback` page), with the bucket owner's key.
///
/// Stricter than the vendor's SDKs: a body that the signature does not cover is refused, since anybody who has seen one
/// callback could send another instead.
package enum CallbackSignature {
    package enum Verdict: Equatable {
        case genuine
        case refused(Fault)
    }

    package enum Fault: Error {
        /// The field is not `Qiniu AK:sign` or `QBox AK:sign`.
        case malformed
        /// Signed with another access key than ours.
        case otherKey
        /// The signature would hold for any body.
        case bodyNotCovered
        case wrongSignature

        /// For the log.
        var reason: StaticString {
            switch self {
            case .malformed: "the Authorization field is not \"Qiniu\" or \"QBox\" with an access key and a signature"
            case .otherKey: "it is signed with another access key than the grant's credential has"
            case .bodyNotCovered:
                "the signature does not cover the body: QBox is for forms only, Qiniu needs a content type"
            case .wrongSignature: "the signature is not that of this request to the grant's publicURL"
            }
        }
    }

    /// What an Authorization field says, which anybody may have written.
    package struct Claim {
        let signature: ManagementSignature
        fileprivate let code: Digest
    }

    /// Reads the Authorization field's value.
    package static func claim(in authorization: Span<UInt8>, of key: SigningKey) throws(Fault) -> Claim {
        let signature: ManagementSignature
        if authorization.begins(with: ManagementSignature.qiniu.scheme) {
            signature = .qiniu
        } else if authorization.begins(with: ManagementSignature.qbox.scheme) {
            signature = .qbox
        } else {
            throw .malformed
        }
        let token = authorization.extracting(signature.scheme.utf8CodeUnitCount..<authorization.count)
        guard let colon = token.firstIndex(of: UInt8(ascii: ":")),
            let code = Base64.urlSafe.decode(token.extracting(colon + 1..<token.count)).flatMap({ Digest($0) })
        else { throw .malformed }
        guard token.extracting(0..<colon).equals(key.accessKey) else { throw .otherKey }
        return Claim(signature: signature, code: code)
    }

    /// - Parameters:
    ///   - request: the callback as the vendor sent it, to the host and target of the public URL that it knows.
    ///   - scratch: room to work in.
    package static func judge(
        _ claim: Claim, of request: borrowing ManagementRequest, with key: SigningKey, using scratch: inout ByteWriter
    ) throws(IssueError) -> Verdict {
        guard isCovered(request, by: claim.signature) else { return .refused(.bodyNotCovered) }
        scratch.reset()
        claim.signature.writeText(of: request, into: &scratch)
        let code = try key.sha1.code(of: scratch.bytes)
        return code.constantTimeEquals(claim.code) ? .genuine : .refused(.wrongSignature)
    }

    /// QBox does not sign the content type either: a JSON callback would still hold as a form without a body.
    private static func isCovered(_ request: borrowing ManagementRequest, by signature: ManagementSignature) -> Bool {
        signature.covers(bodyOf: request.contentType) && (signature == .qiniu || !request.body.isEmpty)
    }
}
