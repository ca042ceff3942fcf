import Bytes

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the service tells about itself, a line for each thing, on standard error.
package struct Log: Sendable {
    package enum Level: Int, CaseIterable, Sendable, Comparable {
        case debug, info, warning, error

        package var name: StaticString {
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
        package var level: Level
        package var format: LogFormat
        /// Whether every request is told.
        package var tellsRequests = false
        /// The most bytes that may wait to be written.
        package var buffer = 1 << 20

        package init(level: Level = .info, format: LogFormat = .json) {
            self.level = level
            self.format = format
        }
    }

    private let settings: Settings
    package let writer: LogWriter

    package init(_ settings: Settings, to writer: LogWriter = .standardError) {
        self.settings = settings
        self.writer = writer
        writer.hold(atMost: settings.buffer)
    }

    package var format: LogFormat { settings.format }

    /// Whether lines of a level are written.
    package func tells(_ level: Level) -> Bool { level >= settings.level }

    /// At which level requests are told; nil where they are not.
    package var requestLevel: Level? {
        if settings.tellsRequests, tells(.info) { return .info }
        return tells(.debug) ? .debug : nil
    }

    /// Writes one line.
    /// - Parameter details: names and values for programs, in order; never a secret, a token or what a client sent.
    package func write(_ level: Level, _ message: String, _ details: KeyValuePairs<String, String> = [:]) {
        write(level, message, each: details)
    }

    /// The same with details that are put together.
    package func write(_ level: Level, _ message: String, _ details: [(key: String, value: String)]) {
        write(level, message, each: details)
    }

    private func write(_ level: Level, _ message: String, each details: some Sequence<(key: String, value: String)>) {
        guard tells(level) else { return }
        var line = ByteWriter(capacity: 256)
        format.begin(level, message, at: Int64(time(nil)), in: &line)
        for (name, value) in details { format.add(name, value, to: &line) }
        format.end(&line)
        writer.write(line.array, lines: 1)
    }
}
