/// How much, and for how long, one client may occupy the server. Sizes in bytes, times in milliseconds. What each limit bounds is
/// said in `configured`, of which the configuration and its documentation are made.
package struct Limits: Sendable {
    package var requestLine = 8 * 1024
    package var headers = 32 * 1024
    package var headerCount = 100
    package var body = 256 * 1024
    package var jsonDepth = 32
    package var connections = 20_000
    package var handshakes = 1024
    package var buffers = 32 * 1024 * 1024
    package var connectionBuffer = 4 * 1024
    package var tlsMessages = 128 * 1024
    package var headerTimeout: Int64 = 10_000
    package var requestTimeout: Int64 = 25_000
    package var writeTimeout: Int64 = 15_000
    package var idleTimeout: Int64 = 60_000
    package var drainTimeout: Int64 = 10_000
    /// From a request that waits for its answer to the answer. Handlers have bounds of their own, told in their own words;
    /// this is longer than all of them, for one that forgets a request. No setting of the configuration.
    package var answerTimeout: Int64 = 90_000

    package init() {}

    /// The connections that may be open at once where those who run the server ask, if the configuration does not say.
    package static let reservedConnections = 64

    /// The longest chunk line or trailer line that is read, in bytes; extensions are skipped, so there is nothing to tune.
    static let chunkLine = 256
    /// All chunk framing and trailers of one request: six bytes a chunk for a body sent byte by byte, and some more.
    var chunkOverhead: Int { body * 6 + 4096 }
}

extension Limits {
    /// The limits that the configuration sets, in the order of its documentation.
    package static let configured: [Limit] = [
        Limit("requestLine", \.requestLine, bytes: 64...65_536, "Size of the request line; beyond it 414."),
        Limit("headers", \.headers, bytes: 256...1_048_576, "Size of all header fields; beyond it 431."),
        Limit("headerCount", \.headerCount, count: 1...10_000, "Number of header fields; beyond it 431."),
        Limit("body", \.body, bytes: 0...16_777_216, "Size of the body; beyond it 413."),
        Limit("jsonDepth", \.jsonDepth, count: 1...128, "Nesting depth of a JSON body; beyond it 400."),
        Limit(
            "connections", \.connections, count: 1...1_000_000,
            "Open connections. Beyond it, the address with the most connections loses one, or the new client gets 503."),
        Limit(
            "handshakes", \.handshakes, count: 1...1_000_000,
            "TLS handshakes in progress, up to 150 KiB of memory each. Beyond it, the address with the most handshakes loses a connection."
        ),
        Limit(
            "buffers", \.buffers, bytes: 1_048_576...1_073_741_824,
            "Unfinished requests and unsent answers of all connections that hold more than `connectionBuffer`. Beyond it, the address that holds the most loses a connection, with 503."
        ),
        Limit(
            "connectionBuffer", \.connectionBuffer, bytes: 0...65_536,
            "How much of these each connection may always hold. It does not count for `buffers`."),
        Limit(
            "tlsMessages", \.tlsMessages, bytes: 32_768...1_073_741_824,
            "TLS messages of one connection that carry no data, such as key updates. Beyond it, the connection is closed."
        ),
        Limit(
            "headerTimeout", \.headerTimeout, time: 100...600_000,
            "Time from the first byte of a request to the end of its header."),
        Limit(
            "requestTimeout", \.requestTimeout, time: 100...600_000,
            "Time from the first byte of a request to its last."),
        Limit(
            "writeTimeout", \.writeTimeout, time: 100...600_000,
            "Time for a client to take an answer. Then the connection is closed."),
        Limit("idleTimeout", \.idleTimeout, time: 100...3_600_000, "Time between two requests."),
        Limit(
            "drainTimeout", \.drainTimeout, time: 0...600_000, "Time to finish open requests when the service stops."),
    ]
}

/// One of the `Limits`: what the configuration calls it, between which bounds it may be, and what it is for.
package struct Limit: Sendable {
    package enum Unit: Sendable {
        case bytes, milliseconds, count
    }

    private enum Property: Sendable {
        case number(any WritableKeyPath<Limits, Int> & Sendable)
        case time(any WritableKeyPath<Limits, Int64> & Sendable)
    }

    package let name: String
    package let unit: Unit
    package let bounds: ClosedRange<Int64>
    /// One sentence for the documentation.
    package let summary: String
    private let property: Property

    init(
        _ name: String, _ property: any WritableKeyPath<Limits, Int> & Sendable, bytes bounds: ClosedRange<Int64>,
        _ summary: String
    ) {
        self.init(name, .number(property), .bytes, bounds, summary)
    }

    init(
        _ name: String, _ property: any WritableKeyPath<Limits, Int> & Sendable, count bounds: ClosedRange<Int64>,
        _ summary: String
    ) {
        self.init(name, .number(property), .count, bounds, summary)
    }

    init(
        _ name: String, _ property: any WritableKeyPath<Limits, Int64> & Sendable, time bounds: ClosedRange<Int64>,
        _ summary: String
    ) {
        self.init(name, .time(property), .milliseconds, bounds, summary)
    }

    private init(
        _ name: String, _ property: Property, _ unit: Unit, _ bounds: ClosedRange<Int64>, _ summary: String
    ) {
        self.name = name
        self.unit = unit
        self.bounds = bounds
        self.summary = summary
        self.property = property
    }

    package subscript(limits: Limits) -> Int64 {
        switch property {
        case .number(let path): Int64(limits[keyPath: path])
        case .time(let path): limits[keyPath: path]
        }
    }

    /// - Parameter value: within the bounds.
    package func set(_ value: Int64, in limits: inout Limits) {
        switch property {
        case .number(let path): limits[keyPath: path] = Int(clamping: value)
        case .time(let path): limits[keyPath: path] = value
        }
    }
}
