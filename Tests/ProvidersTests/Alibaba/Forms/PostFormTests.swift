import Foundation
import TestTraits
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Forms, and streams into live channels.
@Suite struct PostFormTests {
    /// 2023-11-14T22:13:20Z
    private static let now: Int64 = 1_700_000_000
    private let key: SigningKey
    private let scoped: ScopedKey
    private let origin: BaseURL
    private let policy = PostPolicy(
        sizes: 1...10_485_760, contentTypes: [Array("image/png".utf8), Array("a\"b".utf8)],
        fields: [.init("success_action_status", Array("201".utf8))])

    init() throws {
        key = try SigningKey(accessKey: Array("AK".utf8), secret: Secret(Array("SK".utf8)))
        scoped = try ScopedKey(key, OSS.v4, region: Array("cn-hangzhou".utf8), product: Array("oss".utf8), at: Self.now)
        origin = try #require(BaseURL(isSecure: true, Array("oss-cn-hangzhou.aliyuncs.com".utf8)))
    }

    private func form(
        _ policy: PostPolicy, key object: String, isPrefix: Bool, at moment: Int64 = now,
        until deadline: Int64 = now + 600,
        token: String? = nil,
        isV4: Bool
    ) throws -> (fields: JSON, policy: JSON) {
        let (bucket, object, token) = (Array("examplebucket".utf8), Array(object.utf8), token.map { Array($0.utf8) })
        let scope = try PostPolicy.Scope(
            OSS.v4, bucket: bucket.span, key: object.span, isPrefix: isPrefix, until: deadline)
        var out = ByteWriter()
        var scratch = ByteWriter()
        try out.append(object: { form in
            if isV4 {
                let signer = V4Signer(scoped, at: moment, token: token)
                try PostForm.writeV4(policy, scope, by: signer, into: &form, using: &scratch)
            } else {
                let signer = OSSSigner.V1(key, token: token)
                try PostForm.writeV1(policy, scope, by: signer, into: &form, using: &scratch)
            }
        })
        return (try JSON.read(Data(out.array)), try JSON.read(Data(scratch.array)))
    }

    @Test func `a policy pins bucket, key, size, type and every other field`() throws {
        for (isPrefix, condition) in [(true, "starts-with"), (false, "eq")] {
            let (fields, found) = try form(policy, key: "用户/é/\"", isPrefix: isPrefix, isV4: false)
            let conditions: [JSON] = [
                .object(["bucket": .string("examplebucket")]),
                .array([.string(condition), .string("$key"), .string("用户/é/\"")]),
                .array([.string("content-length-range"), .integer(1), .integer(10_485_760)]),
                .array([
                    .string("in"), .string("$x-oss-content-type"), .array([.string("image/png"), .string("a\"b")]),
                ]),
                .object(["success_action_status": .string("201")]),
            ]
            #expect(found["expiration"] == .string("2023-11-14T22:23:20.000Z"))
            #expect(found["conditions"] == .array(conditions) && found.members.count == 2)
            #expect(fields["key"] == .string("用户/é/\"" + (isPrefix ? "${filename}" : "")))
        }
    }

    @Test func `the type is a condition on the field that the vendor takes it from first`() throws {
        for isV4 in [true, false] {
            let typed = policy.limited(to: Array("image/png".utf8))
            let (fields, found) = try form(typed, key: "a", isPrefix: false, isV4: isV4)
            guard case .array(let conditions)? = found["conditions"] else {
                Issue.record("no conditions")
                continue
            }
            #expect(fields["x-oss-content-type"] == .string("image/png") && fields["content-type"] == nil)
            #expect(conditions.contains(.object(["x-oss-content-type": .string("image/png")])))
            #expect(!conditions.contains { $0.members["content-type"] != nil })
            let (open, _) = try form(policy, key: "a", isPrefix: false, isV4: isV4)
            #expect(open["x-oss-content-type"] == nil)
        }
    }

