import Bytes

/// Measurements as people and programs read them.
enum Report {
    /// A Markdown table whose columns stand below one another.
    static func table(_ measurements: [Measurement]) -> String {
        let head = ["operation", "ns", "least–greatest", "allocations", "bytes", "OpenSSL's", "bytes"]
        let lines = measurements.map { measurement in
            [
                measurement.row.name, time(measurement.median),
                "\(time(measurement.least))–\(time(measurement.greatest))",
                number(measurement.program.count), number(measurement.program.bytes),
                number(measurement.openSSL.count), number(measurement.openSSL.bytes),
            ]
        }
        let widths = head.indices.map { column in ([head] + lines).map { $0[column].count }.max() ?? 0 }
        let rule = widths.enumerated().map {
            String(repeating: "-", count: $1 - ($0 == 0 ? 0 : 1)) + ($0 == 0 ? "" : ":")
        }
        return ([head, rule] + lines).map { cells in
            let padded = cells.enumerated().map { column, text in
                let space = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + space : space + text
            }
            return "| \(padded.joined(separator: " | ")) |\n"
        }.joined()
    }

    /// A JSON array with an object for each operation, on lines of their own; numbers are rounded for people.
    static func json(_ measurements: [Measurement]) -> String {
        var out = ByteWriter()
        for (index, measurement) in measurements.enumerated() {
            out.append(index == 0 ? "[\n" : ",\n")
            out.append("{\"name\":")
            out.append(jsonString: measurement.row.name)
            let members = [
                ("nanoseconds", time(measurement.median)), ("least", time(measurement.least)),
                ("greatest", time(measurement.greatest)), ("allocations", number(measurement.program.count)),
                ("bytes", number(measurement.program.bytes)), ("opensslAllocations", number(measurement.openSSL.count)),
                ("opensslBytes", number(measurement.openSSL.bytes)),
            ]
            for (name, value) in members { out.append(text: ",\"\(name)\":\(value)") }
            out.append("}")
        }
        out.append(measurements.isEmpty ? "[]\n" : "\n]\n")
        return out.array.text
    }

    /// What falls on one operation of a total over all that were counted, exactly.
    static func number(_ total: UInt64) -> String {
        let (whole, rest) = total.quotientAndRemainder(dividingBy: UInt64(Measurement.operations))
        var digits = String(String(UInt64(Measurement.operations) + rest).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return digits.isEmpty ? "\(whole)" : "\(whole).\(digits)"
    }

    /// Nanoseconds, with one digit behind the point below a hundred.
    static func time(_ nanoseconds: Double) -> String {
        nanoseconds < 100
            ? "\((nanoseconds * 10).rounded() / 10)" : "\(Int(nanoseconds.rounded()))"
    }
}
