import Bytes
import Crypto
import Foundation
import Machine
import Providers
import TestTraits
import Testing

@testable import Access
@testable import Configuration
@testable import Gateway
@testable import TestSamples

/// What is signed is read as its vendor reads it, by code that shares nothing with the service, and every rule of a key is asked of
/// that.
@Suite("R13: every rule of a key is asked of the bytes that are signed", .timeLimit(.minutes(20)))
struct KeyRuleTests {
    /// A route, a grant of it without key or prefix, and how its keys are asked for and read.
    struct RouteSample: Sendable, CustomTestStringConvertible {
        let route, credential, fields: String
        /// The name of the parameter that has the key.
        var parameter = "key"
        var beside: [(String, String)] = []
        /// Of the vendor's keys, in bytes.
        var longest = 1023
        /// Whether a grant can choose the whole key.
        var hasKey = true
        var isCDN = false
        var isV1 = false
        /// Reads the key that is signed.
        let read: @Sendable (_ answer: [String: Any]) throws -> [UInt8]

        var testDescription: String { route + (isV1 ? " of version 1" : "") }
    }

    static let samples: [RouteSample] = [
        RouteSample(
            route: "qiniu.uptoken", credential: "kodo", fields: "bucket: 'media'", longest: 750,
            read: { try scope(base64($0["uptoken"], part: 2, urlSafe: true)["scope"]) }),
        RouteSample(
            route: "qiniu.download-url", credential: "kodo", fields: "domain: 'd.example.com'", longest: 750,
            read: { try path(ofURL: $0["url"]) }),
        RouteSample(
            route: "qiniu.cdn-url", credential: "kodo", fields: "domain: 'd.example.com'", longest: 750, isCDN: true,
            read: { try path(ofURL: $0["url"]) }),
        RouteSample(
            route: "qiniu.authorization", credential: "kodo", fields: "bucket: 'media'",
            beside: [("operation", "stat")],
            longest: 750, hasKey: false,
            read: {
                let names = text(try path(ofURL: $0["url"])).split(separator: "/")
                return try scope(text(decoded(String(names.last ?? ""), urlSafe: true)))
            }),
        RouteSample(
            route: "nos.token", credential: "nos", fields: "bucket: 'files'", parameter: "object", longest: 1000,
            read: { Array((try base64($0["token"], part: 2)["Object"] as? String ?? "").utf8) }),
        RouteSample(
            route: "nos.authorization", credential: "nos", fields: "bucket: 'files', methods: ['GET']",
            parameter: "object", longest: 1000, read: { try path(ofURL: $0["url"]) }),
        RouteSample(
            route: "nos.presigned-url", credential: "nos", fields: "bucket: 'files', methods: ['GET']",
            parameter: "object", longest: 1000, read: { try path(ofURL: $0["url"]) }),
        RouteSample(
            route: "oss.authorization", credential: "oss", fields: "bucket: 'files', methods: ['GET']",
            read: { try path(ofURL: $0["url"]) }),
        RouteSample(
            route: "oss.authorization", credential: "oss", fields: "bucket: 'files', methods: ['GET']",
            beside: [("version", "v1")], isV1: true, read: { try path(ofURL: $0["url"]) }),
        RouteSample(
            route: "oss.presigned-url", credential: "oss", fields: "bucket: 'files', methods: ['GET']",
            read: { try path(ofURL: $0["url"]) }),
        RouteSample(
            route: "oss.presigned-url", credential: "oss", fields: "bucket: 'files', methods: ['GET']",
            beside: [("version", "v1")], isV1: true, read: { try path(ofURL: $0["url"]) }),
        RouteSample(
            route: "oss.post-policy", credential: "oss", fields: "bucket: 'files', maxSize: 9",
            read: { answer in
                let fields = try #require(answer["fields"] as? [String: String])
                let conditions = try base64(fields["policy"])["conditions"] as? [Any] ?? []
                let condition = try #require(conditions.lazy.compactMap { $0 as? [String] }.first { $0[1] == "$key" })
                #expect(condition[0] == "eq" && fields["key"].map { Array($0.utf8) } == Array(condition[2].utf8))
                return Array(condition[2].utf8)
            }),
        RouteSample(
            route: "oss.sign", credential: "oss", fields: "bucket: 'files', methods: ['GET']", hasKey: false,
            isV1: true,
            read: { Array(($0["key"] as? String ?? "").utf8) }),
    ]

    /// Whole keys of grants, some of which no configuration may have.
    private static let keys = [
        "v/clip-${ext}", "v/clip.${ext}", "${ext}", "a/${caller.id}/${ext}", "a/${caller.id}", "a/${claims.n}",
        "a/.${claims.n}", "a?${claims.n}", "a?${ext}", "a?x-oss-${claims.n}", "a/x=${claims.n}/${ext}", "a/${uuid}",
        "a/${sha256:claims.n}", "a/${date.yyyy}", "a/${claims.n}.txt", "${claims.n}/${caller.id}/f.txt",
        String(repeating: "k", count: 740) + "/${claims.n}", String(repeating: "k", count: 990) + "/${claims.n}.z",
    ]
    private static let prefixes = ["u/${caller.id}/", "u/${claims.n}/", "u/${sha256:claims.n}/"]

