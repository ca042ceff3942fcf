import COpenSSL

/// What certificates and keys are stored in (RFC 7468).
enum PEM {
    /// Lends a text to one of OpenSSL's readers.
    static func read<Result>(_ text: UnsafeRawBufferPointer, _ body: (OpaquePointer) -> Result?) -> Result? {
        guard let start = text.baseAddress, let input = BIO_new_mem_buf(start, Int32(clamping: text.count)) else {
            return nil
        }
        defer { BIO_free(input) }
        return body(input)
    }

    /// All certificates of a text, for the caller to free; nil when one of them is broken.
    static func certificates(_ text: UnsafeRawBufferPointer) -> [OpaquePointer]? {
        read(text) { input in
            ERR_clear_error()
            defer { ERR_clear_error() }
            var certificates: [OpaquePointer] = []
            while let next = PEM_read_bio_X509(input, nil, { _, _, _, _ in -1 }, nil) { certificates.append(next) }
            // The end of the text is an error of its own.
            if ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE { return certificates }
            for certificate in certificates { X509_free(certificate) }
            return nil
        } ?? (text.isEmpty ? [] : nil)
    }

    /// - Returns: an EVP_PKEY for the caller to free; nil when there is none, or it is broken or encrypted.
    static func privateKey(_ text: UnsafeRawBufferPointer) -> OpaquePointer? {
        // OpenSSL would ask a terminal for the password of an encrypted key.
        read(text) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// Unix seconds, nil for a time that is none.
    static func time(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        let epoch = ASN1_TIME_set(nil, 0)
        defer { ASN1_TIME_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
