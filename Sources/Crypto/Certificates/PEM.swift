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
        all(text, X509_free) { PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// All lists of revoked certificates of a text, for the caller to free; nil when one of them is broken.
    static func revocations(_ text: UnsafeRawBufferPointer) -> [OpaquePointer]? {
        all(text, X509_CRL_free) { PEM_read_bio_X509_CRL($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    private static func all(
        _ text: UnsafeRawBufferPointer, _ free: (OpaquePointer) -> Void, _ next: (OpaquePointer) -> OpaquePointer?
    ) -> [OpaquePointer]? {
        guard !text.isEmpty else { return [] }
        return read(text) { input in
            ERR_clear_error()
            defer { ERR_clear_error() }
            var found: [OpaquePointer] = []
            while let one = next(input) { found.append(one) }
            // The end of the text is an error of its own.
            if ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE { return found }
            for one in found { free(one) }
            return nil
        }
    }

    /// - Returns: an EVP_PKEY for the caller to free; nil when there is none, or it is broken or encrypted.
    static func privateKey(_ text: UnsafeRawBufferPointer) -> OpaquePointer? {
        // OpenSSL would ask a terminal for the password of an encrypted key.
        read(text) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }
}
