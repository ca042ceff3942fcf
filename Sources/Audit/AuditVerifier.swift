import Bytes
import Crypto

/// Reads the lines of an audit, file after file, and finds what was done to them.
package struct AuditVerifier: ~Copyable {
    /// Something that is not as it was written.
    package struct Problem: Sendable {
        package enum Kind: String, Sendable {
            /// A line, or lines that follow each other, whose code is not theirs under this key.
            case edited
            /// Something that is no line of an audit.
            case foreign
            /// Lines that are not there.
            case removed
            /// A line that stands elsewhere than where it was written.
            case reordered
            /// The chain begins anew, or goes on from another line than the last.
            case broken
            /// The end is not there.
            case cutOff = "cut-off"
            /// There is no line at all.
            case empty
        }

        package var kind: Kind
        package let file: String
        /// Where it shows: the line in the file, from 1.
        package let line: Int
        /// The numbers of the lines concerned; empty where they cannot be told.
        package var numbers: Range<Int64>
    }

    package private(set) var problems: [Problem] = []
    /// Problems beyond those that are kept.
    package private(set) var others = 0
    package private(set) var lines = 0
    /// The number of the first line; nil while there is none.
    package private(set) var first: Int64?
    /// The last line's number, 0 where there is none.
    package private(set) var last: Int64 = 0
    package private(set) var head = Digest.zero
    /// Lines before a segment that was begun after a fault, and that had not come to the disk: nobody was given what they tell.
    package private(set) var unsynced: Int64 = 0
    /// In the order in which they were used.
    private let keys: [HMACKey]
    /// The index of the key that the lines are under.
    private var current = 0
    private let expected: Digest?
    private var hasExpected = false
    /// Nil before the first.
    private var file: String?
    private var line = 0
    /// What the code of a line whose text differs should have been: where only the code was edited, the next goes on from this.
    private var computed: Digest?

    /// Problems that are kept.
    private static let most = 100

    /// - Parameters:
    ///   - keys: in the order in which they were used, one at least. A later one is first used at the beginning of a segment, and no
    ///     line after that holds under an earlier one.
    ///   - head: the code of some line that must be there; nil to expect none.
    package init(_ keys: [Secret], expecting head: [UInt8]? = nil) throws(CryptoError) {
        self.keys = try keys.map { key throws(CryptoError) in try HMACKey(.sha256, key) }
        expected = head.flatMap { ParsedAuditLine.code($0.span) }
    }

    /// Whether a text can be the code of a line.
    package static func isHead(_ text: [UInt8]) -> Bool { ParsedAuditLine.code(text.span) != nil }

    /// What comes now is of another file.
    package mutating func begin(_ file: String) {
        if self.file != nil { finishFile() }
        self.file = file
        line = 0
    }

    /// Reads a line.
    /// - Parameter isWhole: whether a newline ends it.
    package mutating func read(_ text: Span<UInt8>, isWhole: Bool) throws(CryptoError) {
        line += 1
        lines += 1
        guard isWhole else { return note(.cutOff) }
        guard let read = ParsedAuditLine(text) else { return note(.foreign) }
        if let header = read.header {
            try follow(read, header, text)
        } else {
            try follow(read, text)
        }
        if let expected, read.code.constantTimeEquals(expected) { hasExpected = true }
        if first == nil { first = read.number }
        // After a line that stands too late, the lines go on where they were.
        if read.number > last || (read.header != nil && line == 1) { (last, head) = (read.number, read.code) }
    }

    /// Nothing more comes.
    /// - Parameter number: that of a line known to have been written; the lines must go so far.
    package mutating func finish(reaching number: Int64 = 0) {
        finishFile()
        if expected != nil && !hasExpected || last < number { note(.cutOff) }
    }

    /// A file without a line proves nothing, and no more does no file.
    private mutating func finishFile() {
        if line == 0 { note(.empty) }
    }

    // MARK: Lines

    private var key: HMACKey { keys[current] }

    /// Goes on to the later key under which a segment begins; stays where it begins under none.
    private mutating func takeKey(
        of read: ParsedAuditLine, _ header: ParsedAuditLine.Header, _ text: Span<UInt8>
    ) throws(CryptoError) {
        for index in current..<keys.count {
            let code = try read.code(of: text, behind: header.previous, by: keys[index])
            if code.constantTimeEquals(read.code) { return current = index }
        }
    }

    private mutating func follow(_ read: ParsedAuditLine, _ text: Span<UInt8>) throws(CryptoError) {
        guard first != nil else {
            // What its code is over is not here.
            if read.number > 1 { note(.removed, 1..<read.number) } else { note(.broken, read.number..<read.number + 1) }
            return
        }
        guard read.number == last + 1 else { return misplace(read.number) }
        let code = try read.code(of: text, behind: head, by: key)
        if code.constantTimeEquals(read.code) {
            computed = nil
            return
        }
        if let computed, try read.code(of: text, behind: computed, by: key).constantTimeEquals(read.code) {
            self.computed = nil
            return
        }
        computed = code
        note(.edited, line: read.number)
    }

    /// The first line of a segment: it tells itself what it goes on from.
    private mutating func follow(_ read: ParsedAuditLine, _ header: ParsedAuditLine.Header, _ text: Span<UInt8>)
        throws(CryptoError)
    {
        try takeKey(of: read, header, text)
        let own = try read.code(of: text, behind: header.previous, by: key)
        guard own.constantTimeEquals(read.code) else {
            computed = own
            return note(.edited, line: read.number)
        }
        defer { computed = nil }
        guard first != nil else { return }
        let follows =
            header.previous.constantTimeEquals(head) || computed.map { header.previous.constantTimeEquals($0) } == true
        if read.number == last + 1 {
            if !follows { note(.broken, read.number..<read.number + 1) }
        } else if read.number > last, read.number - last - 1 <= header.unsynced {
            // They were lost with the disk, and their answers were not given.
            unsynced += read.number - last - 1
        } else if read.number == 1, header.previous.constantTimeEquals(.zero) {
            note(.broken, 1..<2)
        } else {
            misplace(read.number)
        }
    }

    // MARK: Problems

    /// A line of this number comes, and the one after the last should.
    private mutating func misplace(_ number: Int64) {
        computed = nil
        guard number <= last else { return note(.removed, last + 1..<number) }
        note(.reordered, line: number)
        // What is found later was not removed.
        guard let moved = problems.last?.numbers else { return }
        problems.removeAll {
            $0.kind == .removed && moved.contains($0.numbers.lowerBound) && moved.contains($0.numbers.upperBound - 1)
        }
    }

    /// Notes a line, together with those of the same kind right before it.
    private mutating func note(_ kind: Problem.Kind, line number: Int64) {
        if let previous = problems.indices.last, problems[previous].kind == kind, problems[previous].file == file,
            problems[previous].numbers.upperBound == number
        {
            problems[previous].numbers = problems[previous].numbers.lowerBound..<number + 1
        } else {
            note(kind, number..<number + 1)
        }
    }

    private mutating func note(_ kind: Problem.Kind, _ numbers: Range<Int64> = 0..<0) {
        guard problems.count < AuditVerifier.most else {
            others += 1
            return
        }
        problems.append(Problem(kind: kind, file: file ?? "", line: line, numbers: numbers))
    }
}
