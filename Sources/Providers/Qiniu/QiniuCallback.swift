import Access
import Bytes
import Crypto

/// `/qiniu/callback`: what Kodo sends when an upload with a `callbackUrl` is done.
struct QiniuCallback: CallbackVerifier {
    let publicURL: PublicURL
    let reply: [UInt8]
    private let signatures: [ManagementSignature]

    /// How far the date that a callback was signed with may be behind, and how far ahead, in seconds.
    private static let tolerance: (behind: Int64, ahead: Int64) = (Qiniu.dateTolerance, 60)
    private static let method = Array("POST".utf8)
    private static let schemes: [(name: String, signature: ManagementSignature)] = [("qiniu", .qiniu), ("qbox", .qbox)]

    static let route = RouteDescription(
        "qiniu.callback", path: "/qiniu/callback", "Callbacks from Kodo, verified and answered.",
        request: RouteRequest([], withoutKey: .prefix),
        grant: RouteGrant(callbacks: Fields()) { grant throws(FieldProblem) in try QiniuCallback(grant) },
        answer: RouteAnswer([]))

    struct Fields: FieldGroup {
        let publicURL = Field.publicURL(of: "Kodo")
        let reply = Field.reply(to: "Kodo")
        let schemes = Field(
            "schemes", .strings, default: .texts("qiniu", "qbox"),
            "The signatures of Kodo that the service accepts. A form is signed by qbox, JSON by qiniu. qbox covers neither "
                + "method nor host, and never ends.")
    }

    init(_ grant: Settings<Fields>) throws(FieldProblem) {
        guard let url = PublicURL(grant.publicURL ?? []) else { throw FieldProblem("publicURL", PublicURL.form) }
        let names = grant.schemes
        let known = QiniuCallback.schemes
        guard !names.isEmpty, names.allSatisfy({ name in known.contains { $0.name.utf8.elementsEqual(name) } }) else {
            throw FieldProblem("schemes", "must be of qiniu and qbox, at least one")
        }
        publicURL = url
        reply = grant.reply ?? []
        signatures = known.filter { names.contains(Array($0.name.utf8)) }.map(\.signature)
    }

    func faultOfHead(_ callback: borrowing ReceivedCallback, with key: SigningKey) -> CallbackFault? {
        let host = publicURL.authority
        do throws(CallbackFault) {
            _ = try claim(in: callback, try QiniuCallback.request(callback, to: host.span), of: key)
            return nil
        } catch {
            return error
        }
    }

    func judge(
        _ callback: borrowing ReceivedCallback, with key: SigningKey, using scratch: inout ByteWriter
    ) throws(IssueError) -> CallbackVerdict {
        let host = publicURL.authority
        let request: ManagementRequest
        let claim: CallbackSignature.Claim
        do throws(CallbackFault) {
            request = try QiniuCallback.request(callback, to: host.span)
            claim = try self.claim(in: callback, request, of: key)
        } catch {
            return .refused(error)
        }
        switch try CallbackSignature.judge(claim, of: request, with: key, using: &scratch) {
        case .genuine: return .genuine
        case .refused(let fault): return .refused(CallbackFault(fault.reason))
        }
    }

    /// The callback as Kodo sent it: to the public URL's host, whatever host a proxy has asked us by.
    @_lifetime(copy callback, copy host)
    private static func request(
        _ callback: borrowing ReceivedCallback, to host: Span<UInt8>
    ) throws(CallbackFault) -> ManagementRequest {
        do throws(IssueError) {
            return try ManagementRequest(
                method: method.span, target: callback.target, host: host,
                contentType: callback.contentType, fieldLines: callback.fieldLines, body: callback.body)
        } catch {
            throw CallbackFault("what is signed of it is not spelled as Kodo spells it")
        }
    }

    private static func unwanted(_ signature: ManagementSignature) -> CallbackFault {
        switch signature {
        case .qbox:
            CallbackFault(
                "it is signed by QBox, as forms are, and the grant's schemes do not name qbox; name it, or send JSON")
        case .qiniu:
            CallbackFault(
                "it is signed by Qiniu, as JSON is, and the grant's schemes do not name qiniu; name it, or send a form")
        }
    }

    private func claim(
        in callback: borrowing ReceivedCallback, _ request: borrowing ManagementRequest, of key: SigningKey
    ) throws(CallbackFault) -> CallbackSignature.Claim {
        let claim: CallbackSignature.Claim
        do throws(CallbackSignature.Fault) {
            claim = try CallbackSignature.claim(in: callback.authorization, of: key)
        } catch {
            throw CallbackFault(error.reason)
        }
        guard signatures.contains(claim.signature) else {
            throw QiniuCallback.unwanted(claim.signature)
        }
        if let index = request.fields.index(of: "x-qiniu-date") {
            guard let date = ISO8601.parseBasic(request.fields.value(at: index)) else {
                throw CallbackFault("its X-Qiniu-Date is not of the form 20151103T095259Z")
            }
            let (behind, ahead) = QiniuCallback.tolerance
            guard (callback.time - behind...callback.time + ahead).contains(date) else {
                throw CallbackFault("its X-Qiniu-Date is too far from our clock")
            }
        }
        return claim
    }
}
