import Access
import Bytes
import Crypto

/// The URL by which a client downloads from Qiniu's CDN until a moment: `…&sign=MD5&t=deadline` (Fusion's timestamp
/// anti-leech).
///
/// `sign` is MD5 in hex over a key of the domain's own, the encoded path, and the deadline in hex; neither host nor query are
/// signed. It is no HMAC, and nothing separates path and deadline: from the URL of `a/b1` its holder can make one of `a/b`
/// with a deadline of nine digits, which never ends. A key never loses its folder that way, since `/` is no digit; `isSeparable`
/// says whether it can lose its end.
package enum TimestampAntiLeech {
    /// The moments that have eight digits, so that at least no two of our own texts are the same: from 1978 until 2106.
    private static let deadlines: ClosedRange<Int64> = 0x1000_0000...0xFFFF_FFFF

    /// Extensions that end in a hex digit, and are not another one with digits behind it (but `m3u8`, which is `m3u` itself).
    private static let extensions: [StaticString] = [
        "aac", "deb", "doc", "exe", "flac", "gif", "heic", "heif", "ipa", "m3u8", "m4a", "md", "mp3", "mp4", "mpd",
        "obb", "otf", "pdf", "tif", "ttf",
    ]

    /// Whether no other object's signature can be had from this one's: the key ends in no hex digit, or in an extension that is
    /// well known. (What is percent-encoded ends in a hex digit, too, but without it is no encoding.)
    static func isSeparable(_ key: Span<UInt8>) -> Bool {
        guard !key.isEmpty, Hex.value(of: key[key.count - 1]) != nil else { return true }
        var start = key.count
        while start > 0, key[start - 1].isLetterOrDigit { start -= 1 }
        guard start > 0, key[start - 1] == UInt8(ascii: ".") else { return false }
        let ending = key.extracting(start..<key.count)
        for known in extensions where ending.equals(ignoringCase: known) { return true }
        return false
    }

    /// - Parameters:
    ///   - deadline: seconds since 1970.
    ///   - secret: the CDN domain's key; it is not the account's secret key.
    ///   - scratch: room to work in.
    package static func write(
        for url: borrowing ObjectURL, until deadline: Int64, with secret: Secret, into out: inout ByteWriter,
        using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard deadlines.contains(deadline) else { throw .deadlineTooLate }
        let path = url.write(into: &out)
        let moment = InlineArray<4, UInt8> { UInt8(truncatingIfNeeded: deadline >> (24 - 8 * Int64($0))) }
        scratch.reset()
        scratch.append(out.bytes.extracting(path))
        Hex.encode(moment.span, into: &scratch)
        let digest: Digest
        do throws(CryptoError) { digest = try Digest(.md5, of: secret, followedBy: scratch.bytes) } catch {
            throw .crypto(error)
        }
        url.begin("sign", in: &out)
        Hex.encode(digest.bytes, into: &out)
        out.append("&t=")
        Hex.encode(moment.span, into: &out)
    }
}
