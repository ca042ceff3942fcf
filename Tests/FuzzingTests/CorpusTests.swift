import FuzzTargets
import Testing

/// What fuzzing has kept, and what it has found: scripts/fuzz finds more.
@Suite struct CorpusTests {
    private func target(_ name: String) throws -> FuzzTarget {
        try #require(FuzzTarget.all.first { $0.name == name })
    }

    @Test("what must hold of a reader holds of all its corpus", arguments: FuzzTarget.all.map(\.name))
    func corpus(_ name: String) throws {
        let target = try target(name)
        let inputs = try Corpus.inputs(of: name)
        #expect(inputs.count >= 10)
        for input in inputs {
            #expect(throws: Never.self, "\(Corpus.line(input))") { try target.check(input) }
        }
    }

    @Test func `what once failed holds`() throws {
        let regressions = try Corpus.regressions()
        #expect(regressions.count >= 4)
        for regression in regressions {
            let target = try target(regression.target)
            #expect(throws: Never.self, "\(regression)") { try target.check(regression.input) }
        }
    }

    @Test func `an input is the same after it was written as a line, whatever its bytes are`() throws {
        let all = Array(UInt8.min...UInt8.max)
        for input in [[], all, all.reversed(), Array(#"\x41\""#.utf8), Array("\\".utf8)] {
            #expect(try Corpus.input(Substring(Corpus.line(input))) == input)
        }
        #expect(Corpus.line(Array("GET\t\"\\\"\r\n\u{7F}".utf8)) == #""GET\t\"\\\"\r\n\x7f""#)
    }

    @Test(arguments: [
        "", "\"", "a", "\"a", "a\"", #""\""#, #""\x4""#, #""\xzz""#, #""\x4A""#, #""\x41""#, #""\q""#, #"""""#,
        "\"\t\"", "\"é\"",
        #""a" "#,
    ])
    func `a line that is not written so is no input`(_ line: String) {
        #expect(throws: Broken.self) { try Corpus.input(Substring(line)) }
    }
}
