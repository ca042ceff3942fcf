import Bytes

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the service tells about itself, a line for each thing, on standard error.
package struct Log: Sendable {
    package enum Level: Int, Sendable, Comparable {
        case debug, info, warning, error

        package init?(name: String) {
            switch name {
            case "debug": self = .debug
            case "info": self = .info
            case "warning": self = .warning
            case "error": self = .error
            default: return nil
            }
        }

        var name: StaticString {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }

        package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    package struct Settings: Sendable {
        package let level: Level
        /// JSON lines; else text for people.
        package let isJSON: Bool

        package init(level: Level, isJSON: Bool) {
            self.level = level
            self.isJSON = isJSON
        }
    }

    private let settings: Settings

    package init(_ settings: Settings) { self.settings = settings }

    /// Whether lines of a level are written.
    package func tells(_ level: Level) -> Bool { level >= settings.level }

    /// Writes one line, in one call, so that lines of different threads do not mix.
    /// - Parameter details: names and values for programs, in order; never a secret, a token or what a client sent.
    package func write(_ level: Level, _ message: String, _ details: KeyValuePairs<String, String> = [:]) {
        guard tells(level) else { return }
        var line = ByteWriter(capacity: 256)
        let time = ISO8601.write(Int64(time(nil)))
        line.append(settings.isJSON ? "{\"time\":" : "")
        append(time.text, to: &line)
        append(" ", ",\"level\":", level.name.description, to: &line)
        append(": ", ",\"message\":", message, to: &line)
        for (name, value) in details {
            line.append(settings.isJSON ? "," : " ")
            append(name, to: &line)
            append("=", ":", value, to: &line)
        }
        line.append(settings.isJSON ? "}\n" : "\n")
        // A log that cannot be written must not stop the service.
        _ = line.withUnsafeBytes { systemWrite(STDERR_FILENO, $0) }
    }

    /// A text as the format has it.
    private func append(_ text: String, to line: inout ByteWriter) {
        if settings.isJSON { line.append(jsonString: text) } else { line.append(text: text) }
    }

    /// A text behind what separates it from the one before, in either format.
    private func append(
        _ plain: StaticString, _ json: StaticString, _ text: String, to line: inout ByteWriter
    ) {
        line.append(settings.isJSON ? json : plain)
        append(text, to: &line)
    }
}

/// `write`, whose name `Log` has taken.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