    @Test func `a form of version 1 has the fields that its policy wants`() throws {
        let (fields, policy) = try form(policy, key: "a/", isPrefix: true, token: "CAIS+/=", isV4: false)
        let encoded = try #require(fields["policy"]?.string)
        #expect(try JSON.read(try #require(Data(base64Encoded: encoded))) == policy)
        #expect(fields["Signature"]?.string == (try key.sha1.signature(over: encoded, .standard)))
        #expect(fields["OSSAccessKeyId"]?.string == "AK")
        expectFields(fields, policy)
        #expect(
            Set(fields.members.keys) == [
                "key", "policy", "Signature", "OSSAccessKeyId", "success_action_status", "x-oss-security-token",
            ])
    }

    @Test func `a form of version 4 has the fields that its policy wants`() throws {
        let (fields, policy) = try form(policy, key: "a/", isPrefix: true, token: "CAIS+/=", isV4: true)
        let encoded = try #require(fields["policy"]?.string)
        #expect(try JSON.read(try #require(Data(base64Encoded: encoded))) == policy)
        var code = Array("aliyun_v4SK".utf8)
        for part in ["20231114", "cn-hangzhou", "oss", "aliyun_v4_request", encoded] {
            code = try HMACKey(.sha256, Secret(code)).sign(Array(part.utf8).span).bytes.array
        }
        #expect(fields["x-oss-signature"]?.string == Hex.encode(code).text)
        expectFields(fields, policy)
        #expect(fields["x-oss-credential"]?.string == "AK/20231114/cn-hangzhou/oss/aliyun_v4_request")
        #expect(fields["x-oss-date"]?.string == "20231114T221320Z")
        #expect(
            Set(fields.members.keys) == [
                "key", "policy", "x-oss-signature", "x-oss-signature-version", "x-oss-credential", "x-oss-date",
                "success_action_status", "x-oss-security-token",
            ])
    }

    /// Every exact condition but the bucket's is met by a field.
    private func expectFields(_ fields: JSON, _ policy: JSON) {
        guard case .array(let conditions)? = policy["conditions"] else { return }
        for condition in conditions {
            for (name, value) in condition.members where name != "bucket" {
                #expect(fields[name] == value, "\(name)")
            }
        }
    }

    @Test func `a form of version 4 lives for seven days at most`() throws {
        for deadline in [Self.now + 1, Self.now + 604_800] {
            _ = try form(policy, key: "a", isPrefix: false, until: deadline, isV4: true)
        }
        for deadline in [Int64.min, Self.now, Self.now + 604_801, .max] {
            #expect(throws: IssueError.self) {
                try form(policy, key: "a", isPrefix: false, until: deadline, isV4: true)
            }
        }
    }

    @Test func `a form of version 4 is signed on the day of its key`() throws {
        for moment in [Self.now - 86_400, Self.now + 86_400] {
            #expect(throws: IssueError.self) {
                try form(policy, key: "a", isPrefix: false, at: moment, until: moment + 1, isV4: true)
            }
        }
    }

    @Test(arguments: ["", "a${filename}", "${", "a\n", "\0", String(repeating: "a", count: 1024)])
    func `a key that the vendor would change, or none, is refused`(key: String) {
        for isV4 in [true, false] {
            #expect(throws: IssueError.self) { try form(policy, key: key, isPrefix: true, isV4: isV4) }
        }
    }

    @Test func `a form is good for its key`() throws {
        let policy = PostPolicy(sizes: 0...1, contentTypes: [], fields: [])
        var signatures: Set<String> = []
        // Foundation's reader sometimes leaves a byte order mark out.
        let keys = SampleKeys.many(60, seed: 0xF0, upTo: 1023).filter { key in
            !["${", "\u{FEFF}"].contains { mark in key.text.unicodeScalars.contains(mark.unicodeScalars) }
        }
        for key in keys {
            let (fields, found) = try form(policy, key: key.text, isPrefix: false, isV4: false)
            guard case .array(let conditions)? = found["conditions"], case .array(let parts) = conditions[1] else {
                Issue.record("no condition")
                continue
            }
            // Foundation leaves byte order marks out.
            let mark = [0xEF, 0xBB, 0xBF] as [UInt8]
            #expect(
                parts[2].bytes == key || key.text.utf8.contains(0xEF) && parts[2].bytes.count < key.count, "\(mark)")
            signatures.insert(try #require(fields["Signature"]?.string))
        }
        #expect(signatures.count == keys.count && keys.count > Rounds.share(of: 100))
    }

    // MARK: Live channels

    private func stream(_ channel: String, _ playlist: String, token: String? = nil, until deadline: Int64 = now) throws
        -> OSSSample.Signed
    {
        let (bucket, channel, playlist) = (Array("examplebucket".utf8), Array(channel.utf8), Array(playlist.utf8))
        return try OSSSample.Signed {
            try RTMPURL(bucket: bucket.span, channel: channel.span, playlist: playlist.span).write(
                on: origin, until: deadline, by: OSSSigner.V1(key, token: token.map { Array($0.utf8) }), into: &$0,
                using: &$1)
        }
    }

    @Test func `a stream's URL names channel, playlist and end`() throws {
        let signed = try stream("c-1", "a b.m3u8", token: "t+/")
        #expect(signed.stringToSign == "1700000000\nplaylistName:a b.m3u8\nsecurity-token:t+/\n/examplebucket/c-1")
        let url = SplitURL(signed.text)
        #expect(url.scheme == "rtmp" && url.authority == "examplebucket.oss-cn-hangzhou.aliyuncs.com")
        #expect(url.path == "/live/c-1" && url.parameter("playlistName") == "a%20b.m3u8")
        #expect(url.parameter("Expires") == "1700000000" && url.parameter("OSSAccessKeyId") == "AK")
        let signature = try key.sha1.signature(over: signed.stringToSign, .standard)
        #expect(url.parameter("Signature")?.removingPercentEncoding == signature)
        #expect(try stream("c-1", "").stringToSign == "1700000000\n/examplebucket/c-1")
    }

    @Test func `a channel that is no plain name is refused, and so is a playlist that is no line`() {
        for channel in ["", "a/b", "a?b", "a b", "é", "a\n", ".", "..", "a%2Fb", String(repeating: "a", count: 1024)] {
            #expect(throws: IssueError.self, "\(channel)") { try stream(channel, "p.m3u8") }
        }
        for playlist in ["a\nsecurity-token:x", "a\n/examplebucket/other", "\r"] {
            #expect(throws: IssueError.self, "\(playlist)") { try stream("c", playlist) }
        }
        for deadline in [Int64.min, -1, 0] {
            #expect(throws: IssueError.self) { try stream("c", "p.m3u8", until: deadline) }
        }
    }

    // MARK: All kinds

    @Test func `each kind of text is only its own kind`() throws {
        let sample = OSSSample(method: "GET")
        let (fields, _) = try form(policy, key: "a", isPrefix: false, isV4: true)
        let texts = [
            try sample.urlV1(origin, until: Self.now, token: nil, key).stringToSign,
            try sample.with { $0.fields = [("Date", "Tue, 14 Nov 2023 22:13:20 GMT")] }.headerV1(key).stringToSign,
            try sample.urlV4(origin, at: Self.now, for: 1, token: nil, scoped).stringToSign,
            try #require(fields["policy"]?.string), try stream("c", "p").stringToSign,
        ]
        func kinds(_ text: String) -> [Bool] {
            let lines = text.components(separatedBy: "\n")
            let isRequest = lines.count > 4 && ["GET", "PUT", "HEAD", "POST", "DELETE"].contains(lines[0])
            return [
                isRequest && Int64(lines[3]) != nil, isRequest && Int64(lines[3]) == nil,
                lines.count == 4 && lines[0] == "OSS4-HMAC-SHA256", Data(base64Encoded: text) != nil,
                lines.count > 1 && Int64(lines[0]) != nil,
            ]
        }
        for (index, text) in texts.enumerated() {
            #expect(kinds(text) == texts.indices.map { $0 == index }, "\(text)")
        }
    }
}
