import Foundation
import TestTraits
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// R13, R15: strings that an attacker puts together are tried by the thousand, and whatever is signed of them is read in all the ways
/// in which the vendor could read it (`VendorReading`).
@Suite("What is signed of strings to sign, however the vendor reads it", .timeLimit(.minutes(20)))
struct VendorReadingTests {
    private static let now: Int64 = 1_800_000_000

    // MARK: The grant

    /// What the grant gives, for every reading.
    private static let methods = ["GET", "PUT", "POST"]
    private static let names = ["uploads", "uploadId", "partNumber", "response-content-type"]

    private let policy: Policy
    private let caller: Caller

    init() throws {
        var grant = Settings(of: RemoteSignature.Fields())
        grant.methods = Self.methods.map { Array($0.utf8) }
        grant.subresources = Self.names.map { Array($0.utf8) }
        grant.headers = .texts("x-oss-meta-*")
        grant.presign = 300_000
        var credential = Settings(of: OSS.credential)
        credential.region = Array("cn-hangzhou".utf8)
        let target = Grant.Target.prefix(try KeyTemplate(Array("demo/".utf8)))
        let bucket = Array("demo-bucket".utf8)
        let issuer = try RemoteSignature(
            grant,
            GrantContext(
                target: target, bucket: bucket, accessKey: Array("LTAI".utf8), credential: credential.values))
        let authenticator = Authenticator(.init(apiKeys: [], denied: []))
        caller = authenticator.anonymous
        policy = Policy(
            [
                Grant(
                    Grant.Entry(Array("objects".utf8), at: 0), for: Grant.Principals([.anonymous]),
                    of: Grant.Resources(
                        target, in: .named(bucket), withoutKey: RemoteSignature.route.request.withoutKey),
                    lasting: Grant.Lifetimes(usual: 3600, longest: 3600),
                    Grant.Issuance(by: issuer, on: 0, with: 0))
            ], for: authenticator, routes: 1)
    }

    /// A string to sign of version 1, or one of version 4 with its canonical request.
    struct Submission: Hashable {
        var string: [UInt8]
        var canonical: [UInt8]?

        /// The text that says what is signed.
        var text: [UInt8] { canonical ?? string }

        var readings: Set<VendorReading> {
            guard let canonical else { return VendorReading.all(ofV1: string) }
            return VendorReading.all(ofV4: canonical, signedBy: string)
        }
    }

    /// What is signed: bucket, key and end as the service has them; nil where nothing is.
    private func signed(_ submission: Submission) -> (bucket: [UInt8], key: [UInt8], end: Int64)? {
        var ask = Ask(Nonce(InlineArray(repeating: 1)))
        let instant = Instant(unixSeconds: Self.now, nanoseconds: 0)
        do {
            var parameters = [("contentToSign", submission.string)]
            if let canonical = submission.canonical {
                parameters += [("canonicalRequest", canonical), ("version", Array("v4".utf8))]
            }
            for (name, value) in parameters {
                try ask.parameters.add(name: Array(name.utf8).span, value: value.span, form: .text)
            }
            try ask.read(by: RemoteSignature.route.request.parameters)
            try RemoteSignature.route.request.read(&ask, instant)
        } catch { return nil }
        var workspace = PolicyWorkspace()
        switch policy.decide(ask, on: 0, by: caller, at: instant, in: &workspace) {
        case .denied: return nil
        case .permitted(let permit): return (permit.bucket.array, permit.key.array, permit.expiresAt)
        }
    }

    // MARK: Readings

    /// Why a reading is outside the grant; nil when it is inside.
    private static func fault(_ reading: VendorReading, isURL: Bool) -> String? {
        guard methods.contains(String(decoding: reading.method, as: UTF8.self)) else { return "method" }
        guard reading.bucket == Array("demo-bucket".utf8) else { return "bucket" }
        guard reading.key.starts(with: "demo/".utf8) else { return "key" }
        guard reading.operation.allSatisfy({ names.contains(String(decoding: $0, as: UTF8.self)) }) else {
            return "operation"
        }
        guard let end = reading.end, end > now, end <= now + (isURL ? 300 : 960) else { return "end" }
        return nil
    }

