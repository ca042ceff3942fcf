import Testing

@testable import Access
@testable import Bytes

@Suite struct AskTests {
    private func fault(_ query: String) -> String? {
        do {
            _ = try Fixture.ask(query)
            return nil
        } catch let error as AskError {
            return "\(error.fault) \(error.parameter)"
        } catch { return "\(error)" }
    }

    private func fault(json: String) -> String? {
        do {
            var ask = Ask(Fixture.nonce)
            try ask.parameters.read(json: Array(json.utf8).span, maximumDepth: 4)
            try ask.read(by: ParameterList(Fixture.parameters))
            return nil
        } catch let error as AskError {
            return "\(error.fault) \(error.parameter)"
        } catch { return "\(error)" }
    }

    @Test func `R3: every name is known and given once`() {
        #expect(fault("key=a&bucket=b&expires=5&size=7&text=x&grant=g") == nil)
        #expect(fault("kex=a") == "unknown kex")
        #expect(fault("Key=a") == "unknown Key")
        #expect(fault("key=a&key=a") == "invalid key")
        #expect(fault("key=a&object=a") == "invalid key", "a name and its alias are the same name twice")
        #expect(fault("_=1234&_cache=1&_=2&key=a") == nil, "names that begin with _ are ignored")
    }

    @Test(arguments: [
        "0", "-1", "+5", "05", "1.5", "1e3", "0x10", " 5", "5 ", "", "9223372036854775808", "99999999999999999999", "٣",
    ])
    func `R5: a lifetime is a decimal number above zero`(value: String) {
        let escaped = value.utf8.map { "%" + Hex.encode([$0]).text }.joined()
        #expect(fault("expires=\(escaped)") == "invalid expires")
    }

    @Test(arguments: [("1", false), ("899", false), ("900", true), ("2147483647", true), ("2147483648", false)])
    func `R5: a vendor's shortest lifetime is the least that may be asked`(value: String, isTaken: Bool) throws {
        var ask = Ask(Fixture.nonce)
        try ask.parameters.read(form: Array("expires=\(value)".utf8).span)
        var error: AskError?
        do throws(AskError) { try ask.read(by: ParameterList([Parameter.expires(from: 900).description])) } catch let
            fault
        {
            error = fault
        }
        #expect((error == nil) == isTaken)
        #expect(error?.parameter ?? "expires" == "expires")
        #expect(error?.reason.contains("from 900 to 2147483647") ?? true)
    }

    @Test func `numbers have bounds, texts have a length`() {
        #expect(fault("size=0") == "invalid size")
        #expect(fault("size=1") == nil)
        #expect(fault("size=100") == nil)
        #expect(fault("size=101") == "invalid size")
        #expect(fault("text=0123456789") == nil)
        #expect(fault("text=01234567890") == "invalid text")
        #expect(fault("text=") == "invalid text")
    }

    @Test func `JSON values must have the parameter's type`() {
        #expect(fault(json: #"{"key":"a","expires":60,"size":7}"#) == nil)
        #expect(fault(json: #"{"expires":"60"}"#) == nil)
        #expect(fault(json: #"{"key":5}"#) == "invalid key")
        #expect(fault(json: #"{"key":true}"#) == "invalid key")
        #expect(fault(json: #"{"key":["a"]}"#) == "invalid key")
        #expect(fault(json: #"{"expires":60.0}"#) == "invalid expires")
        #expect(fault(json: #"{"expires":true}"#) == "invalid expires")
        #expect(fault(json: #"{"bucket":7}"#) == "invalid bucket")
    }

    @Test(arguments: [
        "", "/a", "a/../b", "..", ".", "a/.", "./a", "a/./b", "a%00b", "a%0Ab", "a%0Db", "a%7Fb", "a$(x)", "a${x}",
        String(repeating: "x", count: 1001),
    ])
    func `R13: a key that could mean another is refused`(key: String) {
        #expect(fault("key=\(key)") == "invalid key")
    }

    @Test(arguments: [
        "a", "a..b", "a//b", "..a/b..", "a/", "%E4%B8%AD%E6%96%87", "a%2Bb", "a b", "$a", "a:b", "...", "a/.../b",
        "a?b#c",
        String(repeating: "x", count: 1000),
    ])
    func `R13: a key that is unusual but plain is taken`(key: String) {
        #expect(fault("key=\(key)") == nil)
    }