    private static let claims = [
        "acl", "a", "7", "x.mp4", "mp4", "uploads", ".", "..", ".hidden", "a/b", "a b", "x=1", "f00d",
        String(repeating: "n", count: 128),
    ]
    /// What is asked for where the grant chooses the key, of which only the extension counts.
    private static let names = [
        "x.mp4", "x.png", "clip-mp4.jpg", "x.acl", "x.uploads", ".mp4", "x.a1", "x", "mp4.z", "x.m3u8",
    ]
    /// What is asked for below a prefix.
    private static let tails = [
        "a.jpg", "clip.mp4", "clip-mp4", "b1", "f00d", "x?acl", "x?uploads=1", "x?y z", "x??", "x$(key)", "x${f}",
        "..", "a/../b", "./a", "a//b", "%2e%2e/x", " a ", "é中", "e\u{301}", "a\u{7F}", "a\nb", "a\u{0}", "a&b=c#d",
        String(repeating: "t", count: 745), String(repeating: "t", count: 1019) + "z",
    ]

    @Test(arguments: samples)
    func `what is signed keeps every rule, whoever has chosen the key`(_ sample: RouteSample) throws {
        let hex = Digests(of: Self.claims)
        var (issued, grants) = (0, 0)
        for template in (sample.hasKey ? Self.keys : []) + Self.prefixes {
            let isPrefix = template.hasSuffix("/")
            let target = "\(isPrefix ? "keyPrefix" : "key"): '\(template)'"
            guard let configuration = try? Self.configuration(sample, target) else { continue }
            grants += 1
            for (place, claim) in (template.contains("claims") ? Self.claims : ["a"]).enumerated() {
                let folder = template.replacing("${caller.id}", with: "anne").replacing("${claims.n}", with: claim)
                    .replacing("${sha256:claims.n}", with: hex[claim])
                let asked = isPrefix ? Self.tails.map { folder + $0 } : Self.names
                for (number, name) in (asked + (isPrefix ? [folder] : [])).enumerated()
                where Rounds.takes(place + number) {
                    // Where no sample asks for a key, only the grant's own is admitted.
                    let ending = String(name.split(separator: ".").last ?? "")
                    let parameters =
                        isPrefix ? [(sample.parameter, name)] : template.contains("ext") ? [("ext", ending)] : []
                    guard let key = try Self.sign(sample, parameters, claim, configuration) else { continue }
                    issued += 1
                    Self.check(key, of: sample, "\(template) \(claim.prefix(20)) \(name.prefix(40))")
                    if isPrefix { #expect(key == Array(name.utf8)) }
                }
            }
        }
        // It would be easy to keep all rules by signing nothing.
        #expect(issued >= Rounds.share(of: 100) && grants >= Self.prefixes.count, "\(issued) of \(grants) grants")
    }

    @Test func `the CDN's rule is asked of the key that a template makes`() throws {
        let sample = try #require(Self.samples.first { $0.isCDN })
        let configuration = try Self.configuration(sample, "key: 'v/clip-${ext}'")
        #expect(try Self.sign(sample, [("ext", "mp4")], "a", configuration) == nil)
        #expect(try Self.sign(sample, [("ext", "png")], "a", configuration) == Array("v/clip-png".utf8))
        let dotted = try Self.configuration(sample, "key: 'v/clip.${ext}'")
        #expect(try Self.sign(sample, [("ext", "mp4")], "a", dotted) == Array("v/clip.mp4".utf8))
        #expect(try Self.sign(sample, [("ext", "a1")], "a", dotted) == nil)
    }

    // MARK: The rules, once more

    /// Extensions that end in a hex digit and are signed for the CDN all the same, as the documentation lists them.
    private static let known: Set = [
        "aac", "deb", "doc", "exe", "flac", "gif", "heic", "heif", "ipa", "m3u8", "m4a", "md", "mp3", "mp4", "mpd",
        "obb",
        "otf", "pdf", "tif", "ttf",
    ]

    private static func check(_ key: [UInt8], of sample: RouteSample, _ told: String) {
        let text = String(decoding: key, as: UTF8.self)
        #expect(Array(text.utf8) == key && !key.isEmpty && key.count <= sample.longest, "\(told)")
        #expect(key.first != UInt8(ascii: "/") && key.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(told)")
        #expect(!text.contains("$(") && !text.contains("${"), "\(told)")
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        #expect(!segments.contains(".") && !segments.contains(".."), "\(told)")
        if sample.isCDN {
            // A shorter path with a longer deadline has the same signature.
            let ending = text.split(separator: ".", omittingEmptySubsequences: false).last.map(String.init) ?? ""
            let isCut = text.utf8.last.map { "0123456789abcdef".utf8.contains($0) } ?? true
            #expect(!isCut || text.contains(".") && known.contains(ending), "\(told)")
        }
        if sample.isV1 {
            // The same text is signed for a sub-resource of a shorter key.
            #expect(text.firstMatch(of: #/\?(x-oss-|[A-Za-z0-9_\-]+([=&?]|$))/#) == nil, "\(told)")
        }
    }

    // MARK: Asking and reading

    private static func configuration(_ sample: RouteSample, _ target: String) throws -> Configuration {
        let text = """
            { version: 1,
              credentials: {
                kodo: { provider: "qiniu", accessKey: "AK", secretKey: { env: "SK" }, cdnKey: { env: "CDN" } },
                nos: { provider: "nos", accessKey: "AK", secretKey: { env: "SK" }, endpoint: "nos.example.com" },
                oss: { provider: "oss", accessKey: "AK", secretKey: { env: "SK" }, region: "cn-hangzhou" },
              },
              authentication: {
                jwt: [{ id: "login", issuer: "i", audience: "a", algorithms: "HS256", secret: { env: "LONG" } }] },
              grants: { g: { route: "\(sample.route)", credential: "\(sample.credential)", callers: "jwt:login",
                \(sample.fields), \(target) } } }
            """
        return try Configuration.load(
            "/etc/keys.json5",
            in: Environment(
                variable: { _ in "a-secret-of-the-tests-that-is-long-enough" },
                file: { _ in ReadFile(bytes: Array(text.utf8), isWorldReadable: false) }))
    }

    /// - Returns: the key that is signed; nil where nothing is.
    private static func sign(
        _ sample: RouteSample, _ parameters: [(String, String)], _ claim: String, _ configuration: Configuration
    ) throws -> [UInt8]? {
        var parameters = parameters + sample.beside
        if sample.route == "oss.sign" {
            let line = "GET\n\n\n\(HTTPDate.write(1_795_158_947).text)\n/files/\(parameters[0].1)"
            parameters = [("contentToSign", line)]
        }
        let quoted = try #require(String(data: try JSONEncoder().encode(claim), encoding: .utf8))
        let inquiry = try InquiryFixture.inquiry(
            "jwt:login/anne", sample.route, parameters, claims: "{\"n\":\(quoted)}")
        let caller = try configuration.caller(inquiry.caller, claiming: inquiry.claims, at: inquiry.time)
        let nonce = Nonce(InlineArray(repeating: 0xAB))
        let ask: Ask
        do throws(Refusal) { ask = try inquiry.read(maximumDepth: 32, by: nonce, at: inquiry.instant) } catch {
            return nil
        }
        var workspace = PolicyWorkspace()
        switch configuration.policy.decide(ask, on: inquiry.route, by: caller, at: inquiry.instant, in: &workspace) {
        case .denied: return nil
        case .permitted(let permit):
            let issuer = try #require(configuration.issuers[permit.grant.index].signer)
            let key = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("secret".utf8)))
            var out = ByteWriter()
            var scratch = ByteWriter()
            out.append("{")
            // What is permitted can be signed, else the caller is told that the service failed.
            try issuer.issue(ask, under: permit, with: key, at: inquiry.instant, into: &out, using: &scratch)
            out.append("}")
            let answer = try JSONSerialization.jsonObject(with: Data(out.array)) as? [String: Any]
            let signed = try sample.read(try #require(answer))
            #expect(signed == permit.key.array)
            return signed
        }
    }

