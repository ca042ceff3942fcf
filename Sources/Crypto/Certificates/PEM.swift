import COpenSSL

/// What certificates and keys are stored in (RFC 7468).
enum PEM {
    /// Lends a text to one of OpenSSL's readers.
    private static func read<Result>(_ text: Span<UInt8>, _ body: (OpaquePointer) -> Result?) -> Result? {
        // Unsafe: OpenSSL's reader points into the text, and is gone before the text is.
        unsafe text.withUnsafeBytes { text in
            guard let start = text.baseAddress, let input = unsafe BIO_new_mem_buf(start, Int32(clamping: text.count))
            else {
                return nil
            }
            defer { unsafe BIO_free(input) }
            return unsafe body(input)
        }
    }

    /// All certificates of a text; nil when one of them is broken.
    static func certificates(_ text: Span<UInt8>) -> [Certificate]? {
        unsafe all(text) { input in
            unsafe PEM_read_bio_X509(input, nil, { _, _, _, _ in -1 }, nil).map { unsafe Certificate(owning: $0) }
        }
    }

    /// All lists of revoked certificates of a text; nil when one of them is broken.
    static func revocations(_ text: Span<UInt8>) -> [RevocationList]? {
        unsafe all(text) { input in
            unsafe PEM_read_bio_X509_CRL(input, nil, { _, _, _, _ in -1 }, nil).map {
                unsafe RevocationList(owning: $0)
            }
        }
    }

    private static func all<One>(_ text: Span<UInt8>, _ next: (OpaquePointer) -> One?) -> [One]? {
        guard !text.isEmpty else { return [] }
        return unsafe read(text) { input in
            ERR_clear_error()
            defer { ERR_clear_error() }
            var found: [One] = []
            while let one = unsafe next(input) { found.append(one) }
            // The end of the text is an error of its own.
            return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE ? found : nil
        }
    }

    // OpenSSL would ask a terminal for the password of an encrypted key; it gets none.

    /// - Returns: an EVP_PKEY for the caller to free; nil when there is none, or it is broken or encrypted.
    static func publicKey(_ text: Span<UInt8>) -> OpaquePointer? {
        unsafe read(text) { unsafe PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// - Returns: an EVP_PKEY for the caller to free; nil when there is none, or it is broken or encrypted.
    static func privateKey(_ text: Span<UInt8>) -> OpaquePointer? {
        unsafe read(text) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }
}
