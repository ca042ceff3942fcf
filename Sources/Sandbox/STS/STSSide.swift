import Bytes
import Net

/// Alibaba's STS at the sandbox's port.
final class STSSide: VendorSide {
    /// The longest form that STS documents, all of it percent-encoded.
    private static let longestForm = 64 * 1024

    let label: StaticString = "sts"
    private let sts: Guarded<SandboxSTS>

    init(_ settings: SandboxSTS.Settings) { sts = Guarded(SandboxSTS(settings)) }

    func recognises(_ request: SandboxRequest) -> Bool {
        guard request.path.elementsEqual("/".utf8) else { return false }
        if request.has("x-acs-action") || request.isForm { return true }
        let query = request.query
        return query.starts(with: "Action=".utf8) || query.firstRange(of: Array("&Action=".utf8)) != nil
    }

    func answer(
        _ request: SandboxRequest, _ body: BodyReader, at now: Int64
    ) throws(BodyReader.Fault) -> SandboxResponse {
        var request = request
        request.body = try body.readAll(atMost: STSSide.longestForm)
        let answer = sts.withLock { sts in sts.answer(request, at: now) }
        return SandboxResponse(answer.status, "application/json; charset=utf-8", answer.body)
    }

    /// The secret of a session that is remembered.
    func session(_ accessKeyID: [UInt8]) -> IssuedCredential? { sts.withLock { $0.session(accessKeyID) } }
}
