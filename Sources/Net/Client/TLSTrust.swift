import COpenSSL

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Whom the service believes when it is the client: TLS 1.2 or 1.3, a whole chain to a root that is trusted, the name checked.
/// Made at start, shared by all loops.
package final class TLSTrust: Sendable {
    package enum Authorities: Sendable, Hashable {
        /// Those that the system trusts.
        case system
        /// Those of a PEM file, and no others.
        case file(String)
        /// None: any server is believed. Use it only where nothing depends on which server answers.
        case anybody
    }

    /// Why it could not be made.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    let context: TLSContext

    package init(_ authorities: Authorities) throws(Failure) {
        ERR_clear_error()
        guard let made = unsafe TLSContext(TLS_client_method()) else {
            throw Failure(description: "TLS cannot be used: OpenSSL gave no context")
        }
        self.context = made
        // Unsafe: nobody else has it yet, and OpenSSL copies what it gets.
        let context = unsafe made.handle
        guard unsafe cs_ssl_context_set_min_version(context, TLS1_2_VERSION) == 1 else {
            throw Failure(description: "TLS cannot be used: OpenSSL's own configuration forbids TLS 1.2 and later")
        }
        unsafe SSL_CTX_set_verify(context, authorities == .anybody ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nil)
        unsafe cs_ssl_context_forbid_renegotiation(context)
        unsafe cs_ssl_context_set_modes(context)
        // Sessions are kept by `ClientPool`, for their own host.
        unsafe cs_ssl_context_disable_session_cache(context)
        switch authorities {
        case .anybody: break
        case .system:
            guard unsafe SSL_CTX_set_default_verify_paths(context) == 1 else {
                throw Failure(description: "the authorities that the system trusts cannot be read")
            }
        case .file(let path):
            // OpenSSL's words for a file that is not there are of little use.
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw Failure(description: "the file of authorities \(path) cannot be read: \(systemMessage())")
            }
            systemClose(descriptor)
            guard unsafe SSL_CTX_load_verify_file(context, path) == 1 else {
                ERR_clear_error()
                throw Failure(description: "the file of authorities \(path) holds no certificate, or a broken one")
            }
        }
    }
}
