import Bytes
import Crypto
import HTTP
import Machine
import Net
import Providers
import Telemetry
import Upstream

/// One fetch of a credential. It gets what proves who the service is, then makes the call, each attempt anew.
final class SessionFetch {
    /// A credential with how long it is used.
    private typealias Issued = (value: SessionCredential, lifetime: Lifetime)
    private typealias Call = VendorCall<Issued>

    private let request: any CredentialRequest
    /// Whom the calls go to.
    private let link: VendorLink
    /// Nil when the call is made only to read the vendor's clock.
    private let slot: SlotFetch?
    private let cache: SessionCache
    /// What other replicas are told of it.
    private let whenDone: ((SlotResult<SessionCredential>, _ moment: Int64) -> Void)?
    /// When the vendor gave the credential, by its clock.
    private var moment: Int64 = 0
    /// The service's own key, where one proves who it is.
    private var key: SigningKey?
    /// The token that says who the service is, where one does.
    private var token: [UInt8] = []

    private var account: SessionAccount { cache.account }

    init(
        _ request: any CredentialRequest, on link: VendorLink, for slot: SlotFetch?, by cache: SessionCache,
        whenDone: ((SlotResult<SessionCredential>, _ moment: Int64) -> Void)? = nil
    ) {
        self.whenDone = whenDone
        self.request = request
        self.link = link
        self.slot = slot
        self.cache = cache
    }

    /// Gets what the calls need, then begins them. Where that cannot be had, no call is made, and no failure of the vendor is
    /// counted.
    func begin(at now: Instant) {
        let call = Call(on: link, among: cache.tools.calls, attempt: attempt, end: end)
        switch request.proof {
        case .ownKey:
            cache.withServiceKey(at: now) { [self] result in
                switch result {
                case .success(let key):
                    self.key = key
                    call.start(at: cache.tools.calls.clock())
                // The fetch of the key has reported the fault already.
                case .failure(let fault): call.giveUp(because: fault)
                }
            }
        case .tokenFile(let path):
            // Whoever vouches for the service renews the token in its file again and again.
            cache.tools.read(path.text) { [self] file in
                token = file.map { SessionFetch.line($0.bytes) } ?? []
                if token.isEmpty || file?.weakness != nil {
                    let reason = file?.weakness ?? "the file \(path.text) cannot be read, or is empty"
                    return call.giveUp(because: .unavailable, reason)
                }
                call.start(at: cache.tools.calls.clock())
            }
        case .origin: call.start(at: now)
        }
    }

    /// A file's one line without its end.
    private static func line(_ bytes: [UInt8]) -> [UInt8] {
        var line = bytes
        while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    private func end(_ call: Call, _ result: SlotResult<SessionCredential>, at now: Instant) {
        // No line for a call that was not tried: the call before it has logged the reason.
        if case .failure = result, !call.complaint.isEmpty {
            cache.tools.log.write(
                .warning, "no credential from the vendor",
                ["credential": account.name, "reason": call.complaint, "attempts": "\(call.attempts)"])
        }
        if call.endsOutage {
            cache.tools.log.write(.info, "the vendor answers again", ["credential": account.name])
        }
        whenDone?(result, moment)
        if let slot { account.cache.land(slot, with: result, at: now) }
    }

    // MARK: Attempts

    private func attempt(_ call: Call, at endpoint: VendorEndpoint, now: Instant) {
        do throws(CallFault) {
            let attempt = CredentialAttempt(
                to: endpoint.authority, with: key, token: token, nonce: try nonce(), at: now.unixSeconds)
            send(try begin(attempt), by: call, to: endpoint)
        } catch {
            call.fail(error.fault, error.reason)
        }
    }

    private func begin(_ attempt: CredentialAttempt) throws(CallFault) -> CredentialExchange {
        do throws(CredentialCallFault) { return try request.exchange(for: attempt) } catch {
            throw CallFault(.unavailable, error.reason)
        }
    }

    private func nonce() throws(CallFault) -> InlineArray<16, UInt8> {
        do throws(CryptoError) { return try cache.random.draw() } catch { throw CallFault(.unavailable, "\(error)") }
    }

    private func send(_ exchange: CredentialExchange, by call: Call, to endpoint: VendorEndpoint) {
        call.send(exchange.call, to: endpoint, answerLimit: CredentialExchange.answerLimit) {
            [self] answer, now throws(CallFault) in
            switch try read(answer, of: exchange, at: now) {
            case .credential(let credential): return issued(credential, by: answer, at: now)
            case .next(let next):
                send(next, by: call, to: endpoint)
                return nil
            }
        }
    }

    private func read(
        _ answer: UpstreamAnswer, of exchange: CredentialExchange, at now: Instant
    ) throws(CallFault) -> CredentialReply {
        if isOfVendor, let date = answer.moment { account.observe(vendorDate: date, at: now) }
        do throws(SessionFault) { return try exchange.read(answer, now.unixSeconds) } catch {
            if isOfVendor, error.isAboutKey { cache.dropServiceKey() }
            throw CallFault(UpstreamFault(error), "\(error)")
        }
    }

    private func issued(_ credential: SessionCredential, by answer: UpstreamAnswer, at now: Instant) -> Issued {
        moment = (isOfVendor ? answer.moment : nil) ?? now.unixSeconds
        return (
            credential, .dated(expiresAt: credential.expiresAt, issuedAt: moment, longest: request.lifetime)
        )
    }

    /// Whether the vendor of the sessions answers, whose clock counts.
    private var isOfVendor: Bool { link === account.sts }
}
