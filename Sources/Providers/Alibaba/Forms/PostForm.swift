import Access
import Bytes
import Crypto

/// The fields of a form that uploads what a policy allows (PostObject), as members of a JSON object. The file comes behind them.
enum PostForm {
    /// Where in the text the values are that are not known beforehand.
    struct Ranges {
        /// The base64 of the policy.
        let policy: Range<Int>
        let signature: Range<Int>
    }

    /// Version 1: `Signature` is the standard base64 of the HMAC-SHA1 over the policy's base64.
    /// - Parameters:
    ///   - token: what belongs to a temporary key: visible ASCII.
    ///   - scratch: room to work in; the policy is there afterwards.
    @discardableResult
    static func writeV1(
        _ policy: PostPolicy, _ scope: borrowing PostPolicy.Scope, token: [UInt8]?, with key: SigningKey,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) -> Ranges {
        let signed = tokenField(token)
        scratch.reset()
        policy.write(scope, signed: signed, into: &scratch)
        policy.writeMembers(scope, signed: signed, into: &out)
        return try signV1(scratch.bytes, with: key, into: &out)
    }

    /// Version 4: `x-oss-signature` is the hex of the derived key's HMAC-SHA256 over the policy's base64.
    /// - Parameters:
    ///   - moment: when it is signed, in seconds since 1970; the form is good for seven days from then at most.
    ///   - token: what belongs to a temporary key: visible ASCII.
    ///   - scratch: room to work in; the policy is there afterwards.
    @discardableResult
    static func writeV4(
        _ policy: PostPolicy, _ scope: borrowing PostPolicy.Scope, at moment: Int64, token: [UInt8]?,
        with key: ScopedKey, into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) -> Ranges {
        guard key.covers(moment) else { throw .unsignable("the key must be of the day of the signature") }
        let (lifetime, isTooLong) = scope.deadline.subtractingReportingOverflow(moment)
        guard !isTooLong, PresignedURLV4.lifetimes.contains(lifetime) else {
            throw .unsignable("a form must live for 1 to 604800 seconds")
        }
        scratch.reset()
        key.writeCredential(into: &scratch)
        let credential = scratch.array
        scratch.reset()
        ISO8601.writeBasic(moment, into: &scratch)
        let signed =
            [
                NameValue(versionName, algorithm), NameValue(credentialName, credential),
                NameValue(dateName, scratch.array),
            ] + tokenField(token)
        scratch.reset()
        policy.write(scope, signed: signed, into: &scratch)
        policy.writeMembers(scope, signed: signed, into: &out)
        return try signV4(scratch.bytes, with: key, into: &out)
    }

    /// Writes the members that hold a policy of any form and its signature.
    @discardableResult
    static func signV1(
        _ policy: Span<UInt8>, with key: SigningKey, into out: inout ByteWriter
    ) throws(IssueError) -> Ranges {
        let encoded = write(policy, into: &out)
        let code = try key.sha1.code(of: out.bytes.extracting(encoded))
        out.append(",\"OSSAccessKeyId\":")
        out.append(jsonString: key.accessKey)
        out.append(",\"Signature\":\"")
        let start = out.count
        Base64.standard.encode(code.bytes, into: &out)
        defer { out.append(UInt8(ascii: "\"")) }
        return Ranges(policy: encoded, signature: start..<out.count)
    }

    /// The same for version 4.
    @discardableResult
    static func signV4(
        _ policy: Span<UInt8>, with key: ScopedKey, into out: inout ByteWriter
    ) throws(IssueError) -> Ranges {
        let encoded = write(policy, into: &out)
        let code = try key.code(of: out.bytes.extracting(encoded))
        out.append(",\"x-oss-signature\":\"")
        let start = out.count
        Hex.encode(code.bytes, into: &out)
        defer { out.append(UInt8(ascii: "\"")) }
        return Ranges(policy: encoded, signature: start..<out.count)
    }

    /// Writes the member `policy`.
    /// - Returns: where the base64 is, over which it is signed.
    private static func write(_ policy: Span<UInt8>, into out: inout ByteWriter) -> Range<Int> {
        out.append("\"policy\":\"")
        let start = out.count
        Base64.standard.encode(policy, into: &out)
        defer { out.append(UInt8(ascii: "\"")) }
        return start..<out.count
    }

    private static let versionName = StaticString("x-oss-signature-version").array
    private static let credentialName = StaticString("x-oss-credential").array
    private static let dateName = StaticString("x-oss-date").array
    private static let algorithm = ScopedKey.algorithm.array

    private static func tokenField(_ token: [UInt8]?) -> [NameValue] {
        guard let token else { return [] }
        return [NameValue("x-oss-security-token", token)]
    }
}
