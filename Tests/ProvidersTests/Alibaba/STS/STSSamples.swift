import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// What the tests of STS have in common.
enum STSSample {
    static let roleARN = bytes("acs:ram::1234567890123456:role/AppUploader")
    static let authority = bytes("sts.cn-hangzhou.aliyuncs.com")
    static let accessKeyID = bytes("LTAI5tUnitTestKey0001")
    static let secretText = "uS3cr3tUnitTest/Key+0001=AAAA"
    static let token = "CAIS+wF1q6Ft5B2yfSjIr5fADsiCiplX2LOYVk/Hlm5g=/+="
    static let nonce = InlineArray<16, UInt8> { UInt8($0) }
    static let nonceText = "000102030405060708090a0b0c0d0e0f"
    /// 2025-09-05T10:01:38Z.
    static let now: Int64 = 1_757_066_498

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func key(_ scheme: STSScheme, token: String? = nil) throws -> STSKey {
        try STSKey(
            scheme, accessKeyID: accessKeyID, secret: Secret(bytes(secretText)), securityToken: token.map { bytes($0) })
    }

    static func request(
        roleARN: [UInt8] = roleARN, session: String = "chain", duration: Int64 = 3600, policy: String? = nil,
        externalID: String? = nil, sourceIdentity: String? = nil
    ) throws(AssumeRole.Fault) -> AssumeRole {
        try AssumeRole(
            roleARN: roleARN, sessionName: bytes(session), durationSeconds: duration, policy: policy.map { bytes($0) },
            externalID: externalID.map { bytes($0) }, sourceIdentity: sourceIdentity.map { bytes($0) })
    }

    static func account(
        role: String = "acs:ram::1:role/app", secret: String = secretText, accessKeyID: String = "LTAI1",
        securityToken: String? = nil, _ change: (inout Settings<STSAccount.Fields>) -> Void = { _ in }
    ) throws -> STSAccount {
        var fields = Settings(of: STSAccount.fields)
        fields.roleArn = bytes(role)
        change(&fields)
        let key = KeyPair(
            accessKey: bytes(accessKeyID), secret: Secret(bytes(secret)), securityToken: securityToken.map { bytes($0) }
        )
        return try STSAccount(fields, key: key)
    }

    /// What a call is on the wire.
    static func wire(_ call: UpstreamCall) throws -> Wire {
        var out = ByteWriter()
        try call.write(into: &out)
        return try Wire(out.array)
    }

    static func policy(
        _ actions: [String], bucket: String = "examplebucket", prefix: String?, listPrefix: Bool = false
    ) throws -> String {
        let actions = try SessionActions(actions.map { bytes($0) }, of: .oss, isUnscoped: prefix == nil)
        var out = ByteWriter()
        out.append("before")
        if let prefix {
            let text = bytes(prefix)
            try SessionPolicy.oss.write(
                actions, on: bytes(bucket).span, prefix: text.span, listPrefix: listPrefix, into: &out)
        } else {
            try SessionPolicy.oss.write(
                actions, on: bytes(bucket).span, prefix: nil, listPrefix: listPrefix, into: &out)
        }
        return String(out.array.text.dropFirst("before".count))
    }
}

/// An HTTP request read the plain way, as any server would.
struct Wire {
    let line: String
    let headers: [(name: String, value: String)]
    let body: String

    init(_ bytes: [UInt8]) throws {
        let text = try #require(String(bytes: bytes, encoding: .utf8))
        let parts = text.components(separatedBy: "\r\n\r\n")
        try #require(parts.count == 2)
        var lines = parts[0].components(separatedBy: "\r\n")
        line = lines.removeFirst()
        headers = try lines.map { line in
            let colon = try #require(line.firstIndex(of: ":"))
            return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
        body = parts[1]
    }

    subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// Decoded, in order.
    var query: [(String, String)] {
        let target = line.split(separator: " ")[1]
        return target.firstIndex(of: "?").map { Wire.pairs(String(target[target.index(after: $0)...])) } ?? []
    }

    var form: [(String, String)] { Wire.pairs(body) }

    private static func pairs(_ text: String) -> [(String, String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].removingPercentEncoding ?? "?", parts[1].removingPercentEncoding ?? "?")
        }
    }
}

/// Everything that Swift would print of a value.
func everything(of value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value) \(String(reflecting: value)) \(dumped)"
}
