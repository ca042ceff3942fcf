import Bytes
import Crypto

/// The values that `$(name)` and `${name}` have in the templates of a put policy (Kodo's document of variables).
struct KodoVariables {
    /// How values are written.
    enum Spelling {
        /// As they are: in keys.
        case plain
        /// Percent-encoded: in forms.
        case form
        /// As JSON's values, or within a JSON string as a part of it.
        case json
    }

    private static let longestName = 128

    private enum Value {
        case text([UInt8])
        case number(Int64)
    }

    private var values: [[UInt8]: Value] = [:]

    mutating func set(_ name: String, _ text: [UInt8]) { values[Array(name.utf8)] = .text(text) }
    mutating func set(_ name: String, _ number: Int) { values[Array(name.utf8)] = .number(Int64(number)) }

    /// What the client has given names of its own, `x:color`; they never stand for Kodo's.
    mutating func add(_ custom: [NameValue]) {
        for variable in custom where variable.name.starts(with: "x:".utf8) {
            values[variable.name] = .text(variable.value)
        }
    }

    /// The parts of the time as China's clocks show it.
    mutating func setTime(_ now: Int64) {
        let (shifted, isOver) = now.addingReportingOverflow(8 * 3600)
        let time = CivilTime(unixSeconds: isOver ? now : shifted)
        func digits(_ number: Int) -> [UInt8] { Array((number < 10 ? "0\(number)" : "\(number)").utf8) }
        let parts = [
            ("year", time.year), ("mon", time.month), ("day", time.day), ("hour", time.hour), ("min", time.minute),
            ("sec", time.second),
        ]
        for (name, number) in parts { set(name, digits(number)) }
    }

    /// A template with its variables replaced. What has no value is empty, and null in JSON.
    func expand(_ template: [UInt8], as spelling: Spelling) -> [UInt8] {
        var out = ByteWriter(capacity: template.count * 2)
        var rest = template[...]
        var isInString = false
        while let byte = rest.first {
            if let (name, length) = KodoVariables.variable(at: rest) {
                write(values[name], as: spelling, isInString: isInString, into: &out)
                rest = rest.dropFirst(length)
                continue
            }
            out.append(byte)
            rest = rest.dropFirst()
            guard case .json = spelling else { continue }
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            if byte == UInt8(ascii: "\\"), isInString, let escaped = rest.first {
                out.append(escaped)
                rest = rest.dropFirst()
            }
        }
        return out.array
    }

    /// The name of a variable that begins here, and how many bytes it takes.
    private static func variable(at text: ArraySlice<UInt8>) -> (name: [UInt8], length: Int)? {
        guard text.first == UInt8(ascii: "$"), let bracket = text.dropFirst().first,
            bracket == UInt8(ascii: "(") || bracket == UInt8(ascii: "{")
        else { return nil }
        let close = bracket == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "}")
        let name = text.dropFirst(2).prefix(longestName).prefix { $0 != close && $0 != UInt8(ascii: "\"") }
        guard text.dropFirst(2 + name.count).first == close else { return nil }
        return (Array(name), name.count + 3)
    }

    private func write(_ value: Value?, as spelling: Spelling, isInString: Bool, into out: inout ByteWriter) {
        switch (spelling, value) {
        case (.json, nil): if !isInString { out.append("null") }
        case (_, nil): break
        case (_, .number(let number)): out.append(decimal: number)
        case (.plain, .text(let text)): out.append(text)
        case (.form, .text(let text)): Percent.encode(text.span, into: &out)
        case (.json, .text(let text)):
            if isInString { out.append(jsonEscaped: text.span) } else { out.append(jsonString: text) }
        }
    }
}
