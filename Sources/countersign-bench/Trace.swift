import CAllocations

/// Where an operation allocates, in the form that `llvm-symbolizer` names the places in.
enum Trace {
    static func text(of row: Row, on bench: Workbench) throws -> String {
        let operation = try row.prepare(bench)
        for _ in 0..<Measurement.operations { try operation() }
        ca_trace_begin()
        try operation()
        let count = ca_trace_end()
        return (0..<count).map { "\n\(row.name): allocation \($0 + 1) of \(count)\n" + frames(of: $0) }.joined()
    }

    /// A line for each call that was under way, the innermost first.
    private static func frames(of allocation: Int32) -> String {
        var text = ""
        var place = ca_place()
        var depth: Int32 = 0
        while ca_trace_place(allocation, depth, &place) != 0 {
            depth += 1
            guard let file = place.file else { continue }
            text += "CODE \"\(String(cString: file))\" 0x\(String(place.offset, radix: 16))\n"
        }
        return text
    }
}
