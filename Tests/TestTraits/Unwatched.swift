package import Testing

/// Has a test start the release binary of the service, which no sanitizer watches: a sanitizer has memory of its own, reads
/// `/proc`, and is there before a library that sets the clock.
package struct Unwatched: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Unwatched.$isNeeded.withValue(true) { try await function() }
    }

    /// Whether the test that runs has this trait.
    @TaskLocal package static var isNeeded = false
}

extension Trait where Self == Unwatched {
    package static var unwatched: Unwatched { Unwatched() }
}
