import Access
import Bytes
import Configuration
import Crypto
import Providers

extension Chapter {
    static let ossCallback = Chapter(
        grants: """
            "uploaded": { route: "oss.callback", credential: "oss", publicURL: "https://app.example.com/oss/callback",
              reply: { Status: "OK" } },

            """,
        rows: [
            Row("OSS callback verified") { bench in
                let sample = CallbackSample()
                let (verifier, signing) = try CallbackSample.grant(of: bench.fixture())
                let key = try CallbackSample.key()
                return {
                    let claim = try sample.claim(by: verifier, signing, using: &bench.scratch)
                    guard case .genuine = try claim.judge(by: key) else { throw RowError("it is refused") }
                }
            },
            .answering("OSS callback, POST answered by a remembered key", CallbackSample.request) { bench in
                let fixture = try bench.fixture()
                let (verifier, signing) = try CallbackSample.grant(of: fixture)
                fixture.remember(
                    try CallbackSample.key(),
                    for: try CallbackSample().claim(by: verifier, signing, using: &bench.scratch))
            },
        ])
}

/// A callback, and its signature by a key of 1024 bits; both were made by OpenSSL's command line.
private struct CallbackSample {
    static let authorization =
        "s3HASUs5qQZaF6bG4imhtjxQuMSsC1xrSi/7Z2oUITS34glNJzpwxCnQEaOeNpuvtStyWCpLmS1LPu8TPmMNUqF/BZh0kQqaAF6aYEIOwwOpHuAe"
        + "Bdbl5pD39S3qn/Lid4gQBKfpWXvNDrImHw08fPPsQIXZdhpVGnFLVyB3RRs="
    static let keyURL = "aHR0cDovL2dvc3NwdWJsaWMuYWxpY2RuLmNvbS9jYWxsYmFja19wdWJfa2V5X3YxLnBlbQ=="
    static let target = "/oss/callback?grant=a%2Fb"
    static let body = "bucket=examplebucket&object=users%2F42%2Fa.jpg"
    static let request = Sample.post(
        target, "application/x-www-form-urlencoded", body, "Authorization: \(authorization)",
        "x-oss-pub-key-url: \(keyURL)")
    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDN19884CUNlS0u16VrE0zEqezz
        dOFBhZAG0ICszoX14VOw7zQTUYhnwJsdZ6iKkPFIN5J4GlkTOUp06h+Oz1Gpstb/
        dJY3b+L/gPUiB+ttpRTU2/1ctZ9Hqo9AwqUxCHUpenvYWuh1Nk8/nL0RMvSGcEPI
        HgSkvJdJmRJw1r0dKQIDAQAB
        -----END PUBLIC KEY-----
        """

    private let target = Array(text: CallbackSample.target)
    private let authorization = Array(text: CallbackSample.authorization)
    private let fields = Array(text: "Host: app.example.com\r\nx-oss-pub-key-url: \(keyURL)\r\n")
    private let body = Array(text: CallbackSample.body)

    static func key() throws -> RSAPublicKey {
        guard let key = RSAPublicKey(pem: Array(text: pem).span) else { throw RowError("there is no key") }
        return key
    }

    static func grant(of fixture: Fixture) throws -> (any CallbackVerifier, SigningKey) {
        for (grant, issuer) in zip(fixture.configuration.grants, fixture.configuration.issuers) {
            if case .verifying(let verifier) = issuer, verifier.keyHost != nil {
                return (verifier, try fixture.key(of: grant))
            }
        }
        throw RowError("there is no grant")
    }

    func claim(
        by verifier: any CallbackVerifier, _ key: SigningKey, using scratch: inout ByteWriter
    ) throws -> CallbackClaim {
        let received = ReceivedCallback(
            target: target.span, authorization: authorization.span, contentType: Span(), fieldLines: fields.span,
            body: body.span, at: Fixture.seconds)
        guard case .claimed(let claim) = try verifier.judge(received, with: key, using: &scratch) else {
            throw RowError("it is refused")
        }
        return claim
    }
}
