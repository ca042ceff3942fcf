import Access
import Audit
import Cluster
import Crypto
import HTTP
import Providers
import Telemetry
import Upstream

/// The settings of `server.tls`.
extension Schema {
    struct TLS: FieldGroup {
        let certificates = Field(
            "certificates", .objects(Certificate()), required: true,
            "Certificates. A client that names none of their hosts gets the first one.")
        let clientCAFile = Field(
            "clientCAFile", .string,
            "PEM: the certificate authorities for clients. A client with a certificate of another authority is refused."
        )
        let crlFile = Field(
            "crlFile", .string,
            "PEM: the revocation list (CRL) of each of these authorities. None may be out of date.")
    }

    struct Certificate: FieldGroup {
        let names = Field(
            "names", .strings, required: true,
            "The certificate's host names. `\"*.example.com\"` stands for all names one label below.")
        let certificateFile = Field(
            "certificateFile", .string, required: true,
            "PEM: the certificate, then its issuers in order. The root may be left out.")
        let keyFile = Field(
            "keyFile", .string, required: true,
            "PEM: the private key, not encrypted. The file must not be readable by everybody.")
    }
}
