/// OpenSSL refused to do its work; nothing was signed.
package enum CryptoError: Error, Sendable {
    /// The named OpenSSL function failed.
    case unavailable(StaticString)
}
