import HTTP
import TestPeers
import Upstream

@testable import Net
@testable import Gateway

/// Carries what a service in the process of the tests asks others to the `ClientPeer` of its port, or to the sandbox, and the answer
/// back. Whom nobody stands in for cannot be connected to; who says nothing is waited for until its time is over.
final class FakeVendors: UpstreamClient {
    private struct Sent {
        let number: UInt64
        let exchange: Exchange
        let completion: (Result<ExchangeAnswer, ExchangeError>) -> Void
    }

    /// What comes, and when, in monotonic milliseconds.
    private struct Due {
        let sent: Sent
        let moment: Int64
        let outcome: Result<ExchangeAnswer, ExchangeError>
    }

    private let sandbox: FakeSandbox
    private var count: UInt64 = 0
    private var started: [Sent] = []
    private var due: [Due] = []

    init(_ sandbox: FakeSandbox) { self.sandbox = sandbox }

    func start(
        _ exchange: Exchange, completion: @escaping (Result<ExchangeAnswer, ExchangeError>) -> Void
    ) -> UInt64 {
        count += 1
        started.append(Sent(number: count, exchange: exchange, completion: completion))
        return count
    }

    func cancel(_ exchange: UInt64) {
        started.removeAll { $0.number == exchange }
        due.removeAll { $0.sent.number == exchange }
    }

    /// Asks what has been started, and brings what is due.
    /// - Parameter now: monotonic milliseconds.
    /// - Returns: whether there was any.
    func deliver(at now: Int64) -> Bool {
        var isBusy = false
        // A completion may ask, or cancel, others.
        while !started.isEmpty {
            isBusy = true
            let sent = started.removeFirst()
            let (outcome, delay) = ask(sent.exchange)
            let moment = now + delay
            due.append(
                moment < sent.exchange.deadline
                    ? Due(sent: sent, moment: moment, outcome: outcome)
                    : Due(sent: sent, moment: sent.exchange.deadline, outcome: .failure(.timeout(.waiting))))
        }
        while let index = due.firstIndex(where: { $0.moment <= now }) {
            isBusy = true
            let next = due.remove(at: index)
            next.sent.completion(next.outcome)
        }
        return isBusy
    }

    /// - Returns: also after how many milliseconds that comes.
    private func ask(_ exchange: Exchange) -> (Result<ExchangeAnswer, ExchangeError>, Int64) {
        if exchange.port == RunningSandbox.shared.port {
            let answer = sandbox.answer(exchange.request)
            return (read(answer, to: exchange, isOpen: false) ?? .failure(.closed(.waiting)), 0)
        }
        guard let said = ClientPeer.converse(exchange.request, at: exchange.port) else {
            return (.failure(.connect(reason: "nobody listens")), 0)
        }
        guard let outcome = read(said.bytes, to: exchange, isOpen: said.isOpen) else {
            return (.failure(.timeout(.receiving)), .max / 2)
        }
        return (outcome, said.delay)
    }

    /// - Parameter isOpen: whether more may come.
    /// - Returns: nil when more has to come.
    private func read(
        _ bytes: [UInt8], to exchange: Exchange, isOpen: Bool
    ) -> Result<ExchangeAnswer, ExchangeError>? {
        var reader = ResponseReader(limit: exchange.answerLimit, isHead: exchange.isHead)
        do throws(ResponseReader.Fault) {
            try reader.receive(bytes.span)
            if !reader.isComplete {
                if isOpen { return nil }
                try reader.close()
            }
        } catch {
            switch error.kind {
            case .endedEarly: return .failure(.closed(bytes.isEmpty ? .waiting : .receiving))
            case .tooLarge: return .failure(.tooLarge(reason: error.reason.description))
            case .malformed: return .failure(.malformed(reason: error.reason.description))
            }
        }
        return .success(ExchangeAnswer(status: reader.status, fields: reader.fields, body: reader.body))
    }
}
