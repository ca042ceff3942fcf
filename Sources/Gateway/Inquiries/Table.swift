import Bytes

/// Lines of two columns, the first as wide as it has to be. Nothing in them reaches a terminal as it is.
package struct Table {
    /// What a line is seen as where there are colours.
    package enum Tone: String {
        case good = "32"
        case odd = "33"
        case bad = "31"
    }

    private let indent: String
    private var rows: [(name: String, value: String, tone: Tone?)] = []

    /// - Parameter indent: what every line begins with.
    package init(indent: String = "  ") { self.indent = indent }

    /// Adds a line.
    package mutating func row(_ name: String, _ value: String, _ tone: Tone? = nil) {
        rows.append((name.visible, value.visible, tone))
    }

    /// All lines, aligned.
    package var lines: [String] {
        let width = rows.map { $0.name.unicodeScalars.count }.filter { $0 <= 32 }.max() ?? 0
        return rows.map { name, value, tone in
            let padding = String(repeating: " ", count: max(0, width - name.unicodeScalars.count))
            let line = "\(indent)\(name)\(padding)  \(value)"
            return tone.map { "\u{1B}[\($0.rawValue)m\(line)\u{1B}[0m" } ?? line
        }
    }
}
