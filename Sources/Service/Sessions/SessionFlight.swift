import Bytes
import Crypto
import HTTP
import Machine
import Net
import Providers
import Telemetry
import Upstream

/// One call for a credential, from the leave to begin it to its report: attempts inside one deadline, each signed anew.
final class SessionFlight: VendorCall {
    enum Purpose {
        /// A session of the account's role.
        case session(AssumeRole)
        /// The service's own key, from whoever vouches for it.
        case ownKey
    }

    private let purpose: Purpose
    /// Nil when only the vendor's clock is looked at.
    private let slot: SlotFlight?
    private let clerk: SessionClerk
    let line: VendorLine
    var course = CallCourse()
    private var key: STSKey?
    /// What a cluster vouches for the service with.
    private var token: [UInt8] = []

    private var desk: SessionDesk { clerk.desk }
    var courier: any Courier { clerk.tools.courier }
    var clock: () -> Now { clerk.tools.clock }

    init(_ purpose: Purpose, for slot: SlotFlight?, by clerk: SessionClerk) {
        self.purpose = purpose
        self.slot = slot
        self.clerk = clerk
        line =
            switch (purpose, clerk.desk.account.identity) {
            case (.ownKey, .ecs): clerk.desk.line(to: .metadata)
            default: clerk.desk.line(to: .sts)
            }
    }

    /// Gets what its calls need first: without that none is made, and the vendor is not to blame.
    func begin(at now: Now) {
        switch (purpose, desk.account.identity) {
        case (.session, _): clerk.withOwnKey(at: now) { [self] in begin(with: $0) }
        case (.ownKey, .oidc(_, _, let tokenFile)):
            // The token is renewed in its file all the time.
            clerk.tools.read(tokenFile.text) { [self] in begin(with: $0, from: tokenFile.text) }
        case (.ownKey, .ecs), (.ownKey, .key), (.ownKey, .environment): start(at: now)
        }
    }

    private func begin(with result: Result<STSKey, UpstreamFault>) {
        let now = clerk.tools.clock()
        switch result {
        case .success(let key):
            self.key = key
            start(at: now)
        // Whoever was to fetch the key has said why there is none.
        case .failure(let fault): land(with: fault, at: now)
        }
    }

    private func begin(with file: ReadFile?, from tokenFile: String) {
        let now = clerk.tools.clock()
        token = file.map { SessionFlight.line($0.bytes) } ?? []
        if token.isEmpty || file?.weakness != nil {
            course.complaint = file?.weakness ?? "the file \(tokenFile) cannot be read, or is empty"
            return land(with: .unavailable, at: now)
        }
        start(at: now)
    }

    // MARK: Attempts

    func attempt(_ endpoint: Int, until: Int64, at now: Now) {
        switch (purpose, desk.account.identity) {
        case (.session(let request), _): ask(for: request, endpoint, until: until, at: now)
        case (.ownKey, .oidc(let role, let provider, _)):
            send(to: endpoint, until: until) { [token] authority, nonce throws(CallFault) in
                do throws(AssumeRole.Fault) {
                    return try AssumeRoleWithOIDC(
                        roleARN: role, providerARN: provider, sessionName: SessionFlight.ownName, durationSeconds: 3600
                    ).call(to: authority, token: token, nonce: nonce, at: now.unixSeconds)
                } catch {
                    throw CallFault("the service's own role cannot be asked for: \(error)")
                }
            }
        case (.ownKey, .ecs(let role)): askInstance(for: role, until: until)
        case (.ownKey, .key), (.ownKey, .environment): fail(.refused, "the service's key is the configured one")
        }
    }

