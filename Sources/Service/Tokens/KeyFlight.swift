import Access
import Bytes
import Configuration
import Net
import Providers
import Telemetry
import Upstream

/// One call for the keys of an issuer.
final class KeyFlight: VendorCall {
    let line: VendorLine
    var course = CallCourse()
    var whenOver: (() -> Void)?
    private let desk: KeyDesk
    private let tools: Fetch.Tools

    var courier: any Courier { tools.courier }
    var clock: () -> Now { tools.clock }

    init(to desk: KeyDesk, _ tools: Fetch.Tools) {
        self.desk = desk
        self.tools = tools
        line = desk.line
    }

    func attempt(_ place: Int, until: Int64, at now: Now) {
        let endpoint = desk.source.endpoint
        let call = UpstreamCall(
            .get, authority: endpoint.authority, path: desk.source.path,
            headers: [UpstreamField(Array(text: "accept"), Array(text: "application/json"))])
        do throws(CallFault) {
            try send(call, to: endpoint, until: until, answerLimit: JWTKeySet.longestText, isRepeatable: true) {
                [weak self] in
                self?.finish($0)
            }
        } catch {
            fail(.unavailable, error.reason)
        }
    }

    private func finish(_ result: Result<ExchangeAnswer, ExchangeError>) {
        switch result {
        case .failure(let error): fail(UpstreamFault(error), "\(error)")
        case .success(let answer) where answer.status != 200:
            fail(UpstreamFault(status: answer.status, code: Span()), "the answer's status is \(answer.status)")
        case .success(let answer):
            do throws(JWTKeySet.Fault) {
                let keys = try JWTKeySet(jwks: answer.body.span)
                guard desk.issuer.algorithms.contains(where: { algorithm in keys.keys.contains { $0.fits(algorithm) } })
                else { throw JWTKeySet.Fault("has no key for the issuer's algorithms") }
                land(keys, writtenAs: answer.body)
            } catch {
                fail(.malformed, "the answer \(error.reason)")
            }
        }
    }

    private func land(_ keys: JWTKeySet, writtenAs text: [UInt8]) {
        let now = clock()
        guard succeeded(at: now) else { return }
        if desk.land(keys, writtenAs: text, at: now) {
            tools.log.write(
                .info, "keys of an issuer taken", ["issuer": desk.issuer.id.text, "keys": "\(keys.keys.count)"])
        }
        whenOver?()
    }

    func land(with fault: UpstreamFault, at now: Now) {
        desk.fail(at: now)
        tools.log.write(
            .warning, "keys of an issuer not fetched",
            [
                "issuer": desk.issuer.id.text, "reason": course.complaint.isEmpty ? "\(fault)" : course.complaint,
                "attempts": "\(course.attempts)",
            ])
        whenOver?()
    }
}
