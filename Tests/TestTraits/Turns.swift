import Foundation

/// Says which tests that wait may run beside each other: those of one kind, so many at once. The kinds take turns; a turn lasts
/// until nobody of its kind runs or waits.
final class Turns: @unchecked Sendable {
    enum Kind: Int, CaseIterable, Sendable {
        case alone, timed, waiting

        /// Tests at once.
        var width: Int {
            switch self {
            case .alone: 1
            case .timed: 4
            case .waiting: 8
            }
        }
    }

    static let shared = Turns()

    private let lock = NSLock()
    /// Whose turn it is; guarded by the lock, as all below.
    private var kind = Kind.waiting
    private var running = 0
    private var queues: [Kind: [CheckedContinuation<Void, Never>]] = [:]

    func run<Result: Sendable>(
        as kind: Kind, _ body: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            lock.withLock {
                queues[kind, default: []].append(continuation)
                admit()
            }
        }
        defer {
            lock.withLock {
                running -= 1
                admit()
            }
        }
        return try await body()
    }

    private func admit() {
        if running == 0, queues[kind, default: []].isEmpty {
            kind = Kind.allCases.first { !queues[$0, default: []].isEmpty } ?? kind
        }
        while running < kind.width, let next = queues[kind]?.first {
            queues[kind]?.removeFirst()
            running += 1
            next.resume()
        }
    }
}
