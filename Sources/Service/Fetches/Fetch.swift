import Access
import Bytes
import Net
import Providers
import Telemetry
import Upstream

/// A question to a vendor for one request, from the first attempt to the end.
final class Fetch: VendorCall {
    typealias Outcome = Result<VendorReply, Refusal>

    /// What a fetch has of its loop.
    struct Tools {
        let courier: any Courier
        let clock: () -> Now
        let log: Log
    }

    let line: VendorLine
    var course = CallCourse()
    /// Nil while it is under way.
    private(set) var outcome: Outcome?
    /// Called when it is over, unless it is by then.
    var whenOver: ((Outcome) -> Void)?
    private let question: any VendorQuestion
    private let credential: String
    private let requestID: String
    private let tools: Tools
    /// What is under way.
    private var exchange: UInt64?

    /// The most bytes of a vendor's answer.
    static let answerLimit = 1 << 20

    var courier: any Courier { tools.courier }
    var clock: () -> Now { tools.clock }

    /// - Parameters:
    ///   - credential: its name, for the log.
    ///   - requestID: of the request that it is for, for the log.
    init(
        _ question: any VendorQuestion, on line: VendorLine, with credential: String, for requestID: String,
        _ tools: Tools
    ) {
        self.question = question
        self.line = line
        self.credential = credential
        self.requestID = requestID
        self.tools = tools
    }

    /// The client is gone.
    func cancel() {
        if let exchange { courier.cancel(exchange) }
        whenOver = nil
        abandon(at: clock())
    }

    // MARK: Attempts

    func attempt(_ place: Int, until: Int64, at now: Now) {
        guard line.endpoints.indices.contains(place) else { return fail(.unavailable, "there is no endpoint") }
        let endpoint = line.endpoints[place]
        do throws(CallFault) {
            let call = try call(to: endpoint, at: now)
            exchange = try send(call, to: endpoint, until: until, answerLimit: Fetch.answerLimit, isRepeatable: true) {
                [weak self] in
                self?.finish($0, from: endpoint.authority.text)
            }
        } catch {
            fail(.unavailable, error.reason)
        }
    }

    private func call(to endpoint: VendorEndpoint, at now: Now) throws(CallFault) -> UpstreamCall {
        do throws(IssueError) { return try question.call(to: endpoint.authority, at: now.unixSeconds) } catch {
            throw CallFault("\(error)")
        }
    }

    private func finish(_ result: Result<ExchangeAnswer, ExchangeError>, from endpoint: String) {
        exchange = nil
        switch result {
        case .failure(.tooLarge(let reason)):
            // The vendor is there; what was asked for is too much.
            guard succeeded(at: clock()) else { return }
            tell("\(endpoint): \(reason)")
            end(.failure(.largeAnswer))
        case .failure(let error): fail(UpstreamFault(error), "\(endpoint): \(error)")
        case .success(let answer):
            do throws(VendorFault) {
                let reply = try question.read(UpstreamAnswer(answer))
                if succeeded(at: clock()) { end(.success(reply)) }
            } catch {
                fail(UpstreamFault(error), "\(endpoint): \(error)")
            }
        }
    }

    // MARK: Ends

    func land(with fault: UpstreamFault, at now: Now) {
        // One that was not tried would only say again what the last one said.
        if !course.complaint.isEmpty { tell(course.complaint) }
        end(.failure(Refusal(fault, at: now)))
    }

    private func tell(_ reason: String) {
        tools.log.write(
            .warning, "no answer from the vendor",
            [
                "requestId": requestID, "credential": credential, "reason": reason, "attempts": "\(course.attempts)",
            ])
    }

    private func end(_ outcome: Outcome) {
        self.outcome = outcome
        whenOver?(outcome)
    }
}