    private func ask(for request: AssumeRole, _ endpoint: Int, until: Int64, at now: Now) {
        guard let key else { return fail(.unavailable, "the service has no key of its own") }
        send(to: endpoint, until: until) { authority, nonce throws(CallFault) in
            do throws(CryptoError) {
                return try request.call(to: authority, signedBy: key, nonce: nonce, at: now.unixSeconds)
            } catch {
                throw CallFault("\(error)")
            }
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
        to place: Int, until: Int64,
        _ makeCall: (_ authority: [UInt8], _ nonce: InlineArray<16, UInt8>) throws(CallFault) -> UpstreamCall
    ) {
        guard line.endpoints.indices.contains(place) else { return fail(.unavailable, "there is no endpoint") }
        let endpoint = line.endpoints[place]
        do throws(CallFault) {
            let call = try makeCall(endpoint.authority, try nonce())
            // Its nonce counts once: the next attempt has another.
            try send(
                call, to: endpoint, until: until, answerLimit: STSAnswer.maximumLength, isRepeatable: false
            ) { [self] in finish($0, from: endpoint.authority.text) }
        } catch {
            fail(.unavailable, error.reason)
        }
    }

    private func nonce() throws(CallFault) -> InlineArray<16, UInt8> {
        do throws(CryptoError) { return try clerk.random.draw() } catch { throw CallFault("\(error)") }
    }

    private func finish(_ result: Result<ExchangeAnswer, ExchangeError>, from endpoint: String) {
        switch result {
        case .failure(let error): fail(UpstreamFault(error), "\(endpoint): \(error)")
        case .success(let exchanged):
            let now = clerk.tools.clock()
            let answer = UpstreamAnswer(exchanged)
            if let date = answer.moment { desk.observe(vendorDate: date, at: now) }
            do throws(STSFault) {
                let credential = try STSAnswer.read(answer, at: now.unixSeconds, longest: longest)
                succeed(with: credential, issuedAt: answer.moment ?? now.unixSeconds, at: now)
            } catch {
                if error.isAboutKey { clerk.dropOwnKey() }
                fail(UpstreamFault(error), "\(endpoint): \(error)")
            }
        }
    }

    /// The seconds that were asked for; nil when none were.
    private var longest: Int64? {
        if case .session(let request) = purpose { request.durationSeconds } else { nil }
    }

    // MARK: The instance's metadata

    private func askInstance(for role: [UInt8]?, until: Int64) {
        ask(InstanceMetadata.sessionCall(lifetime: 60), until) {
            [self] answer, now throws(STSFault) in
            let session = try InstanceMetadata.readSession(answer, at: now.unixSeconds)
            if let role { return askInstance(for: role, session, until) }
            ask(InstanceMetadata.roleCall(session), until) { [self] answer, now throws(STSFault) in
                askInstance(for: try InstanceMetadata.readRole(answer, at: now.unixSeconds), session, until)
            }
        }
    }

    private func askInstance(for role: [UInt8], _ session: InstanceMetadata.Session, _ until: Int64) {
        guard let call = InstanceMetadata.credentialCall(role: role, session) else {
            return fail(.refused, "the instance's role has no proper name")
        }
        ask(call, until) { [self] answer, now throws(STSFault) in
            let credential = try InstanceMetadata.readCredential(answer, at: now.unixSeconds)
            succeed(with: credential, issuedAt: now.unixSeconds, at: now)
        }
    }

    private func ask(
        _ call: UpstreamCall, _ until: Int64, _ then: @escaping (UpstreamAnswer, Now) throws(STSFault) -> Void
    ) {
        var text = ByteWriter(capacity: 512)
        do throws(UpstreamCallError) { try call.write(into: &text) } catch { return fail(.unavailable, "\(error)") }
        let host = InstanceMetadata.authority.text
        let exchange = Exchange(
            .http, host: host, port: 80, request: text.array, deadline: until, answerLimit: STSAnswer.maximumLength)
        courier.start(exchange) { [self] result in
            switch result {
            case .failure(let error): fail(UpstreamFault(error), "\(host): \(error)")
            case .success(let exchanged):
                do throws(STSFault) { try then(UpstreamAnswer(exchanged), clerk.tools.clock()) } catch {
                    fail(UpstreamFault(error), "\(host): \(error)")
                }
            }
        }
    }

    // MARK: Ends

    private func succeed(with credential: STSCredential, issuedAt: Int64, at now: Now) {
        guard succeeded(at: now) else { return }
        clerk.forget(self)
        guard let slot else { return }
        desk.land(slot, with: credential, issuedAt: issuedAt, longest: longest, at: now)
    }

    func land(with fault: UpstreamFault, at now: Now) {
        clerk.forget(self)
        // One that was not tried would only say again what the last one said.
        if !course.complaint.isEmpty {
            clerk.tools.log.write(
                .warning, "no credential from the vendor",
                ["credential": desk.name, "reason": course.complaint, "attempts": "\(course.attempts)"])
        }
        if let slot { desk.land(slot, with: fault, at: now) }
    }
}
