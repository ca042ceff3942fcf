import Bytes

/// The part of a content that a Range field asks for, where it names one range of bytes (RFC 9110 section 14.1.2). Any other field
/// is as good as none.
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    /// It begins behind the end.
    case unsatisfiable

    /// - Parameters:
    ///   - field: nil where the request has none.
    ///   - size: of the whole content, in bytes.
    init(_ field: [UInt8]?, of size: Int) {
        let unit = Array("bytes=".utf8)
        self = .whole
        guard let field, field.starts(with: unit) else { return }
        let ends = field.dropFirst(unit.count).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2 else { return }
        let (first, last) = (ByteRange.number(ends[0]), ByteRange.number(ends[1]))
        switch (first, last) {
        case (let first?, nil) where ends[1].isEmpty: self = first < size ? .part(first..<size) : .unsatisfiable
        case (let first?, let last?) where first <= last:
            self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
        case (nil, let count?) where ends[0].isEmpty:
            self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .unsatisfiable
        default: break
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        // Leading zeros are no fault here; what no number can hold is behind every end.
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        let significant = Array(digits.drop { $0 == UInt8(ascii: "0") })
        return significant.isEmpty ? 0 : Decimal.parse(significant.span).map(Int.init) ?? .max
    }
}
