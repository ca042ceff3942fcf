import Bytes
import Foundation

@testable import TestService

/// Clients that ask again and again, on connections that are kept as long as the service likes.
final class Load: @unchecked Sendable {
    private let lock = NSLock()
    private let left = DispatchGroup()
    private let mayBeRefused: Bool
    private var isOver = false
    private var faults: [String] = []
    private var ids: [String] = []

    /// Below what a service that stops gives those who do not know it yet (`EventLoop.idleGrace`).
    private static let grace = Duration.milliseconds(250)

    /// - Parameter mayBeRefused: whether a client that finds nobody who listens is done, and has no fault.
    init(_ clients: Int, on port: UInt16, mayBeRefused: Bool = false) {
        self.mayBeRefused = mayBeRefused
        for _ in 0..<clients {
            left.enter()
            Thread.detachNewThread { [self] in
                do { try ask(port) } catch { lock.withLock { faults.append("\(error)") } }
                left.leave()
            }
        }
    }

    /// The requests that were answered.
    var answered: [String] { lock.withLock { ids } }

    /// Waits until so many more are.
    func wait(forMore count: Int) throws {
        let deadline = Date.now.addingTimeInterval(Program.patience)
        let start = answered.count
        while answered.count < start + count {
            guard deadline > .now else { throw Program.Failure(description: "\(answered.count - start) more answers") }
            usleep(2000)
        }
    }

    private func ask(_ port: UInt16) throws {
        while !lock.withLock({ isOver }) {
            let client: Client
            do { client = try Client(port) } catch { if mayBeRefused { return } else { throw error } }
            // No later than when the service has last heard of it.
            var heard = ContinuousClock.now
            var isOpen = true
            while isOpen, !lock.withLock({ isOver }) {
                let asking = ContinuousClock.now
                do {
                    try client.send("GET /nos/token?object=a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                } catch { if isLate(since: heard) { break } else { throw error } }
                let wasLate = isLate(since: heard)
                let answer: Answer
                do {
                    answer = try client.answer()
                } catch { if wasLate, client.isUnanswered { break } else { throw error } }
                guard answer.status == 200 else { throw Program.Failure(description: "\(answer.status)") }
                isOpen = !answer.closes
                lock.withLock { ids.append(answer["X-Request-Id"] ?? "") }
                heard = asking
            }
        }
    }

    /// Whether a client was held up for so long that it may find its connection closed.
    private func isLate(since heard: ContinuousClock.Instant) -> Bool { heard.duration(to: .now) > Load.grace }

    /// - Returns: what went wrong.
    func end() -> [String] {
        lock.withLock { isOver = true }
        left.wait()
        return faults
    }
}
