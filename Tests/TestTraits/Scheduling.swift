package import Testing

/// What may run beside a test that starts processes, opens sockets, or waits for other threads.
///
/// Such tests run on threads of their own (`WaitingThreads`). A suite's trait is that of all its tests, and a test may need more.
/// Tests without one compute, and run beside all others.
package struct Scheduling: SuiteTrait, TestTrait, TestScoping {
    fileprivate let kind: Turns.Kind
    package var isRecursive: Bool { true }

    /// Around a suite, too: what is done for each of its tests is then done on these threads as well.
    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Scheduling? { self }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // The test's own trait and its suite's come to the same turn.
        let kinds = test.traits.compactMap { ($0 as? Scheduling)?.kind }
        try await withTaskExecutorPreference(WaitingThreads.shared) {
            if testCase == nil || Scheduling.hasTurn {
                try await function()
            } else {
                try await Turns.shared.run(as: kinds.min { $0.rawValue < $1.rawValue } ?? kind) {
                    try await Scheduling.$hasTurn.withValue(true) { try await function() }
                }
            }
        }
    }

    @TaskLocal private static var hasTurn = false
}

extension Trait where Self == Scheduling {
    /// The test mostly waits: several of its kind run at once.
    package static var waiting: Scheduling { Scheduling(kind: .waiting) }
    /// The test holds what it tests to seconds: it runs beside others that do, and few of them.
    package static var timed: Scheduling { Scheduling(kind: .timed) }
    /// The test takes much of the machine, or looks at all of it: no other test that waits runs beside it.
    package static var alone: Scheduling { Scheduling(kind: .alone) }
}
