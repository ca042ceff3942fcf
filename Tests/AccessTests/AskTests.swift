import Testing

@testable import Access
@testable import Bytes

@Suite struct AskTests {
    private func fault(_ query: String) -> String? {
        do {
            _ = try House.ask(query)
            return nil
        } catch let error as AskError {
            return "\(error.fault) \(error.parameter)"
        } catch { return "\(error)" }
    }

    private func fault(json: String) -> String? {
        do {
            var ask = Ask()
            try ask.parameters.read(json: Array(json.utf8).span, maximumDepth: 4)
            try ask.read(by: House.parameters)
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
        var ask = Ask()
        try ask.parameters.read(form: Array("expires=\(value)".utf8).span)
        var error: AskError?
        do throws(AskError) { try ask.read(by: [.expires(from: 900)]) } catch let fault { error = fault }
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
            _ = try House.ask("\(name)=secret-value")
            Issue.record("the name is not known")
        } catch let error as AskError {
            #expect(error.parameter.isEmpty)
            #expect(
                error.reason
                    == "a parameter has a name that is not known; there are grant, bucket, key, expires, size, text")
        } catch { Issue.record("\(error)") }
    }

    @Test func `an ask that is read again has forgotten the one before`() throws {
        var ask = try House.ask("key=secret&expires=5&size=7&bucket=b&grant=g")
        ask.reset()
        try ask.parameters.read(form: Array("text=x".utf8).span)
        try ask.read(by: House.parameters)
        let forgotten =
            ask.key == nil && ask.bucket == nil && ask.lifetime == nil && ask.grant == nil && ask.integer(at: 4) == nil
        #expect(forgotten)
        let text = ask.text(at: 5)?.text
        #expect(text == "x")
    }
}
