import Access
import Bytes
import Configuration
import Crypto
import Inspection
import Providers

/// What a credential would say, without making one: it is signed by a key that is made for the moment and forgotten, read back
/// by the inspector of its kind, and never shown.
struct CredentialPreview {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// Empty where no inspector can read the credential, as for answers of a vendor.
    func facts(
        of ask: borrowing Ask, under permit: borrowing Permit, for caller: Caller, at instant: Instant
    ) -> [Inspection.Fact] {
        let credential = configuration.credentials[permit.grant.credential]
        let kind = configuration.issuers[permit.grant.index]
        if case .session(let issuer) = kind, let source = credential.sessions?.source {
            var scratch = ByteWriter()
            let session = try? issuer.session(under: permit, for: caller.principal, of: source, using: &scratch)
            var inspection = Inspection("session")
            if let policy = session?.request.policy { inspection.tell("session policy", policy) }
            return inspection.facts
        }
        guard let issuer = kind.signer, !ask.wantsText,
            let key = try? SigningKey(
                accessKey: (credential.sessions == nil ? credential.key?.accessKey : nil) ?? Array(text: "TEMPORARY"),
                secret: Secret(try SecureRandom.bytes(32))),
            let answer = write(ask, by: issuer, under: permit, with: key, at: instant),
            let input = try? InspectionInput(reading: answer)
        else { return [] }
        // The credential's own provider, or that of the route where a session signs.
        let provider = Registry.routes[permit.grant.route].provider
        // The fields tell where the buckets are, by which a request's bucket is found.
        let keyring = Keyring([
            Keyring.Entry(credential: credential.name, key: key, fields: credential.fields)
        ])
        for inspector in Inspectors.of(provider.name) {
            let inspection = inspector.inspect(input, with: keyring, at: instant.unixSeconds)
            if let inspection { return inspection.facts.filter { $0.name != "access key" } }
        }
        return []
    }

    private func write(
        _ ask: borrowing Ask, by issuer: any TokenIssuer, under permit: borrowing Permit, with key: SigningKey,
        at instant: Instant
    ) -> [UInt8]? {
        var out = ByteWriter()
        var scratch = ByteWriter()
        out.append("{")
        do {
            try issuer.issue(ask, under: permit, with: key, at: instant, into: &out, using: &scratch)
        } catch {
            return nil
        }
        out.append("}")
        return out.array
    }
}
