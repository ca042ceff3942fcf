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
        if settings.isJSON {
            line.append("{\"time\":")
            line.append(jsonString: time)
            line.append(",\"level\":\"")
            line.append(level.name)
            line.append("\",\"message\":")
            line.append(jsonString: message)
            for (name, value) in details {
                line.append(",")
                line.append(jsonString: name)
                line.append(":")
                line.append(jsonString: value)
            }
            line.append("}\n")
        } else {
            line.append(time)
            line.append(" ")
            line.append(level.name)
            line.append(": ")
            line.append(text: message)
            for (name, value) in details {
                line.append(" ")
                line.append(text: name)
                line.append("=")
                line.append(text: value)
            }
            line.append("\n")
        }
        // A log that cannot be written must not stop the service.
        _ = line.withUnsafeBytes { systemWrite(STDERR_FILENO, $0) }
    }
}

/// `write`, whose name `Log` has taken.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
