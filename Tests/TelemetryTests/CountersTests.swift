import Dispatch
import Synchronization
import Testing

@testable import Telemetry

@Suite("Counters and histograms")
struct CountersTests {
    @Test func `what is added counts at its index and nowhere else`() {
        let counters = Counters(5)
        for index in 0..<5 { for _ in 0..<index { counters.add(at: index) } }
        counters.add(1_000, at: 3)
        #expect((0..<5).map { counters[$0] } == [0, 1, 2, 1_003, 4])
        #expect(counters.count == 5)
    }

    @Test(arguments: [-1, 0, 3])
    func `an index that there is not counts nothing, and is 0`(size: Int) {
        let counters = Counters(size)
        for index in [-1, Int.min, size, size + 1, Int.max] where index < 0 || index >= size {
            counters.add(7, at: index)
            #expect(counters[index] == 0)
        }
        #expect((0..<max(0, size)).allSatisfy { counters[$0] == 0 })
    }

    @Test func `beyond the largest number a count begins anew, as Prometheus expects of a counter`() {
        let counters = Counters(1)
        counters.add(.max, at: 0)
        counters.add(3, at: 0)
        #expect(counters[0] == 2)
    }

    @Test(.timeLimit(.minutes(20)))
    func `no reader ever sees a count fall while its thread adds, and in the end none is missing`() {
        let counters = Counters(4)
        let rounds = 50_000
        let falls = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            if thread == 0 {
                for round in 0..<rounds { counters.add(UInt64(round % 3), at: round % 4) }
                return
            }
            var last = [UInt64](repeating: 0, count: 4)
            for _ in 0..<rounds {
                for index in 0..<4 {
                    let count = counters[index]
                    if count < last[index] { falls.add(1, ordering: .relaxed) }
                    last[index] = count
                }
            }
        }
        #expect(falls.load(ordering: .relaxed) == 0)
        for index in 0..<4 {
            let expected = stride(from: index, to: rounds, by: 4).reduce(0) { $0 + $1 % 3 }
            #expect(counters[index] == UInt64(expected))
        }
    }

    @Test func `a time falls into the first bucket that it is not beyond, and its sum is kept`() {
        let bounds = Histogram.bounds
        #expect(bounds == bounds.sorted() && Set(bounds).count == bounds.count)
        for (index, bound) in bounds.enumerated() {
            for (time, bucket) in [(bound - 1, index), (bound, index), (bound + 1, index + 1)] {
                let counters = Counters(Histogram.size + 2)
                Histogram.add(time, times: 3, to: counters, at: 1)
                #expect((0..<counters.count).filter { counters[$0] > 0 } == [1 + bucket, 1 + Histogram.sum])
                #expect(counters[1 + bucket] == 3 && counters[1 + Histogram.sum] == 3 * time)
            }
        }
        let counters = Counters(Histogram.size)
        Histogram.add(.max, to: counters, at: 0)
        #expect(counters[bounds.count] == 1, "what is slower than all bounds has a bucket, too")
    }
}
