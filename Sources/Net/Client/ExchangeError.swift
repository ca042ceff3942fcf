/// Why an exchange brought no answer. Its description is for people, and never holds anything that the peer sent.
package enum ExchangeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// How far an exchange has come.
    package enum Phase: Sendable, Equatable {
        case resolving, connecting, handshaking, sending, waiting, receiving
    }

    case resolve(Resolver.Fault)
    /// No address of the host could be connected to; why the first one could not, in the system's words.
    case connect(reason: String)
    case tls(TLSFault)
    /// The deadline passed.
    case timeout(Phase)
    /// The peer closed or reset the connection before its answer was complete.
    case closed(Phase)
    /// The answer is not HTTP, or could be understood in two ways.
    case malformed(reason: String)
    /// The answer is larger than was allowed.
    case tooLarge(reason: String)
    /// Plain http to somewhere that it may not go to.
    case plainHTTP
    /// As many exchanges are under way as may be.
    case busy
    /// The service is stopping.
    case cancelled

    package var description: String {
        switch self {
        case .resolve(let fault): fault.description
        case .connect(let reason): "cannot connect: \(reason)"
        case .tls(let fault): fault.description
        case .timeout(let phase): "no answer in time: \(phase.activity)"
        case .closed(let phase): "the connection was lost \(phase.moment)"
        case .malformed(let reason): "the answer is not acceptable HTTP: \(reason)"
        case .tooLarge(let reason): reason
        case .plainHTTP: "plain http goes to this machine and to 100.100.100.200 only; use https"
        case .busy: "too many exchanges are under way"
        case .cancelled: "the service is stopping"
        }
    }
}

extension ExchangeError.Phase {
    fileprivate var activity: String {
        switch self {
        case .resolving: "the address of the host was still being looked up"
        case .connecting: "the connection was not accepted"
        case .handshaking: "the TLS handshake did not end"
        case .sending: "the request was not taken"
        case .waiting: "the request was sent, and nothing came"
        case .receiving: "the answer began, and did not end"
        }
    }

    fileprivate var moment: String {
        switch self {
        case .resolving, .connecting: "while it was being made"
        case .handshaking: "during the TLS handshake"
        case .sending: "while the request was sent"
        case .waiting: "before the answer began"
        case .receiving: "before the answer was complete"
        }
    }
}
