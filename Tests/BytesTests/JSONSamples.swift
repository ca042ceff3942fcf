import TestTraits
import Testing

@testable import Bytes

// MARK: - Material

/// A text and what is read from it, in the words of `outline`.
struct Accepted: Sendable, CustomStringConvertible {
    let bytes: [UInt8]
    let outline: String
    var description: String { outline }

    init(_ text: String, _ outline: String) {
        bytes = Array(text.utf8)
        self.outline = outline
    }
}

/// A text and the offset of its first mistake, in one language or else in both.
struct Refused: Sendable, CustomStringConvertible {
    let bytes: [UInt8]
    let offset: Int
    let syntaxes: [JSONSyntax]
    var description: String { String(decoding: bytes, as: UTF8.self) }

    init(_ text: String, at offset: Int, in syntax: JSONSyntax? = nil) {
        bytes = Array(text.utf8)
        self.offset = offset
        syntaxes = syntax.map { [$0] } ?? [.json, .json5]
    }
}

let document = #"""
    {"name":"a\u0041\n\uD83D\uDE00é","list":[0,-1.5e+3,9007199254740993,true,false,null,[],{}],
     "deep":[[{"x":[{"y":""}]}]],"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7}
    """#

let relaxedDocument = #"""
    // head
    {name:'a\x41\
    \v\'é', /* list */ $list:[+1,.5,5.,0x1F,-Infinity,NaN,true,],
     "deep":[[{x:[{_y:""},]}]],a:1,b:2,c:3,d:4,e:5,f:6,}
    """#

/// Writes a value in one fixed form that can be read again: JSON5 with single quotes, no space, and only `\x` escapes.
func outline(_ value: JSONValue) -> [UInt8] {
    func quoted(_ text: [UInt8]) -> [UInt8] {
        let hex = Array("0123456789ABCDEF".utf8)
        let escaped = text.flatMap { byte -> [UInt8] in
            guard byte < 0x20 || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") else { return [byte] }
            return Array(#"\x"#.utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
        }
        return Array("'".utf8) + escaped + Array("'".utf8)
    }
    switch value.content {
    case .null: return Array("null".utf8)
    case .boolean(let boolean): return Array("\(boolean)".utf8)
    case .number(let number): return number.text
    case .string(let text): return quoted(text)
    case .array(let elements):
        return Array("[".utf8) + elements.map(outline).joined(separator: ",".utf8) + Array("]".utf8)
    case .object(let members):
        let pairs = members.map { quoted($0.name) + Array(":".utf8) + outline($0.value) }
        return Array("{".utf8) + pairs.joined(separator: ",".utf8) + Array("}".utf8)
    }
}

func mistake(
    in text: [UInt8], as syntax: JSONSyntax, maximumDepth: Int = 32, maximumValues: Int = 100_000
) -> JSONError? {
    do {
        _ = try JSONReader.read(text, as: syntax, maximumDepth: maximumDepth, maximumValues: maximumValues)
        return nil
    } catch {
        return error
    }
}

func offsetOfMistake(
    in text: [UInt8], as syntax: JSONSyntax, maximumDepth: Int = 32, maximumValues: Int = 100_000
) -> Int? {
    mistake(in: text, as: syntax, maximumDepth: maximumDepth, maximumValues: maximumValues)?.offset
}

/// One to three small changes, mostly with bytes that mean something in JSON.
func mutation(of document: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    let telling = Array("{}[]:,\"'\\/*+-.0x1eEuINn \t\n\r\u{0}\u{A0}\u{2028}\u{FEFF}\u{1F600}".utf8)
    var text = document
    for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<text.count, using: &random)
        let byte = telling.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<6, using: &random) {
        case 0: text.insert(byte, at: index)
        case 1: text[index] = byte
        case 2: text[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 3: text.remove(at: index)
        case 4: text.swapAt(index, Int.random(in: 0..<text.count, using: &random))
        default: text.insert(contentsOf: text[index...].prefix(Int.random(in: 1...20, using: &random)), at: index)
        }
    }
    return text
}
