import Foundation

/// The inputs that are kept: those that fuzzing has kept, in `Corpus/TARGET.txt`, and those that once failed, in
/// `Regressions.txt`.
///
/// Both are lines of text. An input is written between quotation marks: printable ASCII as it is, other bytes as `\xNN`,
/// `\r`, `\n` and `\t`, and a backslash before a quotation mark and a backslash.
package enum Corpus {
    /// An input that once failed.
    package struct Regression: Sendable, CustomStringConvertible {
        /// What was wrong.
        package let description: String
        package let target: String
        package let input: [UInt8]
    }

    private static let folder = URL(filePath: #filePath).appending(path: "../..").standardized

    /// The file that holds what fuzzing has kept for a target.
    private static func file(of target: String) -> URL { folder.appending(path: "Corpus/\(target).txt") }

    /// What fuzzing has kept for a target.
    /// - Throws: `Broken` for a line that is no input.
    package static func inputs(of target: String) throws -> [[UInt8]] {
        try lines(of: file(of: target)).map(input)
    }

    /// Keeps other inputs for a target: the smallest, so many bytes of them at most.
    package static func keep(_ inputs: some Sequence<[UInt8]>, for target: String, bytes limit: Int) throws {
        var size = 0
        let kept = Set(inputs).sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count }
            .prefix {
                size += $0.count
                return size <= limit
            }
        try Data(kept.map { line($0) + "\n" }.joined().utf8).write(to: file(of: target))
    }

    /// What once failed: each is a comment that says what was wrong, and a line of the target's name and the input.
    /// - Throws: `Broken` for a line that is none of these.
    package static func regressions() throws -> [Regression] {
        var description: String?
        var all: [Regression] = []
        for line in try lines(of: folder.appending(path: "Regressions.txt")) {
            if line.hasPrefix("# ") {
                description = String(line.dropFirst(2))
            } else {
                let parts = line.split(separator: " ", maxSplits: 1)
                guard parts.count == 2, let said = description else { throw Broken("no name for \(line)") }
                all.append(Regression(description: said, target: String(parts[0]), input: try input(parts[1])))
                description = nil
            }
        }
        return all
    }

    private static func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    }

    // MARK: An input as a line

    private static let escapes: [(byte: UInt8, letter: UInt8)] = [
        (UInt8(ascii: "\r"), UInt8(ascii: "r")), (UInt8(ascii: "\n"), UInt8(ascii: "n")),
        (UInt8(ascii: "\t"), UInt8(ascii: "t")), (UInt8(ascii: "\\"), UInt8(ascii: "\\")),
        (UInt8(ascii: "\""), UInt8(ascii: "\"")),
    ]

    package static func line(_ input: [UInt8]) -> String {
        let parts = input.map { byte in
            if let escape = escapes.first(where: { $0.byte == byte }) { return "\\\(Unicode.Scalar(escape.letter))" }
            let isPlain = (0x20..<0x7F).contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : String(format: "\\x%02x", byte)
        }
        return "\"\(parts.joined())\""
    }

    /// - Throws: `Broken` if `line` does not write it so.
    package static func input(_ line: Substring) throws -> [UInt8] {
        var rest = line.utf8.dropFirst().dropLast()
        var input: [UInt8] = []
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "\\") else {
                input.append(first)
                continue
            }
            let letter = rest.popFirst()
            if letter == UInt8(ascii: "x") {
                guard let byte = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { break }
                input.append(byte)
                rest = rest.dropFirst(2)
            } else if let escape = escapes.first(where: { $0.letter == letter }) {
                input.append(escape.byte)
            }
        }
        guard Corpus.line(input) == line else { throw Broken("not an input: \(line)") }
        return input
    }
}
