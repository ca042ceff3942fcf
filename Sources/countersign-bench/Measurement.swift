#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What an operation costs.
///
/// Times are of the processor, not of the clock on the wall, so that other work on the machine does little. Allocations are
/// counted over `operations` after as many to warm up; nothing about them is an estimate.
struct Measurement {
    let row: Row
    let program: Allocations
    let openSSL: Allocations
    /// Nanoseconds for one operation in each batch, ascending; never empty.
    private let times: [Double]

    /// How many operations the allocations are counted over.
    static let operations = 1000
    private static let batches = 25
    /// Nanoseconds that a batch takes at least.
    private static let batchTime: UInt64 = 1_000_000

    var median: Double { times[times.count / 2] }
    var least: Double { times[0] }
    var greatest: Double { times[times.count - 1] }

    init(_ row: Row, on bench: Workbench) throws {
        self.row = row
        let operation = try row.prepare(bench)
        for _ in 0..<Measurement.operations { try operation() }
        let (program, openSSL) = (Allocations.program, Allocations.openSSL)
        for _ in 0..<Measurement.operations { try operation() }
        self.program = Allocations.program - program
        self.openSSL = Allocations.openSSL - openSSL
        var size = 64
        while try Measurement.time(of: operation, times: size) < Measurement.batchTime { size *= 2 }
        var times: [Double] = []
        for _ in 0..<Measurement.batches {
            times.append(Double(try Measurement.time(of: operation, times: size)) / Double(size))
        }
        self.times = times.sorted()
    }

    private static func time(of operation: Row.Operation, times: Int) throws -> UInt64 {
        let start = processorTime()
        for _ in 0..<times { try operation() }
        return processorTime() - start
    }

    /// Nanoseconds that this thread has had of a processor.
    private static func processorTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
