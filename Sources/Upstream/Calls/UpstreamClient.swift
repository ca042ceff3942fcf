import Bytes
import Net
import Providers

/// What a loop sends its calls with.
package protocol UpstreamClient: AnyObject {
    /// `completion` is called once, and never before this returns.
    /// - Returns: what to cancel the exchange by.
    @discardableResult
    func start(_ exchange: Exchange, completion: @escaping (Result<ExchangeAnswer, ExchangeError>) -> Void) -> UInt64

    /// Nobody wants to know what becomes of an exchange any more: unless it has been called, its completion is not.
    func cancel(_ exchange: UInt64)
}

extension ClientPool: UpstreamClient {}

// MARK: Between the rooms

extension UpstreamAnswer {
    package init(_ answer: ExchangeAnswer) {
        self.init(
            status: answer.status, headers: answer.fields.map { NameValue($0.name, $0.value) }, body: answer.body)
    }
}

extension ExchangeError {
    /// Whether the request was sent, and its answer did not come in time.
    var isSlowAnswer: Bool {
        switch self {
        case .timeout(.waiting), .timeout(.receiving): true
        default: false
        }
    }
}

extension UpstreamFault {
    package init(_ error: ExchangeError) {
        self =
            switch error {
            case .malformed, .tooLarge: .malformed
            case .resolve, .connect, .tls, .timeout, .closed, .plainHTTP, .busy, .cancelled: .network
            }
    }

    package init(_ fault: SessionFault) {
        self =
            switch fault.kind {
            case .vendor: UpstreamFault(status: fault.status, code: Array(text: fault.code).span)
            case .answer where (500...599).contains(fault.status): .unavailable
            case .answer where fault.status == 429: .throttled
            case .answer: .malformed
            case .expired: .expired
            case .clock: .clockOff
            case .noRole: .refused
            }
    }

    package init(_ fault: VendorFault) {
        self =
            switch fault {
            case .keyRefused, .requestRefused: .refused
            case .status(let status): UpstreamFault(status: status, code: Span())
            case .unreadable: .malformed
            }
    }
}