    @Test(arguments: ["", "/", "../", "a/..", "a%00", "%2e%2e/", "a${x}"])
    func `R13: a prefix that could mean others is refused`(prefix: String) {
        #expect(fault("prefix=\(prefix)") == "invalid prefix")
    }

    @Test func `R11: a text may say what a ticket fixes, and JSON is left out, since its white space says nothing`()
        throws
    {
        let (headers, text): (Parameter<Span<UInt8>>, Parameter<Span<UInt8>>) = (
            Parameter("headers", .json(maximumLength: 64), "Headers."),
            Parameter("text", .text(maximumLength: 8), "Text.")
        )
        let known = ParameterList([headers.description, text.description])
        let terms = TicketTerms(
            grant: [],
            parameters: [NameValue("headers", Array(#"{"a":["b"]}"#.utf8)), NameValue("text", Array("x".utf8))])
        func objects(to json: String) throws -> Bool {
            var ask = Ask(Fixture.nonce)
            try ask.parameters.read(json: Array(json.utf8).span, maximumDepth: 4, whole: known.wholeNames)
            return try ask.fix(terms, by: known) != nil
        }
        #expect(try !objects(to: "{}") && !objects(to: #"{"text":"x"}"#))
        #expect(try objects(to: #"{"text":"y"}"#))
        #expect(try objects(to: #"{"headers":{"a":["b"]}}"#) && objects(to: #"{"headers":{ "a": ["b"] }}"#))
    }

    @Test func `R13: a key and a prefix are not asked for at once`() throws {
        #expect(fault("key=a&prefix=a") == "invalid prefix")
        #expect(fault("prefix=a&object=a") == "invalid key")
        let (prefix, key) = (try Fixture.ask("prefix=a/b").keyIsPrefix, try Fixture.ask("key=a/b").keyIsPrefix)
        #expect(prefix && !key)
    }

    @Test(arguments: ["", "a:b", "a/b", "a b", "%E4%B8%AD", String(repeating: "b", count: 64)])
    func `a bucket is letters, digits and little else`(bucket: String) {
        #expect(fault("bucket=\(bucket)") == "invalid bucket")
    }

    @Test(arguments: [
        String(repeating: "n", count: 500), "PUT%0A%0Aimage/png", "Zm9vYmFyLXNlY3JldC1rZXk", "QAK:L80ym=:eyJ",
        "secret-value",
    ])
    func `R7: an error shows no value, and a name only where it is a slip`(name: String) {
        do {
            _ = try Fixture.ask("\(name)=secret-value")
            Issue.record("the name is not known")
        } catch let error as AskError {
            #expect(error.parameter.isEmpty)
            #expect(
                error.reason
                    == "a parameter has a name that is not known; there are grant, bucket, key, ext, expires, size, "
                    + "text, header, prefix")
        } catch { Issue.record("\(error)") }
    }

    @Test func `a short word is shown as the name that is not known`() {
        let error = #expect(throws: AskError.self) { _ = try Fixture.ask("playlist=secret-value") }
        #expect(error?.parameter == "playlist")
        #expect(error?.reason.hasPrefix("is not known; there are grant, bucket, key") == true)
    }

    private func headers(_ fill: (inout Parameters) throws -> Void) throws -> [[String?]] {
        var ask = Ask(Fixture.nonce)
        try fill(&ask.parameters)
        try ask.read(by: ParameterList(Fixture.parameters))
        var headers: [[String?]] = []
        for pair in ask[Fixture.known.header] {
            headers.append([ask.parameters.bytes(pair.name).text, pair.value.map { ask.parameters.bytes($0).text }])
        }
        return headers
    }

    @Test func `R3: a list is given one by one, as a JSON array or as a JSON object`() throws {
        let query = Array("header=a:1&size=1&header=b:x:y&header=c&key=a".utf8)
        #expect(try headers { try $0.read(form: query.span) } == [["a", "1"], ["b", "x:y"], ["c", nil]])
        for json in [#"{"header":["a:1","b: 2"],"size":1}"#, #"{"size":1,"header":{"a":"1","b":" 2"}}"#] {
            let text = Array(json.utf8)
            #expect(try headers { try $0.read(json: text.span, maximumDepth: 4) } == [["a", "1"], ["b", " 2"]])
        }
        #expect(
            try headers { try $0.read(json: Array(#"{"header":"a:"}"#.utf8).span, maximumDepth: 4) } == [["a", ""]])
        #expect(try headers { try $0.read(form: Array("size=1".utf8).span) } == [])
    }

    @Test(arguments: [
        "header=", "header=:1", "header=a:1&header=A:2", "header=a:1&header=a:1", "header=a:1&header=a",
        "header=a:1&header=b:1&header=c:1&header=d:1", "header=a:123456789x", "header=abcdefghijk", "header=a:%0A",
        "header=a%0D:1", "header=a:%00", "header=a:%7F",
    ])
    func `R3: a list has bounds, and no name twice`(query: String) {
        #expect(fault(query) == "invalid header")
    }

    @Test func `R3: a JSON object's names and values are texts without separators and control characters`() {
        #expect(fault(json: #"{"header":{"a:b":"1"}}"#) == "invalid header")
        #expect(fault(json: #"{"header":{"":"1"}}"#) == "invalid header")
        #expect(fault(json: #"{"header":{"a":"1\r\nb: 2"}}"#) == "invalid header")
        #expect(fault(json: #"{"header":{"a\n":"1"}}"#) == "invalid header")
        #expect(fault(json: #"{"header":{"a":"123456789x"}}"#) == "invalid header")
        #expect(fault(json: #"{"header":["a:1","a:2"]}"#) == "invalid header")
        #expect(fault(json: #"{"header":7}"#) == "invalid header")
        for name in ["key", "size", "text", "bucket", "expires", "grant"] {
            #expect(fault(json: #"{"\#(name)":["1"]}"#) == "invalid \(name)")
            #expect(fault(json: #"{"\#(name)":{"a":"1"}}"#) == "invalid \(name)")
        }
    }

    @Test func `a text that is not given is the one that stands for it`() throws {
        struct Parameters: ParameterGroup {
            let version = Parameter("version", .text(maximumLength: 4), default: "v4", "The version")
        }
        let known = Parameters()
        #expect(known.version.description.summary == "The version; without it, v4.")
        for (query, version, isGiven) in [("", "v4", false), ("version=v1", "v1", true)] {
            var ask = Ask(Fixture.nonce)
            try ask.parameters.read(form: Array(query.utf8).span)
            try ask.read(by: ParameterList(known.descriptions))
            #expect(ask.has(known.version.description) == isGiven)
            #expect(ask.bytes(of: known.version).text == version)
            let read = ask.reading(known.version) { $0.text }
            #expect(read == version)
        }
    }

    @Test func `a parameter of another route is not given, wherever that route has it`() throws {
        struct Others: ParameterGroup {
            let first = Parameter("grant", .text(maximumLength: 9), "Another's.")
            let text = Parameter("text", .text(maximumLength: 9), "Another's.")
        }
        let others = Others()
        let ask = try Fixture.ask("grant=g&text=x&size=7")
        let hasOthers = ask.has(others.first.description) || ask.has(others.text.description)
        #expect(!hasOthers && ask[others.text]?.text == nil)
    }

    @Test func `an ask that is read again has forgotten the one before`() throws {
        var ask = try Fixture.ask("prefix=secret&expires=5&size=7&bucket=b&grant=g&header=a:1")
        ask.isAboutService = true
        ask.reset(Fixture.nonce)
        try ask.parameters.read(form: Array("text=x".utf8).span)
        try ask.read(by: ParameterList(Fixture.parameters))
        let forgotten =
            ask.key == nil && ask.bucket == nil && ask.lifetime == nil && ask.grant == nil
            && ask[Fixture.known.size] == nil
            && ask[Fixture.known.header].isEmpty && !ask.keyIsPrefix && !ask.isAboutService
        #expect(forgotten)
        let text = ask[Fixture.known.text]?.text
        #expect(text == "x")
    }
}
