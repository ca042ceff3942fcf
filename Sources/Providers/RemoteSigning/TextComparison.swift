import Bytes

/// Compares a text with what would be written instead of it, piece by piece, without writing it anywhere. A range of the
/// text itself is the same if it would be written at its own offset, and the bytes need no look.
struct TextComparison: ~Escapable {
    private let text: Span<UInt8>
    private var position = 0
    private var hasDiffered = false

    @_lifetime(copy text)
    init(with text: Span<UInt8>) { self.text = text }

    /// Whether what was appended is the whole text.
    var isSame: Bool { !hasDiffered && position == text.count }

    mutating func append(_ range: Range<Int>) {
        guard range.lowerBound == position, range.upperBound <= text.count else {
            hasDiffered = true
            return
        }
        position = range.upperBound
    }

    mutating func append(_ bytes: StaticString) {
        guard !hasDiffered, bytes.utf8CodeUnitCount <= text.count - position,
            text.extracting(position..<position + bytes.utf8CodeUnitCount).equals(bytes)
        else {
            hasDiffered = true
            return
        }
        position += bytes.utf8CodeUnitCount
    }

    /// Pairs that end alike, as lines do.
    /// - Parameter start: where they begin in the text.
    mutating func append(_ pairs: borrowing NamedValues, at start: Int, mark: StaticString, ending: StaticString) {
        var position = 0
        while let pair = pairs.next(&position) {
            append(pair, at: start, mark: mark)
            append(ending)
        }
    }

    /// Pairs with something between them.
    /// - Parameter start: where they begin in the text.
    mutating func append(
        _ pairs: borrowing NamedValues, at start: Int, mark: StaticString, between separator: StaticString
    ) {
        var position = 0
        while let pair = pairs.next(&position) {
            if pair.name.lowerBound > 0 { append(separator) }
            append(pair, at: start, mark: mark)
        }
    }

    private mutating func append(_ pair: NamedValues.Pair, at start: Int, mark: StaticString) {
        append(start + pair.name.lowerBound..<start + pair.name.upperBound)
        guard let value = pair.value else { return }
        append(mark)
        append(start + value.lowerBound..<start + value.upperBound)
    }
}
