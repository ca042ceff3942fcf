import Net
import Testing

@testable import Bytes
@testable import Sandbox

/// What a put policy does not allow is refused with Kodo's code, and becomes no object.
struct KodoPolicyTests {
    private static let mismatch = "403 key doesn't match with scope"
    private static let otherType = "403 limited mime type: this file type is forbidden to upload"

    @Test(arguments: [
        ("demo-media:a", "", "a", "200 a"), ("demo-media:a", "", "ab", mismatch), ("demo-media:a", "", "A", mismatch),
        ("demo-media:ab", "", "a", mismatch), ("demo-media", "", "any/key", "200 any/key"),
        ("demo-media:p/", #""isPrefixalScope":1"#, "p/a", "200 p/a"),
        ("demo-media:p/", #""isPrefixalScope":1"#, "p", mismatch), ("demo-media:p/", "", "p/a", mismatch),
        ("demo-media:", "", "a", mismatch), ("demo-media:a:b", "", "a:b", "200 a:b"),
        ("other-bucket:a", "", "a", "631 no such bucket"), (":a", "", "a", "401 bad token"),
        ("demo-media:a", #""fsizeLimit":11"#, "a", "200 a"),
        ("demo-media:a", #""fsizeLimit":10"#, "a", "413 request entity is too large"),
        ("demo-media:a", #""fsizeMin":11"#, "a", "200 a"),
        ("demo-media:a", #""fsizeMin":12"#, "a", "403 file is too small"),
        ("demo-media:a", #""mimeLimit":"image/*""#, "a", "200 a"),
        ("demo-media:a", #""mimeLimit":"image/png""#, "a", otherType),
        ("demo-media:a", #""mimeLimit":"!image/*""#, "a", otherType),
        ("demo-media:a", #""mimeLimit":"!text/*""#, "a", "200 a"),
        ("demo-media:a", #""mimeLimit":"image/png;image/jpeg""#, "a", "200 a"),
        ("demo-media:a", #""mimeLimit":"image""#, "a", otherType),
        ("demo-media:s/x", #""saveKey":"s/$(x:n)""#, "a", mismatch),
        ("demo-media:s/x", #""saveKey":"s/$(x:n)","forceSaveKey":true"#, "a", "200 s/x"),
        ("demo-media", #""forceSaveKey":true"#, "a", "400 invalid putPolicy: forceSaveKey needs saveKey"),
        (
            "demo-media", #""callbackUrl":"http://127.0.0.1:1/""#, "a",
            "400 invalid putPolicy: callbackUrl needs callbackBody"
        ),
        ("demo-media", #""returnBody":"{$(key)""#, "a", "400 invalid returnBody"),
        (
            "demo-media", #""callbackUrl":"http://127.0.0.1:1/","callbackBody":"a","callbackHost":"h\r\nX: y""#, "a",
            "400 invalid callbackHost"
        ),
        ("demo-media", #""somethingNew":[1]"#, "a", "200 a"),
    ])
    func `a policy decides`(scope: String, more: String, key: String, outcome: String) throws {
        let kodo = try KodoFixture()
        let answer = try kodo.put(try KodoFixture.token(scope, more), key, fields: [("x:n", "x")])
        #expect(answer.outcome == outcome)
        #expect(try kodo.keys() == (answer.status == 200 ? [answer["key"]] : []))
        #expect(try kodo.leftovers().isEmpty)
    }

    @Test(arguments: [
        #""scope":"demo-media""#, #""scope":"demo-media","deadline":1451487599"#,
        #""scope":"demo-media","deadline":null"#,
    ])
    func `a token ends at its deadline, and one without is expired`(policy: String) throws {
        let kodo = try KodoFixture()
        #expect(try kodo.put(try KodoFixture.token(policy: policy), "a").outcome == "401 expired token")
        let last = try KodoFixture.token(policy: #""scope":"demo-media","deadline":\#(KodoFixture.now)"#)
        #expect(try kodo.put(last, "a").outcome == "200 a")
    }

    @Test(arguments: [
        #""scope":1"#, #""deadline":"1451491200""#, #""deadline":4294967296"#, #""deadline":-1"#, #""insertOnly":true"#,
        #""insertOnly":"1""#, #""fsizeLimit":1.0"#, #""mimeLimit":[]"#, #""forceSaveKey":1"#, #""detectMime":2"#,
        #""fileType":5"#, #""deleteAfterDays":-1"#, #""isPrefixalScope":9223372036854775808"#, #""scope":"demo-media""#,
    ])
    func `a member of another type makes the token bad`(member: String) throws {
        let kodo = try KodoFixture()
        let name = member.prefix { $0 != ":" }
        let others = [#""scope":"demo-media""#, #""deadline":1451491200"#].filter { !$0.hasPrefix(name) }
        let isTwice = member == #""scope":"demo-media""#
        let all = others + [member] + (isTwice ? [member] : [])
        #expect(try kodo.put(try KodoFixture.token(policy: all.joined(separator: ",")), "a").outcome == "401 bad token")
    }

    @Test(arguments: ["demo-media", "demo-media:a"], ["", #""insertOnly":1"#, #""isPrefixalScope":1"#])
    func `another content replaces only what the scope names, and the same is no change`(
        scope: String, more: String
    ) throws {
        let kodo = try KodoFixture()
        let token = try KodoFixture.token(scope, more)
        for content in [KodoFixture.jpeg, KodoFixture.jpeg] {
            #expect(try kodo.put(token, "a", content).outcome == "200 a")
        }
        let replaces = scope == "demo-media:a" && more.isEmpty
        #expect(try kodo.put(token, "a", [1, 2]).outcome == (replaces ? "200 a" : "614 file exists"))
        #expect(kodo.store.object(Array("a".utf8), in: QiniuSide.sampleBucket)?.size == (replaces ? 2 : 11))
    }

    @Test func `without a key the object is named after its hash`() throws {
        let kodo = try KodoFixture()
        let answer = try kodo.put(try KodoFixture.token("demo-media"), nil)
        #expect(answer["key"] == answer["hash"] && answer["hash"]?.hasPrefix("F") == true)
        #expect(try kodo.put(try KodoFixture.token("demo-media:a"), nil).outcome == KodoPolicyTests.mismatch)
    }

    @Test func `the deadline is judged when the object is made`() throws {
        let ticks = Guarded<Int64>(0)
        let kodo = try KodoFixture(ticks: { ticks.withLock { $0 } })
        let token = try KodoFixture.token("demo-media:a")
        let form = KodoFixture.form([("token", token), ("key", "a")], KodoFixture.jpeg)
        for (seconds, outcome) in [(3600, "200 a"), (3601, "401 expired token")] as [(Int64, String)] {
            ticks.withLock { $0 = 0 }
            var pieces = [Array(form[..<300]), Array(form[300...])]
            let body = BodyReader(length: form.count) { () throws(BodyReader.Fault) in
                // While the last piece is on its way, time passes.
                if pieces.count == 1 { ticks.withLock { $0 = seconds * 1000 } }
                return pieces.isEmpty ? nil : pieces.removeFirst()
            }
            #expect(try kodo.ask("POST", "/", KodoFixture.formType, body).outcome == outcome)
        }
    }

    @Test func `what the token does not allow is refused before all of it has come`() throws {
        let kodo = try KodoFixture()
        let token = try KodoFixture.token("demo-media:a", #""fsizeLimit":100000"#)
        let begin = KodoFixture.form([("token", token), ("key", "a")], []).dropLast("\r\n--b--\r\n".utf8.count)
        var count = 0
        let body = BodyReader(length: nil) { () throws(BodyReader.Fault) in
            count += 1
            return count == 1 ? Array(begin) : [UInt8](repeating: 0, count: 65536)
        }
        #expect(try kodo.ask("POST", "/", KodoFixture.formType, body).status == 413)
        #expect(count < 10)
    }

    @Test func `type and days are told by stat`() throws {
        let kodo = try KodoFixture()
        let more = #""fileType":2,"deleteAfterDays":1,"endUser":"u""#
        #expect(try kodo.put(try KodoFixture.token("demo-media:a", more), "a").status == 200)
        let target = "/stat/\(KodoFixture.encode("demo-media:a"))"
        let text = try kodo.ask("GET", target, [("Authorization", "QBox \(try KodoFixture.sign(target + "\n"))")]).text
        // 2015-12-30T15:00:00Z is 23 o'clock in China, where the object ends at midnight behind the next day.
        for part in [#""type":2"#, #""endUser":"u""#, #""expiration":1451577600"#, #""putTime":14514876000000000"#] {
            #expect(text.contains(part), "\(text)")
        }
    }
}
