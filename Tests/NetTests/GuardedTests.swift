import Dispatch
import Net
import Testing

@Suite struct GuardedTests {
    @Test func `no change is lost that several threads make at once`() {
        let count = Guarded(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 80_000)
    }

    @Test func `R7: what is guarded is not dumped, whether or not it could be copied`() {
        struct Single: ~Copyable, Sendable { var secret = "a-secret-of-the-tests" }
        let values: [Any] = [Guarded("a-secret-of-the-tests"), Guarded(Single())]
        for value in values {
            var text = ""
            dump(value, to: &text)
            text += "\(value)" + String(reflecting: value)
            #expect(text.contains("Guarded") && !text.contains("a-secret"), "\(text)")
        }
    }
}
