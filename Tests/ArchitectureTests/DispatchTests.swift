import Foundation
import Testing

@Suite struct DispatchTests {
    /// Dispatch watches the threads of its global queues by `/proc`, and ends the process where there is none. Those of queues that
    /// have a name of their own are not watched.
    @Test func `no work is done on a global queue`() {
        for source in ImportTests.sources {
            let lines = source.lines.filter { $0.contains(".global(") || $0.contains("concurrentPerform") }
            #expect(lines.isEmpty, "\(source.path): \(lines)")
        }
    }
}
