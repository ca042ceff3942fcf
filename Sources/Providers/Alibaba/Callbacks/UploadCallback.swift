import Bytes
import Crypto

/// How OSS signs a callback: its Authorization field is the base64 of the vendor's RSA signature, by MD5, over path, query and
/// body (OSS API reference, "Callback").
enum UploadCallback {
    /// The longest Authorization field that is read: the base64 of a signature by the largest key.
    private static let longestField = Base64.length(of: RSAPublicKey.mostBits / 8)

    /// The signature's bytes; nil when the field has none.
    /// - Parameter field: the Authorization field's value.
    static func signature(in field: Span<UInt8>) -> [UInt8]? {
        guard !field.isEmpty, field.count <= longestField else { return nil }
        return Base64.standard.decode(field)
    }

    /// What is to be verified by the vendor's key, which is from where `CallbackKeyURL` says.
    /// - Parameters:
    ///   - signature: the bytes of the Authorization field.
    ///   - target: path and query as they are on the request line.
    ///   - scratch: room to work in.
    /// - Returns: nil when the path could be read in two ways (`isPath`).
    static func claim(
        _ signature: [UInt8], over target: Span<UInt8>, body: Span<UInt8>, using scratch: inout ByteWriter
    ) throws(CryptoError) -> RSASignature? {
        scratch.reset()
        let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        guard decode(target.extracting(0..<end), into: &scratch) else { return nil }
        scratch.append(target.extracting(end..<target.count))
        scratch.append(UInt8(ascii: "\n"))
        scratch.append(body)
        return try RSASignature(signature, over: scratch.bytes, .md5)
    }

    /// Whether what is signed of a path tells which path it is.
    static func isPath(_ path: Span<UInt8>) -> Bool {
        var decoded = ByteWriter()
        return decode(path, into: &decoded)
    }

    /// Writes the path as it is signed: decoded.
    /// - Returns: false for one that does not end where it seems to, or that the vendor's own samples decode in two ways.
    private static func decode(_ path: Span<UInt8>, into out: inout ByteWriter) -> Bool {
        guard path.firstIndex(of: UInt8(ascii: "+")) == nil, Percent.decode(path, plusIsSpace: false, into: &out) else {
            return false
        }
        for index in 0..<out.count where out.bytes[index] < 0x20 || out.bytes[index] == UInt8(ascii: "?") {
            return false
        }
        return true
    }
}