    /// What is wrong with a text that is signed.
    private func fault(
        in submission: Submission, signedAs signed: (bucket: [UInt8], key: [UInt8], end: Int64)
    ) -> String? {
        let readings = submission.readings
        guard !readings.isEmpty else { return "it is no request at all" }
        let isURL =
            submission.canonical.map { canonical in
                let query = canonical.split(separator: 0x0A, omittingEmptySubsequences: false)[2]
                return String(decoding: query, as: UTF8.self).contains("x-oss-expires=")
            }
            ?? submission.string.split(separator: 0x0A, omittingEmptySubsequences: false)[3].allSatisfy {
                (0x30...0x39).contains($0)
            }
        let whole = readings.map(\.operation).max { $0.count < $1.count } ?? []
        for reading in readings {
            if let fault = Self.fault(reading, isURL: isURL) { return "\(fault): \(reading.description)" }
            guard reading.bucket == signed.bucket, reading.end == signed.end else {
                return "another bucket or end: \(reading.description)"
            }
            if reading.key == signed.key, reading.operation == whole { continue }
            // Version 1 joins its parts without escaping: a key may go on with what reads as sub-resources, and a value may have
            // an & of its own. Both are documented, and reach nothing but the key itself and keys that begin with it and a ?.
            guard submission.canonical == nil, reading.operation.isSubset(of: whole),
                reading.key == signed.key || reading.key.starts(with: signed.key + Array("?".utf8))
            else { return "another key or operation: \(reading.description)" }
        }
        return nil
    }

    @Test(arguments: [
        "PUT\n\n\n{date}\n/demo-bucket/demo/a?acl", "PUT\n\n\n{date}\nx-oss-copy-source:/b/k\n/demo-bucket/demo/a",
        "GET\n\n\n{date}\n/demo-bucket/other/a", "GET\n\n\n{date}\n/other-bucket/demo/a",
        "GET\n\n\n4102444800\n/demo-bucket/demo/a",
        "GET\n\n\n{date}\n/demo-bucket/demo/../x", "DELETE\n\n\n{date}\n/demo-bucket/demo/a",
        "GET\n\n\n{date}\n/demo-bucket/demo/a?ACL",
        "GET\n\n\n{date}\n/demo-bucket/x\n/demo-bucket/demo/a",
        "GET\n\n\n{date}\nx-oss-date:Fri, 15 Jan 2100 08:00:00 GMT\n/demo-bucket/demo/a",
        "1800000300\nplaylistName:a.m3u8\n/demo-bucket/demo",
        "eyJleHBpcmF0aW9uIjoiMjEwMC0wMS0wMVQwMDowMDowMFoiLCJjb25kaXRpb25zIjpbXX0=",
        "PUT\n\n\n{date}\nX-OSS-Object-ACL :public-read\n/demo-bucket/demo/a",
        "PUT\n\n\n{date}\n/demo-bucket/demo/a?uploads&x-oss-process=b",
        "GET\n\n\n{date}\n/demo-bucket/demo/a?uploadId=/../../x",
    ])
    func `the readings see an attack of version 1 where there is one`(_ template: String) {
        let text = template.replacing("{date}", with: HTTPDate.write(Self.now).text)
        let submission = Submission(string: Array(text.utf8))
        #expect(submission.readings.contains { Self.fault($0, isURL: false) != nil })
        #expect(signed(submission) == nil)
    }

    @Test(arguments: [
        ("/demo-bucket/demo/a\n\n", "/demo-bucket/demo/a\nacl\n"),
        ("/demo-bucket/demo/a\n\n", "/demo-bucket/demo%2F..%2Fx\n\n"),
        ("/demo-bucket/demo/a\n\n", "/demo-bucket/other/a\n\n"),
        ("/demo-bucket/demo/a\n\n", "/demo-bucket%2Fx/demo/a\n\n"),
        ("/demo-bucket/demo/a\n\n", "/demo-bucket/demo/a\nuploads;acl\n"),
        ("x-oss-date:", "x-oss-copy-source:/b/k\nx-oss-date:"),
        ("GET", "DELETE"), ("\n\nx-oss-content", "\nx-oss-date=21000101T000000Z&x-oss-expires=604800\nx-oss-content"),
        ("x-oss-date:2027", "x-oss-date:2028"), ("/demo-bucket/demo/a\n\n", "/demo-bucket/demo/a\n%61cl\n"),
    ])
    func `the readings see an attack of version 4 where there is one`(_ old: String, _ new: String) throws {
        let twin = Self.v4("GET", "demo/a", query: [], headers: [])
        let text = try #require(String(decoding: twin.text, as: UTF8.self).replacingFirst(old, with: new))
        let submission = Self.v4(canonical: Array(text.utf8))
        #expect(submission.readings.contains { Self.fault($0, isURL: false) != nil }, "\(text)")
        #expect(signed(submission) == nil)
    }