    private static func path(ofURL url: Any?) throws -> [UInt8] {
        let text = try #require(url as? String)
        let rest = try #require(text.split(separator: "://", maxSplits: 1).last)
        let slash = try #require(rest.firstIndex(of: "/"))
        let path = rest[rest.index(after: slash)...].prefix { $0 != "?" }
        return try unescaped(Array(path.utf8))
    }

    private static func unescaped(_ text: [UInt8]) throws -> [UInt8] {
        var (bytes, index): ([UInt8], Int) = ([], 0)
        while index < text.count {
            if text[index] == UInt8(ascii: "%") {
                let digits = String(decoding: text[(index + 1)..<min(index + 3, text.count)], as: UTF8.self)
                bytes.append(try #require(UInt8(digits, radix: 16)))
                index += 3
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return bytes
    }

    /// `bucket:key`
    private static func scope(_ value: Any?) throws -> [UInt8] {
        let text = try #require(value as? String)
        return Array(text.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst())
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func decoded(_ text: String, urlSafe: Bool = false) throws -> [UInt8] {
        let standard = urlSafe ? text.replacing("-", with: "+").replacing("_", with: "/") : text
        return Array(try #require(Data(base64Encoded: standard)))
    }

    /// The JSON object of a part of a token.
    private static func base64(_ value: Any?, part: Int = 0, urlSafe: Bool = false) throws -> [String: Any] {
        let parts = try #require(value as? String).split(separator: ":")
        let bytes = try decoded(String(parts[min(part, parts.count - 1)]), urlSafe: urlSafe)
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    /// The SHA-256 of texts, in hex.
    private struct Digests {
        private let texts: [String: String]

        init(of texts: [String]) {
            self.texts = Dictionary(
                uniqueKeysWithValues: texts.map { text in
                    let digest = try? Digest(.sha256, of: Array(text.utf8).span)
                    return (text, digest.map { Hex.encode($0.bytes.array).text } ?? "")
                })
        }

        subscript(text: String) -> String { texts[text] ?? "" }
    }
}
