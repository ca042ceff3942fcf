import Foundation
import Testing

/// How much a function is told: six values at most. What belongs together is one value.
@Suite struct ParameterCountTests {
    static let most = 6

    struct Declaration: Equatable {
        let name: String
        let count: Int
    }

    /// Every `func`, `init` and `subscript` that a source declares.
    static func declarations(in lines: [String]) -> [Declaration] {
        let text = Array(lines.map(withoutCommentsAndStrings).joined(separator: "\n"))
        var found: [Declaration] = []
        var index = 0
        while index < text.count {
            let start = index
            while index < text.count, isWordPart(text[index]) { index += 1 }
            guard index > start else {
                index += 1
                continue
            }
            // `self.init(…)` and `.init(…)` are calls.
            let isMember = start > 0 && text[start - 1] == "."
            switch String(text[start..<index]) {
            case "func":
                let (name, next) = functionName(text, from: index)
                index = next
                if let count = parameterCount(text, from: index) { found.append(Declaration(name: name, count: count)) }
            case "init" where !isMember, "subscript" where !isMember:
                let name = String(text[start..<index])
                if let count = parameterCount(text, from: index) { found.append(Declaration(name: name, count: count)) }
            default: break
            }
        }
        return found
    }

    private static func isWordPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    private static func functionName(_ text: [Character], from start: Int) -> (name: String, next: Int) {
        let begin = text[start...].firstIndex { !$0.isWhitespace } ?? text.count
        let end = text[begin...].firstIndex { $0 == "(" || $0 == "<" && isWordPart(text[begin]) } ?? text.count
        return (String(text[begin..<end]).trimmingCharacters(in: .whitespaces), end)
    }

    /// How many parameters the list has that begins here, behind generic ones if there are any; nil where none does.
    private static func parameterCount(_ text: [Character], from start: Int) -> Int? {
        var index = start
        if index < text.count, text[index] == "?" { index += 1 }
        if index < text.count, text[index] == "<" {
            index = (text[index...].firstIndex(of: ">") ?? text.count - 1) + 1
        }
        guard index < text.count, text[index] == "(" else { return nil }
        var (depth, angles, count, isEmpty) = (0, 0, 0, true)
        while index < text.count {
            let character = text[index]
            switch character {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "<": angles += 1
            case ">" where text[index - 1] != "-": angles -= 1
            case "," where depth == 1 && angles == 0:
                count += isEmpty ? 0 : 1
                isEmpty = true
            default: if !character.isWhitespace, depth >= 1 { isEmpty = false }
            }
            index += 1
            if depth == 0 { return count + (isEmpty ? 0 : 1) }
        }
        return nil
    }

    /// A line without what is no code.
    private static func withoutCommentsAndStrings(_ line: String) -> String {
        var (code, isString, isEscaped) = ("", false, false)
        for character in line {
            if isString {
                if !isEscaped, character == "\"" { isString = false }
                isEscaped = !isEscaped && character == "\\"
            } else if character == "\"" {
                isString = true
                code.append("0")
            } else {
                code.append(character)
                if code.hasSuffix("//") { return String(code.dropLast(2)) }
            }
        }
        return code
    }

    @Test func `parameters are counted as the compiler counts them`() {
        let lines = [
            "init() {}", "init?(_ a: Int) { self.init(a, 2, 3) }", "func none() -> (Int, Int) { (1, 2) }",
            "func one(_ body: (Int, Int) -> [String: Int]) {}", "func two(", "    a: Int = max(1, 2),",
            "    b: Dictionary<Int, [Int]>? = nil", ") {} // func no(a, b)",
            "subscript(a: Int, b: Int, c: Int) -> Int { 0 }",
            "func three<A, B>(_ a: A, _ b: B, c: String = \"(,\") {}",
            "static func == (one: A, other: A) -> Bool { true }",
            "print(\"func text(a, b)\")",
        ]
        let expected = [
            ("init", 0), ("init", 1), ("none", 0), ("one", 1), ("two", 2), ("subscript", 3), ("three", 3), ("==", 2),
        ].map { Declaration(name: $0.0, count: $0.1) }
        #expect(ParameterCountTests.declarations(in: lines) == expected)
    }

    @Test func `no func, init or subscript has more than six parameters`() {
        for source in ImportTests.sources {
            for declaration in ParameterCountTests.declarations(in: source.lines) {
                #expect(declaration.count <= ParameterCountTests.most, "\(source.path) \(declaration.name)")
            }
        }
    }
}
