import Bytes

/// Metrics as Prometheus reads them: its text format, version 0.0.4.
package struct Exposition: ~Copyable {
    package enum Kind {
        case counter, gauge, histogram

        fileprivate var name: StaticString {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    package typealias Label = (name: StaticString, value: String)

    package private(set) var text = ByteWriter(capacity: 16 * 1024)
    private var name: StaticString = ""

    package init() {}

    /// Begins a metric; its samples follow.
    package mutating func begin(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        self.name = name
        text.append("# HELP ")
        text.append(name)
        text.append(" ")
        text.append(help)
        text.append("\n# TYPE ")
        text.append(name)
        text.append(" ")
        text.append(kind.name)
        text.append("\n")
    }

    package mutating func add(_ value: some BinaryInteger, _ labels: Label...) {
        begin(sample: "", labels)
        text.append(text: "\(value)")
        text.append("\n")
    }

    /// - Parameter value: seconds, or something else that is no whole number.
    package mutating func add(real value: Double, _ labels: Label...) {
        begin(sample: "", labels)
        text.append(text: "\(value)")
        text.append("\n")
    }

    /// A metric of one sample without labels.
    package mutating func add(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: some BinaryInteger) {
        begin(name, kind, help)
        add(value)
    }

    /// A histogram as `Histogram` counts it, in seconds.
    /// - Parameter counts: `Histogram.size` of them.
    package mutating func add(histogram counts: [UInt64], _ label: Label) {
        guard counts.count == Histogram.size else { return }
        var total: UInt64 = 0
        for (index, count) in counts.prefix(Histogram.bounds.count + 1).enumerated() {
            total &+= count
            let isLast = index == Histogram.bounds.count
            let end = isLast ? "+Inf" : "\(Double(Histogram.bounds[index]) / 1e9)"
            begin(sample: "_bucket", [label, ("le", end)])
            text.append(text: "\(total)\n")
        }
        begin(sample: "_sum", [label])
        text.append(text: "\(Double(counts[Histogram.sum]) / 1e9)\n")
        begin(sample: "_count", [label])
        text.append(text: "\(total)\n")
    }

    private mutating func begin(sample suffix: StaticString, _ labels: [Label]) {
        text.append(name)
        text.append(suffix)
        var separator: StaticString = "{"
        for label in labels {
            text.append(separator)
            text.append(label.name)
            text.append("=\"")
            append(escaped: label.value)
            text.append("\"")
            separator = ","
        }
        text.append(labels.isEmpty ? " " : "} ")
    }

    private mutating func append(escaped value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): text.append("\\\\")
            case UInt8(ascii: "\""): text.append("\\\"")
            case UInt8(ascii: "\n"): text.append("\\n")
            default: text.append(byte)
            }
        }
    }
}
