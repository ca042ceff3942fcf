import Bytes
import Crypto
import HTTP
import Machine
import Net
import Providers
import Telemetry
import Upstream

/// One fetch of a credential. It gets the service's own key first, then makes the call and signs each attempt anew.
final class SessionFetch {
    enum Purpose {
        /// A session of the account's role.
        case session(AssumeRole)
        /// The service's own key, from the cluster (RRSA) or the instance's metadata.
        case serviceKey
    }

    /// A credential with how long it is used.
    private typealias Issued = (value: STSCredential, lifetime: Lifetime)
    private typealias Call = VendorCall<Issued>

    private let purpose: Purpose
    /// Nil when the call is made only to read the vendor's clock.
    private let slot: SlotFetch?
    private let cache: SessionCache
    private var key: STSKey?
    /// The cluster's token, which says who the service is.
    private var token: [UInt8] = []

    private var account: SessionAccount { cache.account }

    init(_ purpose: Purpose, for slot: SlotFetch?, by cache: SessionCache) {
        self.purpose = purpose
        self.slot = slot
        self.cache = cache
    }

    /// Gets what the calls need, then begins them. Where that cannot be had, no call is made, and no failure of the vendor is
    /// counted.
    func begin(at now: Instant) {
        let link =
            switch (purpose, account.account.identity) {
            case (.serviceKey, .ecs): account.metadata
            default: account.sts
            }
        let call = Call(on: link, among: cache.tools.calls, attempt: attempt, end: end)
        switch (purpose, account.account.identity) {
        case (.session, _):
            cache.withServiceKey(at: now) { [self] result in
                switch result {
                case .success(let key):
                    self.key = key
                    call.start(at: cache.tools.calls.clock())
                // The fetch of the key has reported the fault already.
                case .failure(let fault): call.giveUp(because: fault)
                }
            }
        case (.serviceKey, .oidc(_, _, let tokenFile)):
            // The cluster renews the token in its file again and again.
            cache.tools.read(tokenFile.text) { [self] file in
                token = file.map { SessionFetch.line($0.bytes) } ?? []
                if token.isEmpty || file?.weakness != nil {
                    let reason = file?.weakness ?? "the file \(tokenFile.text) cannot be read, or is empty"
                    return call.giveUp(because: .unavailable, reason)
                }
                call.start(at: cache.tools.calls.clock())
            }
        case (.serviceKey, .ecs), (.serviceKey, .key), (.serviceKey, .environment): call.start(at: now)
        }
    }

    private func end(_ call: Call, _ result: SlotResult<STSCredential>, at now: Instant) {
        // No line for a call that was not tried: the call before it has logged the reason.
        if case .failure = result, !call.complaint.isEmpty {
            cache.tools.log.write(
                .warning, "no credential from the vendor",
                ["credential": account.name, "reason": call.complaint, "attempts": "\(call.attempts)"])
        }
        if call.endsOutage {
            cache.tools.log.write(.info, "the vendor answers again", ["credential": account.name])
        }
        if let slot { account.cache.land(slot, with: result, at: now) }
    }

    // MARK: Attempts

    private func attempt(_ call: Call, at endpoint: VendorEndpoint, now: Instant) {
        switch (purpose, account.account.identity) {
        case (.session(let request), _):
            guard let key else { return call.fail(.unavailable, "the service has no key of its own") }
            send(by: call, to: endpoint) { authority, nonce throws(CallFault) in
                do throws(CryptoError) {
                    return try request.call(to: authority, signedBy: key, nonce: nonce, at: now.unixSeconds)
                } catch {
                    throw CallFault(.unavailable, "\(error)")
                }
            }
        case (.serviceKey, .oidc(let role, let provider, _)):
            send(by: call, to: endpoint) { [token] authority, nonce throws(CallFault) in
                do throws(AssumeRole.Fault) {
                    return try AssumeRoleWithOIDC(
                        roleARN: role, providerARN: provider, sessionName: SessionFetch.ownName, durationSeconds: 3600
                    ).call(to: authority, token: token, nonce: nonce, at: now.unixSeconds)
                } catch {
                    throw CallFault(.unavailable, "the service's own role cannot be asked for: \(error)")
                }
            }
        case (.serviceKey, .ecs(let role)): askInstance(for: role, by: call)
        case (.serviceKey, .key), (.serviceKey, .environment):
            call.fail(.refused, "the service's key is the configured one")
        }
    }

