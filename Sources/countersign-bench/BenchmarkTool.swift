#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The command line of `countersign-bench`.
enum BenchmarkTool {
    private static let usage = """
        usage: countersign-bench [--filter TEXT] [--json] [--check FILE] [--check-times]
               countersign-bench --trace TEXT
               countersign-bench --timing
               countersign-bench --replicas

          --filter TEXT   only operations whose names contain TEXT
          --json          a JSON array instead of a table
          --check FILE    fails when an operation allocates more often than FILE allows
          --check-times   warns of operations that take longer than they should
          --trace TEXT    where such operations allocate: frames for llvm-symbolizer to name
          --timing        fails when the time to refuse a key or a ticket tells how much of it was right
          --replicas      simulates up to 100 replicas with ten million callers: what Redis is asked, and how far limits hold

        """

    private struct Options {
        var filter = ""
        var wantsJSON = false
        var ceilings: String?
        var checksTimes = false
        var traces = false
    }

    /// - Returns: the process's exit code: 0, 1 for a failed check or operation, 2 for a wrong option.
    static func run(_ arguments: [String]) -> Int32 {
        if arguments == ["--help"] {
            print(usage, terminator: "")
            return 0
        }
        if arguments == ["--timing"] {
            do { return try Timing.run() } catch {
                complain("countersign-bench: \(error)\n")
                return 1
            }
        }
        if arguments == ["--replicas"] {
            Simulation.run()
            return 0
        }
        guard let options = read(arguments) else {
            complain(usage)
            return 2
        }
        do {
            let rows = try choose(options.filter)
            guard options.traces else { return try measure(rows, options) }
            let bench = Workbench()
            for row in rows { print(try Trace.text(of: row, on: bench), terminator: "") }
            return 0
        } catch {
            complain("countersign-bench: \(error)\n")
            return 1
        }
    }

    private static func read(_ arguments: [String]) -> Options? {
        var options = Options()
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--json": options.wantsJSON = true
            case "--check-times": options.checksTimes = true
            case "--filter", "--trace", "--check":
                guard let value = rest.popFirst(), !value.isEmpty else { return nil }
                if option == "--check" { options.ceilings = value } else { options.filter = value }
                if option == "--trace" { options.traces = true }
            default: return nil
            }
        }
        return options
    }

    private static func measure(_ rows: [Row], _ options: Options) throws -> Int32 {
        // Before the work, so that a file that cannot be read is told at once.
        let ceilings = try options.ceilings.map { try Ceilings(file: $0) }
        if !Allocations.areCounted {
            complain("countersign-bench: allocations are not counted on this system\n")
            if ceilings != nil { return 1 }
        }
        let bench = Workbench()
        var measurements: [Measurement] = []
        for row in rows {
            do { measurements.append(try Measurement(row, on: bench)) } catch {
                throw RowError("\(row.name): \(error)")
            }
        }
        print(options.wantsJSON ? Report.json(measurements) : Report.table(measurements), terminator: "")
        if options.checksTimes {
            for measurement in measurements {
                guard let slowest = measurement.row.slowest, measurement.median > slowest else { continue }
                complain(
                    "warning: \(measurement.row.name): \(Report.time(measurement.median)) ns,"
                        + " and should take at most \(Report.time(slowest))\n")
            }
        }
        let faults = ceilings?.faults(of: measurements) ?? []
        for fault in faults { complain("\(fault)\n") }
        for hint in ceilings?.hints(about: measurements) ?? [] { complain("note: \(hint)\n") }
        return faults.isEmpty ? 0 : 1
    }

    private static func choose(_ filter: String) throws -> [Row] {
        let rows = Row.all.filter { filter.isEmpty || $0.name.contains(filter) }
        guard !rows.isEmpty else { throw RowError("there is no operation \(filter)") }
        return rows
    }

    private static func complain(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
