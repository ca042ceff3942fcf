import Bytes

/// An object's name in the paths of Qiniu's management requests: the url-safe base64 of `bucket:key`, padding kept
/// (`data-formats` page, EncodedEntryURI).
enum EntryURI {
    /// - Parameters:
    ///   - key: the whole key; nil for the bucket itself, which is not what an empty key means.
    ///   - scratch: room to work in.
    static func write(
        bucket: Span<UInt8>, key: Span<UInt8>?, into out: inout ByteWriter, using scratch: inout ByteWriter
    ) {
        scratch.reset()
        scratch.append(bucket)
        if let key {
            scratch.append(UInt8(ascii: ":"))
            scratch.append(key)
        }
        Base64.urlSafe.encode(scratch.bytes, into: &out)
    }

    /// Bucket and key of an entry; nil when it is not one, or names no key.
    static func read(_ entry: Span<UInt8>) -> (bucket: [UInt8], key: [UInt8])? {
        guard let text = Base64.urlSafe.decode(entry), let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        return (Array(text[..<colon]), Array(text[(colon + 1)...]))
    }
}
