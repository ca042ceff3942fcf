import Dispatch
import Synchronization
import Telemetry
import Testing

@testable import Gateway

@Suite("What all event loops have counted together")
struct MetricsSumsTests {
    @Test func `it is the sum of the loops, of those too that came later`() {
        let metrics = Metrics()
        #expect(metrics.sums() == [UInt64](repeating: 0, count: RequestMeter.Index.end))
        let first = metrics.makeCounters()
        first.add(5, at: RequestMeter.Index.denied)
        let second = metrics.makeCounters()
        second.add(7, at: RequestMeter.Index.denied)
        second.add(1, at: RequestMeter.Index.end - 1)
        let sums = metrics.sums()
        #expect(sums[RequestMeter.Index.denied] == 12 && sums[RequestMeter.Index.end - 1] == 1)
        #expect(sums.reduce(0, +) == 13)
    }

    @Test(.timeLimit(.minutes(20)))
    func `it never falls while loops count and others join them, and in the end nothing is missing`() {
        let metrics = Metrics()
        let falls = Atomic(0)
        let (loops, rounds, index) = (3, 20_000, RequestMeter.Index.issued)
        DispatchQueue.concurrentPerform(iterations: loops + 1) { thread in
            if thread < loops {
                let counters = metrics.makeCounters()
                for _ in 0..<rounds { counters.add(at: index) }
                return
            }
            var last: UInt64 = 0
            for _ in 0..<300 {
                let sum = metrics.sums()[index]
                if sum < last { falls.add(1, ordering: .relaxed) }
                last = sum
            }
        }
        #expect(falls.load(ordering: .relaxed) == 0)
        #expect(metrics.sums()[index] == UInt64(loops * rounds))
    }
}
