import Bytes
import Testing

@Suite struct JSONObjectTests {
    private struct Refused: Error {}

    private static func text(_ body: (inout JSONObject) -> Void) -> String {
        var out = ByteWriter(capacity: 0)
        out.append(object: body)
        return out.array.text
    }

    @Test func `members of every type stand in their order, with commas between them`() {
        let json = Self.text { json in
            json.add("bytes", Array("a\"b".utf8))
            json.add("text", "\u{E9}/\\" as String)
            json.add("literal", "ok")
            json.add("number", -7)
            json.add("flag", false)
            json.addNull("nothing")
            json.add("time", time: 0)
            json.add("never", time: nil)
            json.add("no text", nil as Span<UInt8>?)
            json.add(named: Array("na\"me".utf8), Array("value".utf8))
        }
        #expect(
            json
                == #"{"bytes":"a\"b","text":"é/\\","literal":"ok","number":-7,"flag":false,"nothing":null,"#
                + #""time":"1970-01-01T00:00:00Z","never":null,"no text":null,"na\"me":"value"}"#)
    }

    @Test func `objects and arrays close what they open, and are one member or element of what holds them`() {
        let json = Self.text { json in
            json.add(
                "object",
                object: { inner in
                    inner.add("a", 1)
                    inner.add("b", object: { _ in })
                })
            json.add(
                "array",
                array: { array in
                    array.add("x" as String)
                    array.add(2)
                    array.add(object: { $0.add("c", true) })
                    array.add(array: { _ in })
                })
            json.add("last", 3)
        }
        #expect(json == #"{"object":{"a":1,"b":{}},"array":["x",2,{"c":true},[]],"last":3}"#)
    }

    @Test func `a text that is put together is escaped where it must be`() throws {
        for byte in UInt8.min..<0x80 {
            var out = ByteWriter(capacity: 0)
            out.append(object: { json in
                json.add(
                    "text",
                    text: { text in
                        text.append("before ")
                        text.append(byte)
                    })
            })
            let read = try JSONReader.read(out.array, as: .json)
            #expect(read["text"]?.text == Array("before ".utf8) + [byte])
        }
    }

    @Test(arguments: ["plain", "a \"quoted\" text", ""]) func `a text under two names is the same under both`(
        _ text: String
    ) throws {
        let object = JSONObjectTests.text { json in json.add("a", and: "b", text: { $0.append(text: text) }) }
        let read = try JSONReader.read(Array(object.utf8), as: .json)
        #expect(read["a"]?.text == Array(text.utf8) && read["b"]?.text == Array(text.utf8))
    }

    @Test func `a text in which what terminals obey is escaped reads as what it was`() throws {
        let given = "a\u{9B}31m\u{202E}\u{1F600}\u{7F}"
        var out = ByteWriter(capacity: 0)
        out.append(object: { $0.add("text", visible: given) })
        #expect(!out.array.text.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" || $0 == "\u{7F}" })
        #expect(try JSONReader.read(out.array, as: .json)["text"]?.text == Array(given.utf8))
    }

    @Test func `members that were written before join others, and none of them leave no comma`() {
        let members = JSONMembers { json in
            json.add("b", 2)
            json.add("c", 3)
        }
        let json = Self.text { json in
            json.add(JSONMembers.none)
            json.add("a", 1)
            json.add(JSONMembers.none)
            json.add(members)
            json.add("d", 4)
        }
        #expect(json == #"{"a":1,"b":2,"c":3,"d":4}"#)
        #expect(JSONMembers.none.isEmpty && !members.isEmpty)
    }

    @Test func `members go on after those of another part`() {
        var out = ByteWriter(capacity: 0)
        out.append("{")
        out.append(members: { $0.add("a", 1) })
        out.append(afterOthers: true, members: { $0.add("b", 2) })
        out.append("}")
        #expect(out.array.text == #"{"a":1,"b":2}"#)
    }

    @Test func `what was written stays in the writer when a member throws`() {
        var out = ByteWriter(capacity: 64)
        let capacity = out.capacity
        #expect(throws: Refused.self) {
            try out.append(object: { json throws(Refused) in
                json.add("a", 1)
                try json.add("b", text: { _ throws(Refused) in throw Refused() })
            })
        }
        #expect(out.array.text == #"{"a":1,"b":""#)
        #expect(out.capacity == capacity)
    }
}
