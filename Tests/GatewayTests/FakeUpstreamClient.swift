import Upstream

@testable import Net
@testable import Gateway

/// Keeps what a loop sends until a test answers it.
final class FakeUpstreamClient: UpstreamClient {
    struct Sent {
        let number: UInt64
        let exchange: Exchange
        let completion: (Result<ExchangeAnswer, ExchangeError>) -> Void
        var request: String { String(decoding: exchange.request, as: UTF8.self) }

        func answer(_ status: Int, _ body: String, _ fields: [(name: [UInt8], value: [UInt8])] = []) {
            answer(status, bytes: Array(body.utf8), fields)
        }

        func answer(_ status: Int, bytes: [UInt8], _ fields: [(name: [UInt8], value: [UInt8])] = []) {
            completion(.success(ExchangeAnswer(status: status, fields: fields, body: bytes)))
        }

        func fail(_ error: ExchangeError = .timeout(.waiting)) { completion(.failure(error)) }
    }

    var sent: [Sent] = []
    private(set) var cancelled: [UInt64] = []
    private var count: UInt64 = 0

    func start(
        _ exchange: Exchange, completion: @escaping (Result<ExchangeAnswer, ExchangeError>) -> Void
    ) -> UInt64 {
        count += 1
        sent.append(Sent(number: count, exchange: exchange, completion: completion))
        return count
    }

    func cancel(_ exchange: UInt64) {
        cancelled.append(exchange)
        sent.removeAll { $0.number == exchange }
    }

    /// All that is under way; each is to be answered once.
    func take() -> [Sent] {
        defer { sent = [] }
        return sent
    }
}
