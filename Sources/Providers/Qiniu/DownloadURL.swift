import Access
import Bytes
import Crypto

/// The URL by which a client downloads an object of a private bucket: `…&e=deadline&token=AK:sign`.
///
/// `sign` is the url-safe base64 of the HMAC-SHA1 over all that stands before `&token=`, scheme and host included (Qiniu's
/// `download-token` page; the sign that it prints belongs to another URL than the one beside it). The same key signs management
/// requests by the same function over other texts, so this signs nothing but a URL below a configured base: no text of a
/// client's begins it, and no line break is ever in it.
package enum DownloadURL {
    /// - Parameters:
    ///   - deadline: seconds since 1970.
    ///   - out: what is written there stands in a JSON string as it is.
    package static func write(
        for url: borrowing ObjectURL, until deadline: Int64, with signer: SigningKey, into out: inout ByteWriter
    ) throws(IssueError) {
        let start = out.count
        url.write(into: &out)
        url.begin("e", in: &out)
        out.append(decimal: deadline)
        let code = try signer.sha1.code(of: out.bytes.extracting(start..<out.count))
        out.append("&token=")
        out.append(signer.accessKey)
        out.append(UInt8(ascii: ":"))
        Base64.urlSafe.encode(code.bytes, into: &out)
    }
}
