import Bytes

/// How a line of the log is written.
package enum LogFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// An object on each line.
    case json

    /// - Parameter time: seconds since 1970.
    package func begin(_ level: Log.Level, _ message: StaticString, at time: Int64, in line: inout ByteWriter) {
        begin(level, message.bytes, at: time, in: &line)
    }

    func begin(_ level: Log.Level, _ message: String, at time: Int64, in line: inout ByteWriter) {
        begin(level, shown(message).utf8.span, at: time, in: &line)
    }

    private func begin(_ level: Log.Level, _ message: Span<UInt8>, at time: Int64, in line: inout ByteWriter) {
        switch self {
        case .text:
            ISO8601.write(time, into: &line)
            line.append(" ")
            line.append(level.name)
            line.append(": ")
            line.append(message)
        case .json:
            line.append("{")
            line.append(members: { json in
                json.add("time", time: time)
                json.add("level", level.name)
                json.add("message", message)
            })
        }
    }

    /// - Parameter value: plain: without control characters.
    package func add(_ name: StaticString, plain value: Span<UInt8>, to line: inout ByteWriter) {
        switch self {
        case .text:
            begin(name, in: &line)
            line.append(value)
        case .json: line.append(afterOthers: true, members: { $0.add(name, value) })
        }
    }

    package func add(_ name: StaticString, plain value: StaticString, to line: inout ByteWriter) {
        add(name, plain: value.bytes, to: &line)
    }

    package func add(_ name: StaticString, _ value: Int64, to line: inout ByteWriter) {
        switch self {
        case .text:
            begin(name, in: &line)
            line.append(decimal: value)
        case .json: line.append(afterOthers: true, members: { $0.add(name, value) })
        }
    }

    func add(_ name: String, _ value: String, to line: inout ByteWriter) {
        switch self {
        case .text: line.append(text: " \(name.visible)=\(value.visible)")
        case .json: line.append(afterOthers: true, members: { $0.add(named: name.utf8.span, value.utf8.span) })
        }
    }

    package func end(_ line: inout ByteWriter) { line.append(self == .json ? "}\n" : "\n") }

    private func begin(_ name: StaticString, in line: inout ByteWriter) {
        line.append(" ")
        line.append(name)
        line.append("=")
    }

    /// A text for people does not end the line, whatever it is made of.
    private func shown(_ text: String) -> String { self == .text ? text.visible : text }
}
