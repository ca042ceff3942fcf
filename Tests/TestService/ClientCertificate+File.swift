import COpenSSL
import Crypto

@testable import HTTP
@testable import Net

extension ClientCertificate {
    /// The first one of a file, as if a handshake had verified it by some authorities.
    convenience init(_ path: String, verifiedBy authorities: ClientAuthorities?) throws {
        let file = BIO_new_file(path, "r")
        defer { BIO_free(file) }
        guard let certificate = PEM_read_bio_X509(file, nil, nil, nil) else {
            throw Program.Failure(description: "no certificate in \(path)")
        }
        defer { X509_free(certificate) }
        self.init(
            names: TLSSession.alternativeNames(of: certificate),
            notAfter: CertificateTime.unixSeconds(X509_get0_notAfter(certificate)) ?? 0,
            checkedUntil: authorities?.revocationsEnd(for: certificate) ?? 0,
            proof: authorities?.proof(of: certificate) ?? [])
    }
}
