import Access
import Bytes

/// A string to sign of version 4 that was read with its canonical request: what it asks, when it ends, and where in the canonical
/// request its object stands.
struct RemoteReading {
    let request: RemoteRequest
    let end: Ask.End
    /// In the canonical request; the key is percent-encoded.
    let bucket, key: Range<Int>

    /// - Parameters:
    ///   - string: the string to sign.
    ///   - canonical: the canonical request.
    ///   - tolerance: how long the vendor takes a dated signature, in seconds.
    init(
        _ string: borrowing StringToSignV4, of canonical: Span<UInt8>, lasting tolerance: Int64, at now: Int64
    ) throws(AskError) {
        let parsed: ParsedCanonicalRequest
        do throws(StringToSignError) {
            parsed = try ParsedCanonicalRequest(reading: canonical, of: string)
        } catch {
            throw AskError(.unreadableStringToSign, "canonicalRequest", error.description)
        }
        guard (try? string.isOf(canonical)) == true else {
            throw AskError(
                .unreadableStringToSign, "canonicalRequest", "hash: its SHA-256 is not line 4 of the string to sign")
        }
        end =
            switch parsed.form {
            case .header: .fixed(string.moment + tolerance)
            case .url(let lifetime): .binding(string.moment + lifetime)
            }
        request = RemoteRequest(parsed, of: string, at: now)
        (bucket, key) = (parsed.bucketRange, parsed.keyRange)
    }

    /// The string to sign alone.
    @_lifetime(copy text)
    static func string(_ text: Span<UInt8>, _ scheme: V4Scheme) throws(AskError) -> StringToSignV4 {
        do throws(StringToSignError) { return try StringToSignV4(reading: text, scheme) } catch {
            throw AskError(.unreadableStringToSign, "contentToSign", error.description)
        }
    }
}
