import Bytes

/// Compares a text with what would be written in its place, piece by piece, without writing it anywhere.
struct TextComparison: ~Escapable {
    private let text: Span<UInt8>
    private var position = 0
    private var hasDiffered = false

    @_lifetime(copy text)
    init(with text: Span<UInt8>) { self.text = text }

    /// Whether what was appended is the whole text.
    var isSame: Bool { !hasDiffered && position == text.count }

    mutating func append(_ bytes: Span<UInt8>) {
        guard !hasDiffered, bytes.count <= text.count - position,
            text.extracting(position..<position + bytes.count).equals(bytes)
        else {
            hasDiffered = true
            return
        }
        position += bytes.count
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
    mutating func append(_ pairs: borrowing NamedValues, mark: StaticString, ending: StaticString) {
        var position = 0
        while let pair = pairs.next(&position) {
            append(pair, of: pairs, mark: mark)
            append(ending)
        }
    }

    /// Pairs with something between them.
    mutating func append(_ pairs: borrowing NamedValues, mark: StaticString, between separator: StaticString) {
        var position = 0
        while let pair = pairs.next(&position) {
            if pair.name.lowerBound > 0 { append(separator) }
            append(pair, of: pairs, mark: mark)
        }
    }

    private mutating func append(_ pair: NamedValues.Pair, of pairs: borrowing NamedValues, mark: StaticString) {
        append(pairs.bytes(pair.name))
        guard let value = pair.value else { return }
        append(mark)
        append(pairs.bytes(value))
    }
}
