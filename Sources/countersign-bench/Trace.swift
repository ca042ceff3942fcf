import CAllocations

/// Where an operation allocates, in the form that `llvm-symbolizer` names the call sites in.
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
        var site = ca_call_site()
        var depth: Int32 = 0
        while ca_trace_call_site(allocation, depth, &site) != 0 {
            depth += 1
            guard let file = site.file else { continue }
            text += "CODE \"\(String(cString: file))\" 0x\(String(site.offset, radix: 16))\n"
        }
        return text
    }
}
