import Crypto
import Foundation
import TestTraits
import Testing
import Upstream

@testable import Access
@testable import Bytes
@testable import Configuration
@testable import Providers
@testable import Gateway
@testable import TestSamples

/// What Kodo, or whoever answers instead, may answer. Each answer is tried on a way to the vendor that has not failed yet, so that
/// it is judged by itself and not by an open breaker.
@Suite("Kodo's answers under attack", .timeLimit(.minutes(20)))
struct KodoAnswerTests {
    /// How one question is asked, and an answer to it that is right.
    struct Question: Sendable {
        let route: String
        let parameters: [(String, String)]
        let good: String
    }

    private static let files = Question(
        route: "qiniu.files", parameters: [("marker", "m"), ("delimiter", "/")],
        good: #"{"items":[{"key":"photos/a.jpg","fsize":15}],"commonPrefixes":["photos/b/"],"marker":"n"}"#)
    private static let stat = Question(
        route: "qiniu.stat", parameters: [("key", "photos/a.jpg")], good: #"{"fsize":15,"hash":"Fm","putTime":1}"#)
    private static let buckets = Question(route: "qiniu.buckets", parameters: [], good: #"["media","attic"]"#)

    /// An answer with status 200, and what it is for.
    struct Hostile: Sendable, CustomTestStringConvertible {
        let question: Question
        let body: [UInt8]

        init(_ question: Question, _ body: [UInt8]) {
            self.question = question
            self.body = body
        }

        init(_ question: Question, _ body: String) { self.init(question, Array(body.utf8)) }

        var testDescription: String { "\(question.route): \(String(decoding: body.prefix(60), as: UTF8.self))" }
    }

    // MARK: What is refused

    /// What is no JSON object, array or text as the vendor documents it, of any question.
    private static let nonsense: [[UInt8]] = texts.map { Array($0.utf8) } + nested.map { Array($0.utf8) } + bytes

    private static let texts: [String] = [
        "", " ", "\0", "null", "true", "false", "0", "-1", "\"x\"", "x", "<html>hotel</html>", "{", "[", "}", "]",
        "{]", "[}", "{\"a\"}", "{\"a\":}", "{,}", "[,]", "[1,]", "{\"a\":1,}", "{'a':1}", "{a:1}", "// x\n{}",
        "{} {}", "[] []", "{}x", "{}\0", "[]\u{1}", "NaN", "[NaN]", "[Infinity]", "[01]", "[+1]", "[1.]", "[.5]",
        "[0x10]", "[1e]", "[--1]", "[\"\\x\"]", "[\"\\u12\"]", "[\"\\ud800\"]", "[\"\\udc00\\ud800\"]",
        "[\"a\nb\"]",
        "[\"a\tb\"]", "[\"a\0b\"]", "[\"a", "[\"a\\", "[\"a\\\"]", "\u{FEFF}{}",
    ]

    private static let nested: [String] = [
        nest("[", "]", 17), nest("[", "", 200_000), nest("{\"a\":", "", 100_000),
        "{\"items\":" + nest("[", "]", 100_000) + "}",
    ]

    private static func nest(_ begin: String, _ end: String, _ depth: Int) -> String {
        String(repeating: begin, count: depth) + String(repeating: end, count: depth)
    }

    /// No UTF-8: a byte of no text, overlong forms, halves of pairs, beyond Unicode, cut off; UTF-16; and what is compressed.
    private static let bytes: [[UInt8]] = [
        [0xFF], quoted([0xFF]), quoted([0xC0, 0xAF]), quoted([0xED, 0xA0, 0x80]), quoted([0xF4, 0x90, 0x80, 0x80]),
        quoted([0xE4, 0xB8]), Array("{\"items\":[]}".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
        [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xAB, 0xAE, 0x05, 0, 0x43, 0xBF, 0xA6, 0xA3],
    ]

    private static func quoted(_ text: [UInt8]) -> [UInt8] { Array("[\"".utf8) + text + Array("\"]".utf8) }

    private static let wrong: [Hostile] =
        wrongListings.map { Hostile(files, $0) } + wrongObjects.map { Hostile(stat, $0) }
        + wrongNames.map { Hostile(buckets, $0) }

    private static let wrongListings: [String] = [
        "{}", "[]", "[{\"key\":\"photos/a\"}]", "{\"a\":1}", "{\"items\":null}", "{\"items\":{}}",
        "{\"items\":\"x\"}",
        "{\"items\":1}", "{\"items\":true}", "{\"items\":[1]}", "{\"items\":[null]}", "{\"items\":[[]]}",
        "{\"items\":[\"photos/a\"]}", "{\"items\":[{}]}", "{\"items\":[{\"key\":1}]}",
        "{\"items\":[{\"key\":null}]}",
        "{\"items\":[{\"key\":[\"photos/a\"]}]}", "{\"items\":[{\"key\":{\"key\":\"photos/a\"}}]}",
        "{\"items\":[{\"key\":true}]}", "{\"items\":[{\"Key\":\"photos/a\"}]}",
        "{\"items\":[{\"key\":\"photos/a\"},{\"hash\":\"x\"}]}", "{\"items\":[],\"marker\":1}",
        "{\"items\":[],\"marker\":[]}", "{\"items\":[],\"marker\":{}}", "{\"items\":[],\"marker\":false}",
        "{\"items\":[],\"commonPrefixes\":{}}", "{\"items\":[],\"commonPrefixes\":\"photos/\"}",
        "{\"items\":[],\"commonPrefixes\":[1]}", "{\"items\":[],\"commonPrefixes\":[null]}",
        "{\"items\":[],\"commonPrefixes\":[[\"photos/\"]]}",
        "{\"items\":[],\"commonPrefixes\":[{\"key\":\"photos/\"}]}",
        // One of two equal names would be judged, and another one told.
        "{\"items\":[],\"items\":[{\"key\":\"private/a\"}]}",
        "{\"items\":[{\"key\":\"photos/a\",\"key\":\"private/b\"}]}",
        "{\"items\":[{\"key\":\"photos/a\",\"k\\u0065y\":\"private/b\"}]}",
        "{\"items\":[{\"key\":\"photos/a\",\"x\":{\"y\":1,\"y\":2}}]}",
        "{\"items\":[],\"marker\":\"a\",\"marker\":\"b\"}",
        "{\"items\":[{\"key\":\"photos/\u{1}\"}]}", "{\"items\":[{\"key\":\"photos/\u{0}\"}]}",
        "{\"items\":[{\"key\":\"photos/\\ud83d\"}]}",
    ]

    private static let wrongObjects: [String] = [
        "[]", "[{}]", "\"photos/a\"", "{\"fsize\":1,\"fsize\":2}", "{\"a\":{\"b\":1,\"b\":1}}",
    ]

    private static let wrongNames: [String] = [
        "{}", "{\"buckets\":[]}", "[1]", "[null]", "[true]", "[[\"a\"]]", "[{\"a\":1}]", "[\"a\",1]", "[\"a\",null]",
    ]

    @Test(arguments: wrong)
    func `an answer of another form is 502, and the next good one is told`(_ hostile: Hostile) throws {
        try expectRefusal(of: hostile)
    }

    @Test(arguments: [files, stat, buckets].indices)
    func `nonsense is 502 whatever was asked, and so is a good answer that is cut off anywhere`(_ index: Int) throws {
        let question = [Self.files, Self.stat, Self.buckets][index]
        for body in Self.nonsense { try expectRefusal(of: Hostile(question, body)) }
        let good = Array(question.good.utf8)
        for end in good.indices { try expectRefusal(of: Hostile(question, Array(good[..<end]))) }
        for extra in ["x", "{}", "\0", ",", "]", "}"] {
            try expectRefusal(of: Hostile(question, question.good + extra))
        }
    }

    private func expectRefusal(of hostile: Hostile) throws {
        let fixture = try FetchFixture()
        let (status, body) = try answer(to: hostile.question, 200, hostile.body, in: fixture)
        #expect(status == 502 && body.contains("\"upstream_failed\""), "\(hostile): \(status) \(body.prefix(200))")
        for word in ["private", "hotel", "photos/"] { #expect(!body.contains(word), "\(hostile)") }
        try expectGood(from: hostile.question, in: fixture)
    }

    // MARK: What is proper, and more than was asked

    @Test(arguments: [
        ("{\"items\":[{\"key\":\"private/b\"},{\"key\":\"photos\"},{\"key\":\"Photos/a\"},{\"key\":\"\"}]}", 0),
        (
            "{\"items\":[{\"key\":\" photos/a\"},{\"key\":\"/photos/a\"},{\"key\":\"./photos/a\"},{\"key\":\"photosx/\"}]}",
            0
        ),
        ("{\"items\":[{\"key\":\"photos\\u0000/a\"},{\"key\":\"photos\\\\/a\"},{\"key\":\"photos%2Fa\"}]}", 0),
        ("{\"items\":[{\"key\":\"pho\\u200Btos/a\"},{\"key\":\"photos\\uFF0Fa\"},{\"key\":\"private/photos/a\"}]}", 0),
        ("{\"items\":[],\"commonPrefixes\":[\"private/\",\"photos\",\"\",\"/\",\"photo\"]}", 0),
        ("{\"items\":[],\"secret\":{\"key\":\"private/c\"},\"error\":\"private/d\"}", 0),
        // Numbers are told as they stand, and nobody here computes with them.
        ("{\"items\":[{\"key\":\"photos/a\",\"fsize\":-1,\"putTime\":-9223372036854775809}]}", 1),
        ("{\"items\":[{\"key\":\"photos/a\",\"fsize\":9223372036854775808,\"putTime\":99999999999999999999999}]}", 1),
        ("{\"items\":[{\"key\":\"photos/a\",\"fsize\":1e99,\"putTime\":-0,\"type\":1.5}]}", 1),
        // A key is bytes; what is escaped stays escaped.
        ("{\"items\":[{\"key\":\"photos/\\u0000\"},{\"key\":\"photos/\\u202e\"},{\"key\":\"photos/../private\"}]}", 3),
        ("{\"items\":[{\"key\":\"\\u0070hotos\\/x\"},{\"key\":\"private\\/x\"}],\"marker\":\"\"}", 1),
    ])
    func `nothing outside the prefix is told of a proper listing`(_ body: String, _ count: Int) throws {
        let fixture = try FetchFixture()
        let (status, told) = try answer(to: Self.files, 200, Array(body.utf8), in: fixture)
        #expect(status == 200, "\(told)")
        #expect(try items(of: told) == count, "\(told)")
        try expectGood(from: Self.files, in: fixture)
    }

    @Test func `a marker that leads back has the vendor asked once for each request`() throws {
        let fixture = try FetchFixture()
        for _ in 0..<20 {
            let (status, told) = try answer(
                to: Self.files, 200, Array(#"{"items":[],"marker":"m"}"#.utf8), in: fixture)
            #expect(status == 200 && told.contains(#""marker":"m""#))
            // Whether it goes on is for the caller to say.
            #expect(fixture.upstreamClient.sent.isEmpty && !fixture.isWaiting)
        }
    }

    @Test(arguments: [
        201, 202, 204, 206, 299, 300, 301, 302, 304, 307, 400, 401, 402, 403, 405, 407, 413, 418, 451, 499, 573, 579,
        614,
    ])
    func `another status is a refusal, whatever good answer comes with it`(_ status: Int) throws {
        for question in [Self.stat, Self.buckets] {
            let fixture = try FetchFixture()
            let (told, body) = try answer(to: question, status, Array(question.good.utf8), in: fixture)
            #expect(told == 502 && body.contains("\"upstream_failed\""), "\(told) \(body)")
            try expectGood(from: question, in: fixture)
        }
    }

    @Test(arguments: [573, 579])
    func `a bucket that is asked too often, or a callback that fails, keeps nobody else from being answered`(
        _ status: Int
    ) throws {
        let fixture = try FetchFixture()
        for _ in 0..<2 * fixture.line.limits.breakerThreshold {
            let (told, body) = try answer(to: Self.files, status, [], in: fixture)
            #expect(told == 502 && body.contains("\"upstream_failed\""), "\(told) \(body)")
        }
        #expect(!fixture.line.isFailing)
        try expectGood(from: Self.files, in: fixture)
    }

    @Test func `every other status from 500 to 599 is a failure of the vendor's`() throws {
        let question = try Self.question(Self.files)
        for status in 500...599 where status != 573 && status != 579 {
            do throws(VendorFault) {
                _ = try question.read(UpstreamAnswer(status: status, body: []))
                Issue.record("\(status) is an answer")
            } catch {
                #expect(UpstreamFault(error) == .unavailable, "\(status)")
            }
        }
    }

    @Test func `nothing comes of answers with a few bytes changed but a refusal or what is inside the prefix`()
        throws
    {
        var random = SplitMix64(seed: 29)
        let good = Array(
            #"{"items":[{"key":"photos/a.jpg","fsize":15},{"key":"private/b"},{"key":"photos/c"}],"commonPrefixes":["private/x/","photos/b/"],"marker":"n"}"#
                .utf8)
        let bytes = Array("{}[]\",:\\/0u-e. photsriva\0\u{7F}".utf8) + [0x80, 0xC0, 0xFF]
        var told = (good: 0, refused: 0)
        for _ in 0..<Rounds.share(of: 4000) {
            var body = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let question = Int.random(in: body.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: body[question] = bytes.randomElement(using: &random) ?? 0
                case 1: body.remove(at: question)
                case 2: body.insert(bytes.randomElement(using: &random) ?? 0, at: question)
                default:
                    let end = Int.random(in: question..<min(question + 20, body.count), using: &random)
                    body.insert(contentsOf: body[question...end], at: Int.random(in: body.indices, using: &random))
                }
            }
            let fixture = try FetchFixture()
            let (status, text) = try answer(to: Self.files, 200, body, in: fixture)
            switch status {
            case 200:
                told.good += 1
                _ = try items(of: text)
            case 502: told.refused += 1
            default: Issue.record("\(status) \(String(decoding: body, as: UTF8.self))")
            }
        }
        #expect(told.good > Rounds.share(of: 400) && told.refused > Rounds.share(of: 1000), "\(told)")
    }

    // MARK: Asking

    /// Asks, and answers in the vendor's question.
    private func answer(
        to question: Question, _ status: Int, _ body: [UInt8], in fixture: FetchFixture
    ) throws -> (status: Int, body: String) {
        try fixture.park(asking: try Self.question(question))
        let sent = fixture.upstreamClient.take()
        #expect(sent.count == 1)
        sent.first?.answer(status, bytes: body)
        let answered = try #require(fixture.answered().first)
        return (answered.status, answered.body)
    }

    private func expectGood(from question: Question, in fixture: FetchFixture) throws {
        let (status, body) = try answer(to: question, 200, Array(question.good.utf8), in: fixture)
        #expect(status == 200 && body == question.good + "\n", "\(status) \(body)")
    }

    /// How many items a listing has as a client reads it; all of them are inside the prefix, and so is what else it names.
    private func items(of text: String) throws -> Int {
        let listing = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(listing.keys).isSubset(of: ["items", "commonPrefixes", "marker"]), "\(text)")
        let items = try #require(listing["items"] as? [[String: Any]])
        let names = items.map { $0["key"] as? String ?? "" } + (listing["commonPrefixes"] as? [String] ?? [])
        for name in names { #expect(name.utf8.starts(with: "photos/".utf8), "\(text)") }
        return items.count
    }

    private static let configuration = Result {
        try SampleConfiguration.load(
            """
            { version: 1,
              credentials: { q: { provider: "qiniu", accessKey: "AK", secretKey: { env: "SK" } } },
              grants: {
                f: { route: "qiniu.files", credential: "q", callers: "anonymous", public: true, bucket: "media",
                  keyPrefix: "photos/" },
                s: { route: "qiniu.stat", credential: "q", callers: "anonymous", public: true, bucket: "media",
                  keyPrefix: "photos/" },
                b: { route: "qiniu.buckets", credential: "q", callers: "anonymous", public: true, unscoped: true } } }
            """)
    }

    private static func question(_ question: Question) throws -> any VendorQuestion {
        let configuration = try configuration.get()
        let inquiry = try InquiryFixture.inquiry("anonymous", question.route, question.parameters)
        let caller = try configuration.caller(inquiry.caller, claiming: [], at: inquiry.time)
        let nonce = Nonce(InlineArray(repeating: 1))
        let ask = try inquiry.read(maximumDepth: 8, by: nonce, at: inquiry.instant)
        var workspace = PolicyWorkspace()
        switch configuration.policy.decide(ask, on: inquiry.route, by: caller, at: inquiry.instant, in: &workspace) {
        case .denied(let denial): throw Refusal(denial)
        case .permitted(let permit):
            guard case .asking(let issuer) = configuration.issuers[permit.grant.index] else {
                throw Refusal.internalError
            }
            let key = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("secret".utf8)))
            var scratch = ByteWriter()
            return try issuer.question(ask, under: permit, with: key, using: &scratch)
        }
    }
}
