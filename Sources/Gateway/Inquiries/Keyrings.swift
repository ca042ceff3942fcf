import Access
import Bytes
import Configuration
import Crypto
import Inspection
import Providers

/// What a configuration has to check signatures by: the keys of its credentials, and the issuers whose tokens it believes.
package struct Keyrings {
    /// By their providers; nil without a configuration.
    private let entries: [String: [Keyring.Entry]]?
    private let authenticator: Authenticator?

    /// - Parameter configuration: nil to check no signatures.
    package init(_ configuration: Configuration?) {
        authenticator = configuration?.authenticator
        guard let configuration else {
            entries = nil
            return
        }
        var entries: [String: [Keyring.Entry]] = [:]
        for credential in configuration.credentials {
            guard let pair = credential.key,
                let key = try? SigningKey(accessKey: pair.accessKey, secret: pair.secret)
            else { continue }
            entries[credential.provider, default: []].append(
                Keyring.Entry(credential: credential.name, key: key, fields: credential.fields))
            for old in credential.previous {
                guard let key = try? SigningKey(accessKey: old.pair.accessKey, secret: old.pair.secret) else {
                    continue
                }
                let name = "\(credential.name), a previous one"
                entries[credential.provider, default: []].append(
                    Keyring.Entry(credential: name, key: key, fields: credential.fields))
            }
        }
        self.entries = entries
    }

    /// What the first inspector that knows the input tells of it; nil where none knows it.
    /// - Parameter now: seconds since 1970.
    package func inspect(_ input: InspectionInput, at now: Int64) -> Inspection? {
        for (provider, inspector) in Inspectors.all {
            if let inspection = inspector.inspect(input, with: keyring(of: provider), at: now) { return inspection }
        }
        let token = InspectedJWT.inspect(input, at: now, leeway: leeway(of:)) { token, inspection in
            judge(token, at: now, in: &inspection)
        }
        return token
            ?? InspectedTicket.inspect(input, at: now) { ticket, inspection in
                judge(ticket: ticket, at: now, in: &inspection)
            }
    }

    /// The kinds of things that are known, for people.
    package static let kinds = Inspectors.all.map(\.inspector.kind) + [InspectedJWT.kind, InspectedTicket.kind]

    func keyring(of provider: String) -> Keyring { Keyring(entries.map { $0[provider] ?? [] }) }

    // MARK: Tokens of callers

    /// By how many seconds the clock of an issuer may be wrong.
    func leeway(of issuer: [UInt8]) -> Int64 {
        authenticator?.tokenIssuers.first { $0.issuer == issuer }?.leeway ?? 0
    }

    /// Notes whether the service would believe a token; not when it ends, which is judged anyway.
    func judge(_ token: [UInt8], at now: Int64, in inspection: inout Inspection) {
        guard let authenticator else {
            return inspection.leavesOpen("signature", "no configuration was given to check it by")
        }
        guard !authenticator.tokenIssuers.isEmpty else {
            return inspection.leavesOpen("signature", "authentication.jwt of the configuration names no issuer")
        }
        var memory = authenticator.makeMemory()
        let field = Array("Bearer ".utf8) + token
        switch authenticator.identify(authorization: field.span, apiKey: nil, at: now, remembering: &memory) {
        case .caller(let caller):
            inspection.tell(
                "caller", Array("jwt:".utf8) + caller.principal.id + Array("/".utf8) + caller.principal.subject)
            inspection.holds("signature", "it is that of the issuer \(caller.principal.id.text)")
            if caller.isDenied { inspection.fails("caller", "authentication.deny names it") }
        case .refused(_, .token(let fault)?) where fault.issuerWithoutKey != nil:
            inspection.leavesOpen("signature", "the issuer's keys are fetched only while the service runs")
        case .refused(_, .token(let fault)?) where fault.isGenuine:
            inspection.holds("signature")
            inspection.fails(fault.part.rawValue, fault.words)
        case .refused(let reason, let fault):
            inspection.fails(
                (fault?.token?.part ?? .signature).rawValue, (fault?.token?.reason ?? reason).description)
        }
    }

    /// Notes whether a ticket is one that the service would take; not when it ends, which is judged anyway.
    func judge(ticket: [UInt8], at now: Int64, in inspection: inout Inspection) {
        guard let authenticator else {
            return inspection.leavesOpen("signature", "no configuration was given to check it by")
        }
        guard let signer = try? authenticator.ticketKey?.makeSigner() else {
            return inspection.leavesOpen("signature", "the configuration has no authentication.tickets")
        }
        guard let known = try? signer.read(ticket.span) else {
            return inspection.fails("signature", "it is none of the configuration's authentication.tickets")
        }
        inspection.holds("signature")
        var memory = CredentialCache(capacity: 0)
        // An ended one is refused as well, which is said anyway.
        switch authenticator.identify(
            ticket: ticket.span, by: signer, at: min(now, known.endsAt.subtractingReportingOverflow(1).partialValue),
            remembering: &memory)
        {
        case .caller(let caller) where caller.isDenied:
            inspection.fails("caller", "authentication.deny names it, or the ticket")
        case .caller: inspection.holds("caller", "the configuration knows it")
        case .refused(_, .token(let fault)?) where fault.issuerWithoutKey != nil:
            inspection.leavesOpen("caller", "the issuer's keys are fetched only while the service runs")
        case .refused: inspection.fails("caller", "the configuration does not know it any more")
        }
    }
}
