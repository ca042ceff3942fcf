import Bytes

extension KeyTemplate {
    /// What keeps several values of the caller's apart in one path segment, so that no two different lists of values have one
    /// rendering (R14).
    ///
    /// Between two values there is a literal with a mark: a byte that is no letter and no digit. No value of the segment may hold
    /// a mark. The other placeholders have a fixed length and a fixed number of marks. So the n-th mark of every rendering is the
    /// n-th mark of the template, and each value is what lies between its marks.
    /// - Returns: for each part, the marks that its value must not hold; empty where no segment has several values.
    /// - Throws: where two values have no mark between them, or where a value always holds it.
    static func separators(in parts: [Part]) throws(Fault) -> [ByteSet?] {
        var barred = [ByteSet?](repeating: nil, count: parts.count)
        var segment = Segment()
        for (index, part) in parts.enumerated() {
            switch part {
            case .literal(let bytes):
                guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else {
                    segment.literal += bytes
                    continue
                }
                segment.bar(&barred)
                segment = Segment()
                segment.literal = Array(bytes[(slash + 1)...])
            case .caller, .callerID, .callerSource, .claim, .claimDigest, .fileExtension:
                try segment.add(valueAt: index, part)
            case .uuid, .year, .month, .day: break
            }
        }
        segment.bar(&barred)
        return barred.contains { $0 != nil } ? barred : []
    }

    /// What is known of a path segment as far as it has been read.
    private struct Segment {
        /// The indices of the caller's values.
        private var values: [Int] = []
        private var hasSource = false
        private var marks: ByteSet?
        /// The literals behind the last of these values.
        var literal: [UInt8] = []

        mutating func add(valueAt index: Int, _ part: Part) throws(Fault) {
            if !values.isEmpty {
                guard let mark = KeyTemplate.mark(in: literal) else {
                    throw Fault(
                        reason: "has two values of the caller's in one path segment and nothing that tells them apart; "
                            + "put a / or one of . - _ ~ @ + = , between them")
                }
                marks = (marks ?? ByteSet("")).union(ByteSet(mark...mark))
            }
            if part == .callerSource { hasSource = true }
            if hasSource, let marks, marks.contains(UInt8(ascii: "-")) {
                throw Fault(reason: "has a - beside ${caller.source}, which holds one itself; put a . or a / there")
            }
            values.append(index)
            literal = []
        }

        func bar(_ barred: inout [ByteSet?]) {
            guard let marks else { return }
            for index in values { barred[index] = marks }
        }
    }

    /// The byte of a literal that separates the values around it: one that callers' names never hold, if there is one, so that
    /// no caller is refused for it.
    private static func mark(in literal: [UInt8]) -> UInt8? {
        let marks = literal.filter { !ByteSet.alphanumerics.contains($0) }
        return marks.first { !Principal.plainBytes.contains($0) } ?? marks.first
    }
}
