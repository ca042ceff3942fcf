import Bytes

/// The trace that a caller says its request is part of, which the log and the audit repeat.
struct TraceID: Sendable, Equatable {
    private let high, low: UInt64

    /// Reads the field `traceparent` (W3C Trace Context, section 3.2): `version-traceID-parentID-flags`, in lower-case hex. Nil for
    /// a value that is none.
    init?(traceparent value: Span<UInt8>) {
        guard value.count >= 55, let version = TraceID.number(value.extracting(0..<2)), version != 0xFF,
            // Later versions may have more behind it.
            value.count == 55 || version > 0 && value[55] == UInt8(ascii: "-"),
            value[2] == UInt8(ascii: "-"), value[35] == UInt8(ascii: "-"), value[52] == UInt8(ascii: "-"),
            let high = TraceID.number(value.extracting(3..<19)), let low = TraceID.number(value.extracting(19..<35)),
            let parent = TraceID.number(value.extracting(36..<52)), TraceID.number(value.extracting(53..<55)) != nil,
            high | low != 0, parent != 0
        else { return nil }
        self.high = high
        self.low = low
    }

    /// Writes its 32 digits.
    func write(into out: inout ByteWriter) {
        for half in [high, low] {
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: half >> UInt64(shift) & 15)
                out.append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
            }
        }
    }

    /// Of at most 16 digits, in lower case.
    private static func number(_ digits: Span<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for index in digits.indices {
            guard ByteSet.lowercaseHex.contains(digits[index]), let digit = Hex.value(of: digits[index]) else {
                return nil
            }
            number = number << 4 | UInt64(digit)
        }
        return number
    }
}
