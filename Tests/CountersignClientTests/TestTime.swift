import Foundation

@testable import CountersignClient

/// Time that passes when a test says so, or when somebody waits.
final class TestTime: @unchecked Sendable {
    private let lock = NSLock()
    /// Guarded by the lock, as all below.
    private var passed = Duration.seconds(1000)
    private var waited: [Duration] = []

    var source: TimeSource {
        TimeSource(
            now: { self.lock.withLock { self.passed } },
            sleep: { duration in
                try Task.checkCancellation()
                self.lock.withLock {
                    self.passed += duration
                    self.waited.append(duration)
                }
            })
    }

    /// How long was waited, each time.
    var waits: [Duration] { lock.withLock { waited } }

    func pass(_ duration: Duration) { lock.withLock { passed += duration } }
}

/// Something that several threads change.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { lock.withLock { stored } }

    @discardableResult
    func update<Result>(_ change: (inout Value) -> Result) -> Result { lock.withLock { change(&stored) } }
}
