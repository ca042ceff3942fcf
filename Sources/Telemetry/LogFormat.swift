import Bytes

/// How a line of the log is written.
package enum LogFormat: CaseIterable, Sendable {
    /// For people.
    case text
    /// An object on each line.
    case json

    /// - Parameter time: seconds since 1970.
    package func begin(_ level: Log.Level, _ message: StaticString, at time: Int64, in line: inout ByteWriter) {
        begin(level, at: time, in: &line)
        line.append(message)
        endMessage(in: &line)
    }

    func begin(_ level: Log.Level, _ message: String, at time: Int64, in line: inout ByteWriter) {
        begin(level, at: time, in: &line)
        append(message, to: &line)
        endMessage(in: &line)
    }

    private func begin(_ level: Log.Level, at time: Int64, in line: inout ByteWriter) {
        if self == .json { line.append("{\"time\":\"") }
        ISO8601.write(time, into: &line)
        line.append(self == .json ? "\",\"level\":\"" : " ")
        line.append(level.name)
        line.append(self == .json ? "\",\"message\":\"" : ": ")
    }

    private func endMessage(in line: inout ByteWriter) { if self == .json { line.append("\"") } }

    /// - Parameter value: plain: without quotes, backslashes and control characters.
    package func add(_ name: StaticString, plain value: Span<UInt8>, to line: inout ByteWriter) {
        begin(name, in: &line)
        line.append(value)
        if self == .json { line.append("\"") }
    }

    package func add(_ name: StaticString, plain value: StaticString, to line: inout ByteWriter) {
        begin(name, in: &line)
        line.append(value)
        if self == .json { line.append("\"") }
    }

    package func add(_ name: StaticString, _ value: Int64, to line: inout ByteWriter) {
        line.append(self == .json ? ",\"" : " ")
        line.append(name)
        line.append(self == .json ? "\":" : "=")
        line.append(decimal: value)
    }

    private func begin(_ name: StaticString, in line: inout ByteWriter) {
        line.append(self == .json ? ",\"" : " ")
        line.append(name)
        line.append(self == .json ? "\":\"" : "=")
    }

    func add(_ name: String, _ value: String, to line: inout ByteWriter) {
        line.append(self == .json ? ",\"" : " ")
        append(name, to: &line)
        line.append(self == .json ? "\":\"" : "=")
        append(value, to: &line)
        if self == .json { line.append("\"") }
    }

    package func end(_ line: inout ByteWriter) { line.append(self == .json ? "}\n" : "\n") }

    /// A text within what stands around it, whatever it is made of: it does not end the line.
    private func append(_ text: String, to line: inout ByteWriter) {
        guard self == .json else { return line.append(text: text.visible) }
        var quoted = ByteWriter(capacity: text.utf8.count + 2)
        quoted.append(jsonString: text)
        line.append(quoted.bytes.extracting(1..<quoted.count - 1))
    }
}
