import Bytes
import Testing

@testable import Configuration

/// One edit of the sample, and what is to be said about it.
struct Mistake: Sendable, CustomTestStringConvertible {
    /// Where the problem is to be found; stands in the new text and is taken out of it.
    static let mark = "‸"

    let old: String
    let new: String
    let path: String
    let word: String
    private let sample: String
    /// Where the problem is, if not in the edit.
    private var passage: String?
    private var omitted: [String] = []

    /// - Parameters:
    ///   - old: what stands in the sample, once.
    ///   - new: what stands there instead, with the mark where the problem is.
    ///   - path: the problem's path.
    ///   - word: something its reason says.
    init(_ old: String, _ new: String, _ path: String, _ word: String, in sample: String = Sample.text) {
        self.sample = sample
        self.old = old
        self.new = new
        self.path = path
        self.word = word
    }

    /// The same problem at a part of the sample that the edit leaves as it is.
    func at(_ passage: String) -> Mistake {
        var moved = self
        moved.passage = passage
        return moved
    }

    /// The same, with a part of the sample left out besides.
    func without(_ part: String) -> Mistake {
        var shortened = self
        shortened.omitted.append(part)
        return shortened
    }

    var testDescription: String { "\(path): \(word) ← \(new)" }

    /// Expects that the edited sample has this problem, only this, and at its position.
    func check() throws {
        var marked = try #require(sample.replacingOnce(old, with: new), "not once in the sample: \(old)")
        for part in omitted { marked = try #require(marked.replacingOnce(part, with: ""), "\(part)") }
        if let passage {
            marked = try #require(marked.replacingOnce(passage, with: Mistake.mark + passage), "\(passage)")
        }
        try Mistake.check(marked, path, word)
    }

    /// Expects that a text has this problem, only this, and at the mark in it.
    static func check(_ marked: String, _ path: String, _ word: String) throws {
        let halves = marked.split(separator: Mistake.mark, omittingEmptySubsequences: false)
        try #require(halves.count == 2, "the mark stands once")
        let problems = Sample.problems(in: halves.joined())
        let messages = problems.map(\.description).joined(separator: "\n")
        #expect(problems.count == 1, "\(messages)")
        let problem = try #require(problems.first)
        #expect(problem.path == path)
        #expect(problem.reason.contains(word), "\(problem.reason)")
        let lines = halves[0].split(separator: "\n", omittingEmptySubsequences: false)
        #expect(problem.position?.line == lines.count, "\(messages)")
        #expect(problem.position?.column == (lines.last?.unicodeScalars.count ?? 0) + 1, "\(messages)")
        for secret in Sample.secrets { #expect(!messages.contains(secret)) }
    }
}
