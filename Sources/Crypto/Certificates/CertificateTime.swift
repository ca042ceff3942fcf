import COpenSSL

/// Times as certificates have them (RFC 5280 section 4.1.2.5).
package enum CertificateTime {
    /// Nil for a time that is none.
    package static func unixSeconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        // Unsafe: OpenSSL only reads the caller's time, and only within the call; the other is freed here.
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_TIME_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
