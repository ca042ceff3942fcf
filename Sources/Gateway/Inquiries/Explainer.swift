import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Inspection
import Providers

/// Decides inquiries as the pipeline decides requests, and says why. It issues nothing.
package struct Explainer {
    let configuration: Configuration
    private let brakes: BrakeKeeper?

    /// By the grants and callers of this configuration.
    /// - Parameter brakes: what the operator has stopped; nil where that does not count.
    package init(configuration: Configuration, brakes: BrakeKeeper? = nil) {
        self.configuration = configuration
        self.brakes = brakes
    }

    /// What came of an inquiry.
    package struct Answer {
        let inquiry: Inquiry
        /// The refusal that the caller would get; nil where it would get a credential.
        package let refusal: Refusal?
        /// Nil where the policy was not even asked.
        package let explanation: Explanation?
        /// What the credential would say; by this the vendor enforces the grant.
        let signed: [Inspection.Fact]
        /// The brake by which the caller does not get what its grant permits; nil where there is none.
        var brake: Brake?

        /// Who enforces each limit of the token: the service, the vendor, or nobody (R18).
        var enforcement: [Enforcement] {
            inquiry.description.grant.enforcement + (permitted?.grant.unenforced ?? [])
        }

        /// What is permitted; nil for nothing.
        package var permitted: Explanation.Permitted? {
            if brake == nil, case .permitted(let permitted)? = explanation?.outcome { permitted } else { nil }
        }
    }

    /// What comes of it, and why.
    package func explain(_ inquiry: Inquiry) -> Answer {
        do throws(Refusal) { return try judge(inquiry) } catch {
            return Answer(inquiry: inquiry, refusal: error, explanation: nil, signed: [])
        }
    }

    /// Explains what the body of a request asks, as JSON (`POST /explain`).
    /// - Parameter now: seconds since 1970.
    func explain(_ body: Span<UInt8>, at now: Int64) throws(Refusal) -> [UInt8] {
        Array(text: ExplanationReport(explain(try inquiry(body, at: now))).json)
    }

    /// Reads what the body of a request asks.
    func inquiry(_ body: Span<UInt8>, at now: Int64) throws(Refusal) -> Inquiry {
        try Inquiry(reading: body, maximumDepth: configuration.server.limits.jsonDepth, at: now)
    }

    /// In the order of R7.
    private func judge(_ inquiry: Inquiry) throws(Refusal) -> Answer {
        let caller = try configuration.caller(inquiry.caller, claiming: inquiry.claims, at: inquiry.time)
        if configuration.policy.needsCredential(caller, on: inquiry.route) {
            throw .unauthenticated(by: configuration.authenticator)
        }
        let instant = inquiry.instant
        let ask: Ask
        do throws(Refusal) {
            ask = try inquiry.read(
                maximumDepth: configuration.server.limits.jsonDepth, by: Explainer.drawNonce(), at: instant)
        } catch {
            // A caller who can get nothing on the route is refused before parameters are read.
            if caller.isDenied { throw Refusal(.forbidden) }
            guard configuration.policy.hasGrant(on: inquiry.route, for: caller) else { throw Refusal(.notInGrant(nil)) }
            throw error
        }
        var workspace = PolicyWorkspace()
        var signed: [Inspection.Fact] = []
        let draft = CredentialPreview(configuration)
        let explanation = configuration.policy.explain(
            ask, on: inquiry.route, by: caller, at: instant, in: &workspace
        ) { permit in signed = draft.facts(of: ask, under: permit, for: caller, at: instant) }
        var refusal: Refusal?
        var brake: Brake?
        switch explanation.outcome {
        case .denied(let denial): refusal = Refusal(denial)
        case .permitted(let permitted):
            brake = brakes?.table.covers(permitted.grant, of: configuration, for: caller, at: inquiry.time)
            if brake != nil { refusal = .stopped }
        }
        return Answer(inquiry: inquiry, refusal: refusal, explanation: explanation, signed: signed, brake: brake)
    }

    private static func drawNonce() throws(Refusal) -> Nonce {
        var random = RandomPool()
        do throws(CryptoError) { return Nonce(try random.draw()) } catch { throw .internalError }
    }
}

extension Configuration {
    /// The caller that the operator names.
    package func caller(_ principal: Principal, claiming claims: [JSONMember], at now: Int64) throws(Refusal) -> Caller
    {
        switch authenticator.caller(principal, claiming: claims, at: now) {
        case .caller(let caller): return caller
        case .refused(let reason, _): throw .unauthenticated(reason.description, wasPresented: true)
        }
    }
}
