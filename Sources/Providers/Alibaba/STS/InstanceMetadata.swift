import Bytes

/// The service's own key where it runs on an ECS instance with a RAM role: the metadata service of the instance, version 2.
/// A session token is asked for first, which nobody who merely makes the service fetch a URL can do.
package enum InstanceMetadata {
    /// The one address, beside loopback, that is spoken to without TLS.
    package static let endpoint = VendorEndpoint(withoutTLS: StaticString("100.100.100.200").array)
    private static let authority = endpoint.authority

    /// How long a session may last, in seconds.
    package static let sessionLifetimes: ClosedRange<Int64> = 1...21_600

    private static let credentialsPath = StaticString("/latest/meta-data/ram/security-credentials/").array

    /// A session of the metadata service.
    package struct Session: Sendable {
        fileprivate let token: [UInt8]
    }

    /// The key of the instance's role; nil for whichever it has.
    struct Key: CredentialRequest {
        let role: [UInt8]?
        var proof: CredentialProof { .origin }
        var lifetime: Int64? { nil }

        func exchange(for attempt: CredentialAttempt) throws(CredentialCallFault) -> CredentialExchange {
            CredentialExchange(InstanceMetadata.sessionCall(lifetime: 60)) { [role] answer, now throws(SessionFault) in
                let session = try InstanceMetadata.readSession(answer, at: now)
                if let role { return try InstanceMetadata.ask(for: role, session) }
                return .next(
                    CredentialExchange(InstanceMetadata.roleCall(session)) { answer, now throws(SessionFault) in
                        try InstanceMetadata.ask(for: try InstanceMetadata.readRole(answer, at: now), session)
                    })
            }
        }
    }

    private static func ask(for role: [UInt8], _ session: Session) throws(SessionFault) -> CredentialReply {
        guard let call = credentialCall(role: role, session) else { throw SessionFault(.noRole, status: 200) }
        return .next(
            CredentialExchange(call) { answer, now throws(SessionFault) in
                .credential(try readCredential(answer, at: now))
            })
    }

    // MARK: Calls

    /// Asks for a session; its lifetime is brought within what the vendor takes.
    package static func sessionCall(lifetime: Int64) -> UpstreamCall {
        let seconds = min(max(lifetime, sessionLifetimes.lowerBound), sessionLifetimes.upperBound)
        return UpstreamCall(
            .put, authority: authority, path: StaticString("/latest/api/token").array,
            headers: [NameValue("X-aliyun-ecs-metadata-token-ttl-seconds", Array(text: String(seconds)))])
    }

    /// Asks which role the instance has.
    package static func roleCall(_ session: Session) -> UpstreamCall { get(credentialsPath, session) }

    /// Asks for the role's key; nil when the name is no role's.
    package static func credentialCall(role: [UInt8], _ session: Session) -> UpstreamCall? {
        guard STSGrammar.isRoleName(role) else { return nil }
        return get(credentialsPath + role, session)
    }

    private static func get(_ path: [UInt8], _ session: Session) -> UpstreamCall {
        UpstreamCall(
            .get, authority: authority, path: path,
            headers: [NameValue("X-aliyun-ecs-metadata-token", session.token)])
    }

    // MARK: Answers

    package static func readSession(_ answer: UpstreamAnswer, at now: Int64) throws(SessionFault) -> Session {
        let line = try line(answer)
        guard SessionCredential.isPlain(line, length: 1...1024) else {
            throw SessionFault(.unreadable, status: answer.status)
        }
        return Session(token: line)
    }

    package static func readRole(_ answer: UpstreamAnswer, at now: Int64) throws(SessionFault) -> [UInt8] {
        try checkRole(answer)
        let role = try line(answer)
        guard STSGrammar.isRoleName(role) else { throw SessionFault(.unreadable, status: answer.status) }
        return role
    }

    /// `{"Code":"Success","AccessKeyId","AccessKeySecret","SecurityToken","Expiration","LastUpdated"}`.
    package static func readCredential(_ answer: UpstreamAnswer, at now: Int64) throws(SessionFault)
        -> SessionCredential
    {
        try checkRole(answer)
        let object = try STSAnswer.object(answer)
        guard answer.status == 200, object.text("Code") == Array(text: "Success") else {
            throw STSAnswer.fault(in: object, answer)
        }
        return try STSAnswer.credential(in: object, answer, at: now)
    }

    /// A body of one line, with or without its end.
    private static func line(_ answer: UpstreamAnswer) throws(SessionFault) -> [UInt8] {
        guard answer.status == 200, answer.body.count <= 2048 else {
            throw SessionFault(.unreadable, status: answer.status)
        }
        var line = answer.body
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    /// An instance without a role answers 404.
    private static func checkRole(_ answer: UpstreamAnswer) throws(SessionFault) {
        guard answer.status != 404 else { throw SessionFault(.noRole, status: answer.status) }
    }
}

extension InstanceMetadata.Session: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<session>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