    // MARK: The corpus

    @Test func `whatever is signed of version 1 is one thing to every reader, and inside the grant`() {
        attack(twins: { Self.twinOfV1(&$0) }, again: { Submission(string: $0) }, seed: 1443, mutants: 14, signed: 1443)
    }

    @Test func `whatever is signed of version 4 is one thing to every reader, and inside the grant`() {
        attack(twins: { Self.twinOfV4(&$0) }, again: { Self.v4(canonical: $0) }, seed: 1030, mutants: 24, signed: 1030)
    }

    /// - Parameters:
    ///   - count: how many mutants each twin has.
    ///   - least: how many mutants of all rounds must be signed, since it would be easy to sign none.
    private func attack(
        twins: (inout SplitMix64) -> Submission, again: ([UInt8]) -> Submission, seed: UInt64, mutants count: Int,
        signed least: Int
    ) {
        var random = SplitMix64(seed: seed)
        var (twinCount, mutants, refused): (Int, Set<Submission>, Int) = (0, [], 0)
        var seen: Set<Submission> = []
        let (rounds, least) = (Rounds.share(of: 1500), Rounds.share(of: least))
        for _ in 0..<rounds {
            let twin = twins(&random)
            guard let signed = signed(twin) else {
                Issue.record("a twin is refused: \(String(decoding: twin.text, as: UTF8.self))")
                continue
            }
            twinCount += 1
            if let fault = fault(in: twin, signedAs: signed) { record(twin, fault) }
            for _ in 0..<count {
                var text = twin.text
                for _ in 0..<Int.random(in: 1...2, using: &random) { Self.mutate(&text, &random) }
                let mutant = again(text)
                guard text != twin.text, seen.insert(mutant).inserted else { continue }
                guard let signed = self.signed(mutant) else {
                    refused += 1
                    continue
                }
                mutants.insert(mutant)
                if let fault = fault(in: mutant, signedAs: signed) { record(mutant, fault) }
            }
        }
        #expect(
            twinCount == rounds && mutants.count >= least && refused >= 3 * least,
            "\(mutants.count) signed, \(refused) refused")
    }

    private func record(_ submission: Submission, _ fault: String) {
        Issue.record("\(fault)\nof \(String(decoding: submission.text, as: UTF8.self).debugDescription)")
    }

    // MARK: Twins

    private static let keys = [
        "demo/a", "demo/a.jpg", "demo/", "demo/a/b/c.txt", "demo//a", "demo/a/", "demo/a..b", "demo/.a", "demo/...",
        "demo/a b", "demo/100%25", "demo/a+b&c=d", "demo/%2e%2e/x", "demo/中文.jpg", "demo/a#b;c,d", "demo/~a'(b)*!",
        "demo/demo-bucket/demo/", "demo/a:b@c", "demo/\"quoted\"", "demo/a\\b", "demo/x-oss-acl:public-read",
    ]
    private static let operations: [(method: String, query: [(String, String)])] = [
        ("GET", []), ("GET", []), ("PUT", []), ("PUT", []), ("POST", [("uploads", "")]),
        ("PUT", [("partNumber", "2"), ("uploadId", "0004B9")]), ("POST", [("uploadId", "0004B9/+=")]),
        ("GET", [("uploadId", "0004B9")]), ("GET", [("response-content-type", "image/png; a=\"b\"")]),
    ]
    private static let metadata = [
        [], [], [("x-oss-meta-a", "1")], [("x-oss-meta-a", "b: c, d"), ("x-oss-meta-b", "中")], [("x-oss-meta-z", "")],
    ]

    private static func pick<Element>(_ list: [Element], _ random: inout SplitMix64) -> Element {
        list[Int.random(in: list.indices, using: &random)]
    }

    private static func operation(_ random: inout SplitMix64) -> (method: String, query: [(String, String)]) {
        pick(operations, &random)
    }

    private static func twinOfV1(_ random: inout SplitMix64) -> Submission {
        let (method, query) = operation(&random)
        var headers = pick(metadata, &random)
        var date = HTTPDate.write(now + Int64.random(in: -800...59, using: &random)).text
        switch Int.random(in: 0..<4, using: &random) {
        case 0: date = "\(now + Int64.random(in: 1...300, using: &random))"
        case 1: headers.append(("x-oss-date", date))
        default: break
        }
        let lines = headers.sorted { $0.0 < $1.0 }.map { "\($0.0):\($0.1)\n" }.joined()
        let names = query.map { $0.1.isEmpty ? $0.0 : "\($0.0)=\($0.1)" }.joined(separator: "&")
        let head = [
            method, pick(["", "", "eB5eJF1ptWaXm4bijSPyxw=="], &random),
            pick(["", "image/jpeg", "text/plain; charset=utf-8"], &random),
            date,
        ]
        let text =
            head.joined(separator: "\n") + "\n\(lines)/demo-bucket/\(pick(keys, &random))"
            + (names.isEmpty ? "" : "?\(names)")
        return Submission(string: Array(text.utf8))
    }

    private static func twinOfV4(_ random: inout SplitMix64) -> Submission {
        let (method, query) = operation(&random)
        var headers = pick(metadata, &random)
        if Bool.random(using: &random) { headers.append(("content-type", "image/jpeg")) }
        let additional = pick([[], [], [("host", "demo-bucket.x")], [("range", "bytes=0-1")]], &random)
        let life = Int.random(in: 0..<3, using: &random) == 0 ? Int64.random(in: 1...300, using: &random) : nil
        return v4(method, pick(keys, &random), query: query, headers: headers, additional: additional, life: life)
    }

    private static let date = "20270115T080000Z"

    private static func v4(
        _ method: String, _ key: String, query: [(String, String)], headers: [(String, String)],
        additional: [(String, String)] = [], life: Int64? = nil
    ) -> Submission {
        var (query, headers) = (query, headers + additional)
        let names = additional.map(\.0).sorted().joined(separator: ";")
        if let life {
            query += [
                ("x-oss-signature-version", "OSS4-HMAC-SHA256"), ("x-oss-date", date), ("x-oss-expires", "\(life)"),
                ("x-oss-credential", "LTAI/20270115/cn-hangzhou/oss/aliyun_v4_request"),
            ]
            if !names.isEmpty { query.append(("x-oss-additional-headers", names)) }
        } else {
            headers += [("x-oss-date", date), ("x-oss-content-sha256", "UNSIGNED-PAYLOAD")]
        }
        func encoded(_ text: String, _ marks: String = "") -> String {
            PercentText.encode(Array(text.utf8), keeping: "-_.~" + marks)
        }
        let pairs = query.map { (encoded($0.0), encoded($0.1)) }.sorted {
            $0.0.utf8.lexicographicallyPrecedes($1.0.utf8)
        }
        .map { $0.1.isEmpty ? $0.0 : "\($0.0)=\($0.1)" }
        let lines = headers.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }.map { "\($0.0):\($0.1)\n" }
        let parts = [
            method, "/demo-bucket/" + encoded(key, "/"), pairs.joined(separator: "&"), lines.joined(), names,
            "UNSIGNED-PAYLOAD",
        ]
        return v4(canonical: Array(parts.joined(separator: "\n").utf8))
    }

    /// The canonical request with the string to sign that is of it.
    private static func v4(canonical: [UInt8]) -> Submission {
        let hash = (try? Digest(.sha256, of: canonical.span)).map { Hex.encode($0.bytes.array).text } ?? ""
        let string = "OSS4-HMAC-SHA256\n\(date)\n20270115/cn-hangzhou/oss/aliyun_v4_request\n\(hash)"
        return Submission(string: Array(string.utf8), canonical: canonical)
    }

    // MARK: Mutations

    /// What may be put anywhere.
    private static let pieces: [String] =
        [
            "?acl", "&acl", "?uploads", "&uploadId=1", "&partNumber=1", "?", "&", "=", "%", "%2F", "%2f", "%3F", "%26",
            "%3D", "%0A",
            "%00", "%25", "%2e%2e", "%C0%AF", "/", "//", "/../", "/./", "..", ".", "\n", "\r\n", "\r", "\n\n", "\t",
            " ", "+", "#", ";", ",",
            ":", "\\", "\0", "\u{7F}", "\u{FEFF}", "\u{2028}", "é", "e\u{301}", "K", "x", "a", "7", "demo/",
            "demo-bucket/", "other-bucket",
            "x-oss-meta-q:1\n", "x-oss-copy-source:/b/k\n", "x-oss-object-acl:public-read\n", "x-oss-callback:e30=\n",
            "x-oss-security-token:t\n", "x-oss-date:20270115T080000Z\n", "x-oss-process=b", "&x-oss-expires=604800",
            "&x-oss-date=20280115T080000Z", "callback=e30%3D&", "$(key)", "${filename}", "host", "\nhost:evil",
            "UNSIGNED-PAYLOAD",
        ]

    /// What stands there, and what is put there instead.
    private static let changes: [(String, [String])] = [
        ("GET\n", ["get\n", "HEAD\n", "DELETE\n", "GET \n", "\nGET\n", "PUT\n", "POST\n", "OPTIONS\n"]),
        ("PUT\n", ["put\n", "POST\n", "GET\n", "DELETE\n", "PUT\t\n"]), ("POST\n", ["PUT\n", "GET\n", "Post\n"]),
        (
            "/demo-bucket/",
            [
                "/Demo-bucket/", "//demo-bucket/", "/demo-bucket//", "/demo-bucket", "/demo-bucket%2F",
                "/other-bucket/", "/", "/./demo-bucket/",
            ]
        ),
        (
            "demo/",
            [
                "demo", "Demo/", "demo%2F", "demo/../", "demo/./", "/demo/", "demo//", "demo/../demo/", "dem%6F/",
                "demo\\",
            ]
        ),
        ("?", ["%3F", "??", "?&", "#", "&", ";", "?a&"]), ("&", ["&&", ";", "%26", "?", "&amp;", "\n"]),
        ("=", ["==", "", "%3D", ":"]),
        (":", ["", "::", " :", ": ", "=", "\n"]), ("\n", ["\r\n", "\n\n", "", " \n", "\n ", "\u{2028}"]),
        (
            "x-oss-meta-a",
            [
                "x-oss-copy-source", "X-Oss-Meta-a", "x-oss-meta-b", "x-oss-meta-", "x-oss-object-acl", " x-oss-meta-a",
                "x-oss-meta-a-b",
            ]
        ),
        ("2027", ["2028", "2026", "02027", "2100", "20270115"]), ("GMT", ["UTC", "+0000", "gmt", "EST", "GMT+01"]),
        ("Jan", ["Feb", "jan", "JAN", "01"]),
        ("Fri", ["Thu", "fri", "Friday"]), ("18000", ["018000", "+18000", "18001", "180000", "1800"]),
        ("uploads", ["acl", "uploads=", "Uploads", "upload", "uploads=1"]),
        ("uploadId", ["uploadid", "versionId", "uploadId=1&uploadId", "%75ploadId"]),
        ("partNumber", ["position", "partNumber=1&partNumber"]),
        ("UNSIGNED-PAYLOAD", ["unsigned-payload", "UNSIGNED-PAYLOAD\n", "", "e3b0c44298fc1c14"]),
        ("x-oss-date", ["X-Oss-Date", "date", "x-oss-date "]),
        ("x-oss-expires=", ["x-oss-expires=0", "x-oss-expires=+", "x-oss-expires=9", "X-Oss-Expires="]),
        ("x-oss-credential=LTAI", ["x-oss-credential=LTAJ", "x-oss-credential="]),
        ("%2F", ["%2f", "/", "%252F"]), ("host", ["Host", "authorization", "host;range"]),
        ("a", ["b", "A", "%61", "aa"]), ("b", ["c", "bb", ""]),
    ]

    private static func mutate(_ text: inout [UInt8], _ random: inout SplitMix64) {
        guard !text.isEmpty else { return }
        let index = Int.random(in: text.indices, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: text.insert(contentsOf: pick(pieces, &random).utf8, at: index)
        case 2: text.removeSubrange(index..<min(index + Int.random(in: 1...4, using: &random), text.count))
        case 3: text.replaceSubrange(index...index, with: pick(pieces, &random).utf8)
        case 4:
            // A line twice, elsewhere, or not at all.
            var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
            let line = Int.random(in: lines.indices, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: lines.insert(lines[line], at: Int.random(in: 0...lines.count, using: &random))
            case 1: lines.swapAt(line, Int.random(in: lines.indices, using: &random))
            default: lines.remove(at: line)
            }
            text = Array(lines.joined(separator: [0x0A]))
        case 5:
            // The end of another line or word.
            let end = text.index(index, offsetBy: 12, limitedBy: text.count) ?? text.count
            text.insert(contentsOf: Array(text[index..<end]), at: Int.random(in: text.indices, using: &random))
        default:
            let (old, new) = pick(changes, &random)
            let starts = text.indices.filter { text[$0...].starts(with: old.utf8) }
            guard let start = starts.randomElement(using: &random) else { return mutate(&text, &random) }
            text.replaceSubrange(start..<start + old.utf8.count, with: pick(new, &random).utf8)
        }
    }
}

extension String {
    /// Nil where nothing is there to replace.
    fileprivate func replacingFirst(_ old: String, with new: String) -> String? {
        range(of: old).map { replacingCharacters(in: $0, with: new) }
    }
}
