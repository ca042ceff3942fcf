import Bytes
import Crypto
import Net
import Providers
import Telemetry
import Upstream

/// A call for a vendor's public key, from the first attempt to the end.
final class CallbackKeyFlight: VendorCall {
    let line: VendorLine
    var course = CallCourse()
    private let place: PublishedKey
    private let tools: Fetch.Tools
    private let whenOver: (Result<RSAPublicKey, UpstreamFault>, Now) -> Void

    var courier: any Courier { tools.courier }
    var clock: () -> Now { tools.clock }

    /// - Parameter whenOver: called once, perhaps before `start` returns.
    init(
        for place: PublishedKey, on line: VendorLine, _ tools: Fetch.Tools,
        whenOver: @escaping (Result<RSAPublicKey, UpstreamFault>, Now) -> Void
    ) {
        self.place = place
        self.line = line
        self.tools = tools
        self.whenOver = whenOver
    }

    func attempt(_ endpoint: Int, until: Int64, at now: Now) {
        do throws(CallFault) {
            try send(
                place.call(), to: place.host, until: until, answerLimit: PublishedKey.answerLimit, isRepeatable: true
            ) { [weak self] in self?.finish($0) }
        } catch {
            fail(.unavailable, error.reason)
        }
    }

    private func finish(_ result: Result<ExchangeAnswer, ExchangeError>) {
        switch result {
        case .failure(let error): fail(UpstreamFault(error), "\(error)")
        case .success(let answer):
            do throws(VendorFault) {
                let key = try place.read(UpstreamAnswer(answer))
                let now = clock()
                if succeeded(at: now) { whenOver(.success(key), now) }
            } catch {
                fail(UpstreamFault(error), "\(error)")
            }
        }
    }

    func land(with fault: UpstreamFault, at now: Now) {
        // One that was not tried would only say again what the last one said.
        if !course.complaint.isEmpty {
            tools.log.write(
                .warning, "no public key from the vendor",
                [
                    "host": place.host.authority.text, "path": place.path.text, "reason": course.complaint,
                    "attempts": "\(course.attempts)",
                ])
        }
        whenOver(.failure(fault), now)
    }
}
