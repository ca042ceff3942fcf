import Access
import Bytes
import Crypto

/// The token form that Qiniu and NOS share: `AK:sign:encoded`, signed over the base64 text of the policy.
enum SignedPolicy {
    /// Writes the token for the JSON in `policy`, which serves as room to work in and is written over.
    static func write(
        policy: inout ByteWriter, _ base64: Base64, _ accessKey: [UInt8], _ key: HMACKey, into out: inout ByteWriter
    ) throws(IssueError) {
        out.append(accessKey)
        out.append(UInt8(ascii: ":"))
        let signature = out.count
        // Room for it is kept until the text behind it can be signed.
        out.append(repeating: UInt8(ascii: "-"), count: Base64.length(of: key.codeLength))
        out.append(UInt8(ascii: ":"))
        let encoded = out.count
        base64.encode(policy.bytes, into: &out)
        let code = try key.code(of: out.bytes.extracting(encoded..<out.count))
        policy.reset()
        base64.encode(code.bytes, into: &policy)
        out.overwrite(at: signature, with: policy.bytes)
    }
}

extension HMACKey {
    /// `sign`, its failure being one of issuing.
    package func code(of message: Span<UInt8>) throws(IssueError) -> Digest {
        do throws(CryptoError) { return try sign(message) } catch { throw .crypto(error) }
    }
}
