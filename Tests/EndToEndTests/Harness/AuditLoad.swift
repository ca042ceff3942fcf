import Foundation

@testable import TestService

/// Clients that ask again and again on connections that they keep, and remember which requests were answered by 200.
final class AuditLoad: @unchecked Sendable {
    private let lock = NSLock()
    private let group = DispatchGroup()
    private var answered: [String] = []
    private var others: [Int: Int] = [:]
    private var isOver = false

    init(_ service: Service, _ target: String, clients: Int) {
        for _ in 0..<clients {
            group.enter()
            Thread.detachNewThread { [self] in
                defer { group.leave() }
                let request = service.text("GET", target)
                while !lock.withLock({ isOver }) {
                    guard let client = try? service.connect() else { return }
                    while !lock.withLock({ isOver }) {
                        guard (try? client.send(request)) != nil, let answer = try? client.answer() else { break }
                        note(answer)
                        if answer.closes { break }
                    }
                }
            }
        }
    }

    private func note(_ answer: Answer) {
        lock.withLock {
            if answer.status == 200, let id = answer["X-Request-Id"] {
                answered.append(id)
            } else {
                others[answer.status, default: 0] += 1
            }
        }
    }

    /// How many were answered by each status but 200.
    var refusals: [Int: Int] { lock.withLock { others } }

    /// Waits until so many more were answered by 200.
    func wait(forMore count: Int) throws {
        let start = lock.withLock { answered.count }
        try wait("\(count) more answers") { answered.count >= start + count }
    }

    /// Waits until so many more were answered by another status.
    func wait(forMore count: Int, of status: Int) throws {
        let start = lock.withLock { others[status, default: 0] }
        try wait("\(count) more answers of \(status)") { others[status, default: 0] >= start + count }
    }

    private func wait(_ what: String, _ isDone: () -> Bool) throws {
        let deadline = Date.now.addingTimeInterval(60)
        while !lock.withLock(isDone) {
            guard deadline > .now else { throw Program.Failure(description: "there were never \(what)") }
            usleep(2000)
        }
    }

    /// Ends it.
    /// - Returns: the ids of the requests that were answered by 200.
    func stop() -> [String] {
        lock.withLock { isOver = true }
        group.wait()
        return lock.withLock { answered }
    }
}