    private static let ownName = Array(text: "countersign")

    /// A file's one line without its end.
    private static func line(_ bytes: [UInt8]) -> [UInt8] {
        var line = bytes
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    private func send(
        by call: Call, to endpoint: VendorEndpoint,
        _ makeRequest: (_ authority: [UInt8], _ nonce: InlineArray<16, UInt8>) throws(CallFault) -> UpstreamCall
    ) {
        do throws(CallFault) {
            var request = try makeRequest(endpoint.authority, try nonce())
            // The vendor takes a nonce once, so the next attempt needs another.
            request.isRepeatable = false
            call.send(request, to: endpoint, answerLimit: STSAnswer.maximumLength, read)
        } catch {
            call.fail(error.fault, error.reason)
        }
    }

    private func nonce() throws(CallFault) -> InlineArray<16, UInt8> {
        do throws(CryptoError) { return try cache.random.draw() } catch { throw CallFault(.unavailable, "\(error)") }
    }

    private func read(_ answer: UpstreamAnswer, at now: Instant) throws(CallFault) -> Issued {
        if let date = answer.moment { account.observe(vendorDate: date, at: now) }
        do throws(STSFault) {
            let credential = try STSAnswer.read(answer, at: now.unixSeconds, longest: longest)
            return issued(credential, at: answer.moment ?? now.unixSeconds)
        } catch {
            if error.isAboutKey { cache.dropServiceKey() }
            throw CallFault(UpstreamFault(error), "\(error)")
        }
    }

    private func issued(_ credential: STSCredential, at moment: Int64) -> Issued {
        (credential, .dated(expiresAt: credential.expiresAt, issuedAt: moment, longest: longest))
    }

    /// The seconds that were asked for; nil when none were.
    private var longest: Int64? {
        if case .session(let request) = purpose { request.durationSeconds } else { nil }
    }

    // MARK: The instance's metadata

    private func askInstance(for role: [UInt8]?, by call: Call) {
        ask(InstanceMetadata.sessionCall(lifetime: 60), by: call) { [self] answer, now throws(STSFault) in
            let session = try InstanceMetadata.readSession(answer, at: now.unixSeconds)
            if let role {
                askInstance(for: role, session, by: call)
                return nil
            }
            ask(InstanceMetadata.roleCall(session), by: call) { [self] answer, now throws(STSFault) in
                askInstance(for: try InstanceMetadata.readRole(answer, at: now.unixSeconds), session, by: call)
                return nil
            }
            return nil
        }
    }

    private func askInstance(for role: [UInt8], _ session: InstanceMetadata.Session, by call: Call) {
        guard let request = InstanceMetadata.credentialCall(role: role, session) else {
            return call.fail(.refused, "the instance's role has no proper name")
        }
        ask(request, by: call) { [self] answer, now throws(STSFault) in
            issued(try InstanceMetadata.readCredential(answer, at: now.unixSeconds), at: now.unixSeconds)
        }
    }

    private func ask(
        _ request: UpstreamCall, by call: Call,
        _ read: @escaping (UpstreamAnswer, Instant) throws(STSFault) -> Issued?
    ) {
        call.send(request, to: InstanceMetadata.endpoint, answerLimit: STSAnswer.maximumLength) {
            answer, now throws(CallFault) in
            do throws(STSFault) { return try read(answer, now) } catch {
                throw CallFault(UpstreamFault(error), "\(error)")
            }
        }
    }
}
