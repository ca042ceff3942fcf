import Bytes

/// Patterns that make a secret easy to guess.
extension Secret {
    // Unsafe: the bytes are lent for the calls.

    /// Whether it has fewer than 8 different bytes, or is a pattern of at most 8 bytes again and again.
    package var isMonotonous: Bool {
        unsafe withBytes { unsafe Span<UInt8>(_unsafeBytes: $0).isMonotonous }
    }

    /// Whether it is this word, once or again and again, and around that nothing but one byte before and one behind, repeated.
    package func isMade(of word: Span<UInt8>) -> Bool {
        unsafe withBytes { unsafe Span<UInt8>(_unsafeBytes: $0).isMade(of: word) }
    }
}

extension Span<UInt8> {
    private static var fewest: Int { 8 }
    private static var longestPattern: Int { 8 }

    fileprivate var isMonotonous: Bool {
        var seen = InlineArray<256, Bool>(repeating: false)
        var different = 0
        for index in indices where !seen[Int(self[index])] {
            seen[Int(self[index])] = true
            different += 1
        }
        if different < Self.fewest { return true }
        for period in 1...Self.longestPattern where repeats(after: period, from: 0) == count { return true }
        return false
    }

    fileprivate func isMade(of word: Span<UInt8>) -> Bool {
        guard !word.isEmpty, word.count <= count else { return false }
        // Any part of what stands before may be the padding.
        for start in 0...(count - word.count) {
            if start > 1, self[start - 1] != self[0] { return false }
            guard extracting(start..<start + word.count).equals(word) else { continue }
            let end = repeats(after: word.count, from: start)
            if extracting(end..<count).repeats(after: 1, from: 0) == count - end { return true }
        }
        return false
    }

    /// How far the bytes from `start` on are those that stand `period` before them.
    private func repeats(after period: Int, from start: Int) -> Int {
        var end = Swift.min(start + period, count)
        while end < count, self[end] == self[end - period] { end += 1 }
        return end
    }
}
