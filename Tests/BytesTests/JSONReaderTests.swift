import TestTraits
import Testing

@testable import Bytes

@Suite(.timeLimit(.minutes(20)))
struct JSONReaderTests {
    // MARK: - What is accepted

    @Test(arguments: [
        // literals and white space
        Accepted("null", "null"),
        Accepted(" \t\r\n true \n", "true"),
        Accepted("false", "false"),
        // numbers keep their text
        Accepted("0", "0"),
        Accepted("-0", "-0"),
        Accepted("-12.50e+03", "-12.50e+03"),
        Accepted("1E-2", "1E-2"),
        Accepted("9007199254740993", "9007199254740993"),
        Accepted("123456789012345678901234567890", "123456789012345678901234567890"),
        // strings
        Accepted(#""""#, "''"),
        Accepted(#""a\"\\\/\b\f\n\r\tz""#, #"'a"\x5C/\x08\x0C\x0A\x0D\x09z'"#),
        Accepted(#""\u0041\u00e9\u20AC""#, "'A\u{E9}\u{20AC}'"),
        Accepted(#""\uD83D\uDE00\uD800\uDC00\uDBFF\uDFFF""#, "'\u{1F600}\u{10000}\u{10FFFF}'"),
        Accepted(
            "\"\u{E9}\u{20AC}\u{1F600}\u{2028}\u{FEFF}\u{7F}\"", "'\u{E9}\u{20AC}\u{1F600}\u{2028}\u{FEFF}\u{7F}'"),
        Accepted(#""a\u0000b""#, #"'a\x00b'"#),
        Accepted(#""it's""#, #"'it\x27s'"#),
        // arrays and objects
        Accepted("[]", "[]"),
        Accepted("[ ]", "[]"),
        Accepted("[1,[2, []] ,\n3]", "[1,[2,[]],3]"),
        Accepted("{}", "{}"),
        Accepted(#"{ "a" : 1 , "b":{"a":[null]}}"#, "{'a':1,'b':{'a':[null]}}"),
        Accepted(#"{"":0,"\u0000":1}"#, #"{'':0,'\x00':1}"#),
        // names that look alike and are not: case, and composed or decomposed
        Accepted("{\"a\":1,\"A\":2,\"\u{E9}\":3,\"e\u{301}\":4}", "{'a':1,'A':2,'\u{E9}':3,'e\u{301}':4}"),
    ])
    func `accepts in both languages`(text: Accepted) throws {
        for syntax in [JSONSyntax.json, .json5] {
            #expect(outline(try JSONReader.read(text.bytes, as: syntax)) == Array(text.outline.utf8))
        }
    }

    @Test(arguments: [
        // comments
        Accepted("// a\n1 // b", "1"),
        Accepted("/**/1/***//* * / */", "1"),
        Accepted("[1/*,2*/,3// ]\r]", "[1,3]"),
        Accepted("// ends at\u{2028}1", "1"),
        Accepted("{/**/a/**/:/**/1/**/,/**/}", "{'a':1}"),
        // keys and trailing commas
        Accepted("{a_$9:1, $:2, _:3, null:4, Infinity:5,}", "{'a_$9':1,'$':2,'_':3,'null':4,'Infinity':5}"),
        Accepted("{'a':1, \"b\" : 2}", "{'a':1,'b':2}"),
        Accepted("{\u{A0}a\u{A0}:1,b\u{2028}:2,c//\n:3}", "{'a':1,'b':2,'c':3}"),
        Accepted("[1,]", "[1]"),
        Accepted("[[],]", "[[]]"),
        // numbers
        Accepted("[0x1F,0XaB,-0x0,+0x00]", "[0x1F,0XaB,-0x0,+0x00]"),
        Accepted("[+5,.5,5.,-.5,+5.e1,.5E-1]", "[+5,.5,5.,-.5,+5.e1,.5E-1]"),
        Accepted("[Infinity,-Infinity,+NaN,NaN]", "[Infinity,-Infinity,+NaN,NaN]"),
        // strings
        Accepted(#"'"'"#, "'\"'"),
        Accepted(#"'\'\v\0\x41\xe9\a\!'"#, "'\\x27\\x0B\\x00A\u{E9}a!'"),
        Accepted("'a\\\nb\\\r\nc\\\rd\\\u{2028}e\\\u{2029}f'", "'abcdef'"),
        Accepted("'\\\u{E9}\\\u{1F600}\\\u{2030}'", "'\u{E9}\u{1F600}\u{2030}'"),
        Accepted("'\t\u{0}\u{1F}\u{2028}'", "'\\x09\\x00\\x1F\u{2028}'"),
        // white space
        Accepted("\u{B}\u{C}\u{A0}\u{1680}\u{2000}\u{200A}\u{2028}1\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}", "1"),
    ])
    func `accepts in JSON5 what it has beyond JSON`(text: Accepted) throws {
        #expect(outline(try JSONReader.read(text.bytes, as: .json5)) == Array(text.outline.utf8))
        #expect(throws: JSONError.self) { try JSONReader.read(text.bytes, as: .json) }
    }

    // MARK: - What is refused, and where

    @Test(arguments: [
        ("{", 0), ("[1,{", 3), ("[[],", 0), ("{\"a\":[1", 5), ("{\"a\":{} \"b\"", 0), ("[{\"a\":", 1),
    ])
    func `what is not closed is told with where it was opened`(text: String, opening: Int) {
        do throws(JSONError) {
            _ = try JSONReader.read(Array(text.utf8), as: .json)
            Issue.record("it is not closed")
        } catch { #expect(error.opening == opening) }
    }

    @Test(arguments: [
        // no value, or more than one
        Refused("", at: 0), Refused("  ", at: 2), Refused("1 2", at: 2), Refused("{}}", at: 2),
        Refused("[]\u{0}", at: 2),
        Refused("nul", at: 0), Refused("True", at: 0), Refused("truefalse", at: 4), Refused("undefined", at: 0),
        // numbers
        Refused("01", at: 0), Refused("-01", at: 1), Refused("00", at: 0), Refused("-", at: 1), Refused("1e", at: 2),
        Refused("1e+", at: 3), Refused("1.e", at: 3, in: .json5), Refused("1.2.3", at: 3), Refused("1_000", at: 1),
        Refused("--1", at: 1), Refused("0x", at: 2, in: .json5), Refused("0xg", at: 2, in: .json5),
        Refused("0x1.8", at: 3, in: .json5), Refused(".", at: 1, in: .json5), Refused("+", at: 1, in: .json5),
        Refused("1a", at: 1), Refused("Infinit", at: 0), Refused("nan", at: 0), Refused("+-1", at: 1, in: .json5),
        // arrays and objects
        Refused("[", at: 1), Refused("[1", at: 2), Refused("[1,", at: 3), Refused("[,1]", at: 1),
        Refused("[1,,2]", at: 3),
        Refused("[1 2]", at: 3), Refused("[1}", at: 2), Refused("]", at: 0), Refused("{", at: 1), Refused("{,}", at: 1),
        Refused(#"{"a"}"#, at: 4), Refused(#"{"a":}"#, at: 5), Refused(#"{"a":1"b":2}"#, at: 6),
        Refused("{1:2}", at: 1),
        Refused(#"{"a" 1}"#, at: 5), Refused(#"{"a":1,,}"#, at: 7), Refused(#"{"a":1]"#, at: 6),
        Refused("{null}", at: 5, in: .json5),
        // strings
        Refused(#"["abc"#, at: 1), Refused(#""\"#, at: 0), Refused(#""\u12"#, at: 1), Refused(#""\u12G4""#, at: 1),
        Refused("\"a\nb\"", at: 2), Refused("\"a\rb\"", at: 2), Refused(#""\x4""#, at: 1),
        Refused(#"'\xg0'"#, at: 1, in: .json5),
        Refused(#"'a\1'"#, at: 2, in: .json5), Refused(#"'a\01'"#, at: 2, in: .json5),
        Refused("'abc\"", at: 0, in: .json5),
        Refused("'a\u{2028}b\nc'", at: 6, in: .json5),
        // halves of surrogate pairs
        Refused(#""\uD800""#, at: 1), Refused(#""a\uDC00""#, at: 2), Refused(#""\uD800\uD800""#, at: 1),
        Refused(#""\uD83Dx\uDE00""#, at: 1), Refused(#""\uDE00\uD83D""#, at: 1), Refused(#""\uD83D\n""#, at: 1),
        Refused(#""\uD83D\uDE""#, at: 7),
        // comments
        Refused("1/*", at: 1, in: .json5), Refused("/*/", at: 0, in: .json5), Refused("1 /", at: 2, in: .json5),
        Refused("/ / 1", at: 0, in: .json5), Refused("//1", at: 3, in: .json5),
        Refused("/* /* */ */ 1", at: 9, in: .json5),
        // keys without quotes
        Refused("{9a:1}", at: 1, in: .json5), Refused("{a-b:1}", at: 2, in: .json5),
        Refused("{\u{E9}:1}", at: 1, in: .json5),
        Refused("{a\u{E9}:1}", at: 2, in: .json5), Refused(#"{a\u0062:1}"#, at: 2, in: .json5),
        Refused(#"{\u0061:1}"#, at: 1, in: .json5),
        Refused("{a b:1}", at: 3, in: .json5),
        // white space that is none
        Refused("\u{200B}1", at: 0, in: .json5), Refused("1\u{85}", at: 1, in: .json5),
        Refused("1\u{1F600}", at: 1, in: .json5),
    ])
    func `refuses at the right position`(text: Refused) {
        for syntax in text.syntaxes {
            #expect(offsetOfMistake(in: text.bytes, as: syntax) == text.offset)
        }
    }

    @Test(arguments: [
        Refused("[1,]", at: 3, in: .json), Refused(#"{"a":1,}"#, at: 7, in: .json), Refused("{a:1}", at: 1, in: .json),
        Refused("'a'", at: 0, in: .json), Refused("{'a':1}", at: 1, in: .json), Refused("1//", at: 1, in: .json),
        Refused("/**/1", at: 0, in: .json), Refused("+5", at: 0, in: .json), Refused(".5", at: 0, in: .json),
        Refused("-.5", at: 1, in: .json), Refused("5.", at: 2, in: .json), Refused("[5.]", at: 3, in: .json),
        Refused("5.e1", at: 2, in: .json), Refused("NaN", at: 0, in: .json), Refused("-Infinity", at: 1, in: .json),
        Refused("0x10", at: 1, in: .json), Refused("\"a\tb\"", at: 2, in: .json),
        Refused("\"\u{0}\"", at: 1, in: .json),
        Refused("\"\u{1F}\"", at: 1, in: .json), Refused(#""a\v""#, at: 2, in: .json),
        Refused(#""\0""#, at: 1, in: .json),
        Refused(#""\x41""#, at: 1, in: .json), Refused(#""\'""#, at: 1, in: .json),
        Refused(#""\U0041""#, at: 1, in: .json),
        Refused("\"a\\\nb\"", at: 2, in: .json), Refused("\u{A0}1", at: 0, in: .json),
        Refused("1\u{C}", at: 1, in: .json),
        Refused("1\u{2028}", at: 1, in: .json), Refused("[\u{FEFF}]", at: 1, in: .json),
    ])
    func `refuses JSON5 in JSON`(text: Refused) throws {
        #expect(offsetOfMistake(in: text.bytes, as: .json) == text.offset)
    }

    @Test(
        arguments: [
            ([0x80], 0), ([0xFF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x9F, 0xBF], 0),
            ([0xF0, 0x8F, 0xBF, 0xBF], 0),
            ([0xED, 0xA0, 0x80], 0), ([0xED, 0xBF, 0xBF], 0), ([0xF4, 0x90, 0x80, 0x80], 0),
            ([0xF5, 0x80, 0x80, 0x80], 0),
            ([0xC3], 0), ([0xE2, 0x82], 0), ([0xF0, 0x9F, 0x98], 0), ([0xE2, 0x28, 0xA1], 0), ([0xC3, 0xA9, 0xA9], 2),
        ] as [([UInt8], Int)])
    func `refuses what is not UTF-8, wherever it stands`(wrong: [UInt8], offset: Int) {
        let inString = Array("[\"a".utf8) + wrong + Array("\"]".utf8)
        #expect(offsetOfMistake(in: inString, as: .json) == 3 + offset)
        let inComment = Array("1 //".utf8) + wrong
        #expect(offsetOfMistake(in: inComment, as: .json5) == 4 + offset)
        let afterAnotherMistake = Array("[,]".utf8) + wrong
        #expect(offsetOfMistake(in: afterAnotherMistake, as: .json) == 3 + offset)
    }

    @Test func `refuses a byte order mark and says so`() throws {
        for syntax in [JSONSyntax.json, .json5] {
            let error = try #require(mistake(in: Array("\u{FEFF}1".utf8), as: syntax))
            #expect(error.offset == 0)
            #expect(error.reason.contains("byte order mark"))
        }
    }

    // MARK: - Keys

    @Test(arguments: [
        Refused(#"{"a":1,"a":1}"#, at: 7), Refused(#"{"a":1, "\u0061":2}"#, at: 8), Refused(#"{"":1,"":2}"#, at: 6),
        Refused(#"[{"b":{"a":1,"c":0,"a":2}}]"#, at: 19), Refused("{a:1,'a':2}", at: 5, in: .json5),
        Refused(#"{"\u00e9":1,"é":2}"#, at: 12),
    ])
    func `refuses a duplicate key and names it`(text: Refused) throws {
        for syntax in text.syntaxes {
            let error = try #require(mistake(in: text.bytes, as: syntax))
            #expect(error.offset == text.offset)
            #expect(error.description.hasPrefix("a key must occur only once: \""))
        }
    }

    @Test(arguments: [2, 7, 8, 9, 10, 100])
    func `refuses a duplicate key in an object of any size`(count: Int) throws {
        let members = (0..<count).map { "\"k\($0)\":0" }
        let whole = Array("{\(members.joined(separator: ","))}".utf8)
        #expect(throws: Never.self) { try JSONReader.read(whole, as: .json) }
        for repeated in [0, count / 2, count - 1] {
            let text = Array("{\((members + [members[repeated]]).joined(separator: ","))}".utf8)
            let error = try #require(mistake(in: text, as: .json))
            #expect(error.offset == whole.count)
            #expect(error.description == "a key must occur only once: \"k\(repeated)\"")
        }
    }

    @Test func `quotes a key escaped and at most 64 bytes of it`() {
        #expect(JSONError.quoting(Array("plain".utf8)) == #""plain""#)
        #expect(JSONError.quoting(Array("a\"\n\u{0}\u{E9}\u{202E}".utf8)) == #""a\"\n\0\u{00E9}\u{202E}""#)
        #expect(JSONError.quoting(Array(repeating: 0x61, count: 64)).utf8.count == 66)
        #expect(JSONError.quoting(Array(repeating: 0x61, count: 65)).utf8.count == 69)
        #expect(JSONError.quoting(Array(String(repeating: "\u{1F600}", count: 1000).utf8)).utf8.count <= 69)
    }

    @Test func `finds a member by its exact bytes`() throws {
        let value = try JSONReader.read(Array("{\"\\u00e9\":1, \"b\":{\"c\":true}}".utf8), as: .json)
        #expect(value["\u{E9}"]?.offset == 10)
        #expect(value["e\u{301}"] == nil)
        #expect(value["B"] == nil)
        #expect(value["b"]?["c"]?.offset == 22)
        #expect(value["b"]?["c"]?["d"] == nil)
    }

    @Test func `knows where every value and name starts`() throws {
        let value = try JSONReader.read(Array(" { 'a' : [ 1 , \"\u{E9}\" , {} ] }".utf8), as: .json5)
        #expect(value.offset == 1)
        guard case .object(let members) = value.content, case .array(let items)? = members.first?.value.content else {
            Issue.record("no object with an array")
            return
        }
        #expect(members.map(\.nameOffset) == [3])
        #expect(members.map(\.value.offset) == [9])
        #expect(items.map(\.offset) == [11, 15, 22])
    }

    // MARK: - Numbers

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("9007199254740993", 9_007_199_254_740_993),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("+5", 5), ("0x1F", 31), ("-0Xff", -255), ("0x7FFFFFFFFFFFFFFF", .max), ("-0x8000000000000000", .min),
            ("0x00000000000000000000001", 1),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("92233720368547758070", nil),
            ("0x8000000000000000", nil), ("100000000000000000000000000000000", nil),
            ("1.0", nil), ("1e2", nil), ("1E2", nil), ("-0.0", nil), ("5.", nil), (".5", nil),
            ("Infinity", nil), ("-Infinity", nil), ("NaN", nil),
        ] as [(String, Int64?)])
    func `reads an integer exactly or not at all`(text: String, integer: Int64?) throws {
        guard case .number(let number) = try JSONReader.read(Array(text.utf8), as: .json5).content else {
            Issue.record("\(text) is no number")
            return
        }
        #expect(number.integer == integer)
    }

    @Test(arguments: ["", "-", "+", "0x", "-0x", "12a", "1-", "\u{661}"])
    func `takes no integer from what is no number`(text: String) {
        #expect(JSONNumber(text: Array(text.utf8)).integer == nil)
    }

    // MARK: - Bounds

    @Test(arguments: [0, 1, 5, 32])
    func `lets arrays and objects be as deep as it is told and no deeper`(maximum: Int) {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func mistake(depth: Int) -> Int? {
                let text = String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)
                return offsetOfMistake(in: Array(text.utf8), as: .json, maximumDepth: maximum)
            }
            #expect(mistake(depth: maximum) == nil)
            #expect(mistake(depth: maximum + 1) == maximum * open.utf8.count)
        }
    }

    @Test func `counts every value at every level`() {
        let text = Array(#"[1,{"a":[2]},3]"#.utf8)
        #expect(offsetOfMistake(in: text, as: .json, maximumValues: 6) == nil)
        #expect(offsetOfMistake(in: text, as: .json, maximumValues: 5) == 13)
        #expect(offsetOfMistake(in: text, as: .json, maximumValues: 1) == 1)
        #expect(offsetOfMistake(in: text, as: .json, maximumValues: 0) == 0)
    }

    /// Each takes milliseconds in linear time and minutes in quadratic time, which the limit of the suite does not allow.
    @Test(
        arguments: [
            ("[", "", "", 32), ("{\"a\":", "", "", 160), ("[", "1,", "", 199_999), ("", " ", "", 250_000),
            ("\"", "\\n", "\"", nil), ("\"", "\\", "\"", nil), ("\"", "a", "", 0), ("'", "\\uD83D\\uDE00", "'", nil),
            ("", "1", "", nil), ("0x", "f", "", nil), ("/*", "* ", "", 0), ("", "/**/", "1", nil),
            ("//", "/", "\n1", nil),
            ("'", "\\\n", "'", nil), ("", "\u{3000}", "1", nil), ("{", "a", ":1}", nil), ("-", "-", "", 1),
        ] as [(String, String, String, Int?)])
    func `reads a quarter of a megabyte of one thing in linear time`(
        head: String, unit: String, tail: String, offset: Int?
    ) {
        let middle = unit.isEmpty ? String(repeating: head, count: 250_000 / head.utf8.count) : ""
        let repeated = String(repeating: unit, count: unit.isEmpty ? 0 : 250_000 / unit.utf8.count)
        let text = Array((head + middle + repeated + tail).utf8)
        #expect(offsetOfMistake(in: text, as: .json5) == offset)
    }

    @Test func `a long document says what its parts say, whichever names and values have their bytes in common`() throws
    {
        // Many of the same length and ends, some with escapes behind what was read before.
        let texts =
            ["route", "rxxte", "rotue", "", "a", "aa", #"rou\te"#, #"route\n"#, "n\u{E9}e", "nose"]
            + (0..<40).map { "x\($0)x" } + [String(repeating: "w", count: 32), String(repeating: "w", count: 33)]
        let members = texts.flatMap { name in texts.map { value in (name, value) } }
        let elements = (0..<2).flatMap { round in members.map { "{\"\($0)\":\"\($1)\",\"\($1)-\":\(round)}" } }
        let document = Array("[\(elements.joined(separator: ","))]".utf8)
        #expect(document.count > 1 << 16)
        guard case .array(let values) = try JSONReader.read(document, as: .json).content else {
            Issue.record("it is no list")
            return
        }
        #expect(values.count == elements.count)
        for (value, element) in zip(values, elements) {
            #expect(outline(value) == outline(try JSONReader.read(Array(element.utf8), as: .json)))
        }
    }

    @Test func `reads an object of many names in linear time`() throws {
        let text = "{" + (0..<90_000).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        guard case .object(let members) = try JSONReader.read(Array(text.utf8), as: .json).content else {
            Issue.record("no object")
            return
        }
        #expect(members.count == 90_000)
    }

    // MARK: - Broken documents

    @Test(arguments: [(JSONSyntax.json, document), (.json5, relaxedDocument)])
    func `refuses a document that is cut anywhere`(syntax: JSONSyntax, document: String) {
        let whole = Array(document.utf8)
        #expect(offsetOfMistake(in: whole, as: syntax) == nil)
        for length in whole.indices {
            let offset = offsetOfMistake(in: Array(whole[..<length]), as: syntax)
            #expect(offset.map((0...length).contains) == true, "cut at \(length)")
        }
    }

    @Test(arguments: [document, relaxedDocument])
    func `keeps its word on mutations of a document`(document: String) throws {
        var random = SplitMix64(seed: 20_260_101)
        var accepted = 0
        let rounds = Rounds.share(of: 10_000)
        for _ in 0..<rounds {
            let text = mutation(of: Array(document.utf8), &random)
            let json = Result { () throws(JSONError) in outline(try JSONReader.read(text, as: .json)) }
            let json5 = Result { () throws(JSONError) in outline(try JSONReader.read(text, as: .json5)) }
            if case .success(let outlineOfJSON) = json {
                try #require(try json5.get() == outlineOfJSON, "JSON5 has all that JSON has: \(text)")
            }
            switch json5 {
            case .success(let outlined):
                accepted += 1
                try #require(try outline(JSONReader.read(outlined, as: .json5)) == outlined, "\(text)")
            case .failure(let error):
                try #require((0...text.count).contains(error.offset) && !error.reason.isEmpty, "\(text)")
                try #require(error.reason.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(text)")
                try #require(error.reason.utf8.count < 160, "\(text)")
            }
        }
        #expect(
            (rounds / 100...rounds / 100 * 99).contains(accepted),
            "mutations must be of both kinds, but \(accepted) were accepted")
    }

    // MARK: - Positions

    @Test(arguments: [
        (0, 1, 1), (1, 1, 2), (2, 2, 1), (3, 2, 2), (5, 2, 3), (6, 2, 4), (7, 3, 1), (8, 4, 1), (12, 4, 2), (13, 4, 3),
        (99, 4, 3), (-1, 1, 1), (.max, 4, 3), (.min, 1, 1),
    ])
    func `finds line and column`(offset: Int, line: Int, column: Int) {
        // Offsets of the lines: 0 a LF, 2 b U+00E9 CR LF, 7 CR, 8 U+1F600 c.
        let text = Array("a\nb\u{E9}\r\n\r\u{1F600}c".utf8)
        let position = TextPosition(of: offset, in: text)
        #expect(position.line == line)
        #expect(position.column == column)
    }

    @Test func `finds a position in no text at all`() {
        #expect(TextPosition(of: 0, in: []) == TextPosition(of: 5, in: []))
        #expect(TextPosition(of: 5, in: []).line == 1)
    }

    /// What a configuration says of two grants is compared by its hash.
    @Test(arguments: [(#"{"a":"bc"}"#, #"{"ab":"c"}"#), (#"["a","bc"]"#, #"["ab","c"]"#)])
    func `values whose texts are the same only when joined have two hashes`(_ one: String, _ other: String) throws {
        func hash(_ text: String) throws -> Int {
            var hasher = Hasher()
            try JSONReader.read(Array(text.utf8), as: .json).hash(into: &hasher)
            return hasher.finalize()
        }
        #expect(try hash(one) != hash(other))
        #expect(try hash(one) == hash(" " + one))
    }
}
