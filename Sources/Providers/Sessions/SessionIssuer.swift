import Access
import Bytes
import Crypto

/// Gives callers temporary keys of the vendor's own, narrowed to the grant's prefix.
///
/// It takes a call to the vendor, so none is made here: `session` says which credential is meant; the pipeline takes it from the
/// cache, or has it fetched, and writes its answer.
package struct SessionIssuer: Issuer {
    package let form: SessionForm
    private let policy: SessionPolicy
    private let actions: SessionActions
    private let listPrefix: Bool
    private let sharesAcrossCallers: Bool
    private let narrow: Bool
    private let bucket: [UInt8]
    private let place: JSONMembers
    package let callersEnd: CallersEnd
    package let vendorName: KeyTemplate?

    struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let key: Parameter<Span<UInt8>>
        let keyPrefix: Parameter<Span<UInt8>>
        let expires = Parameter.expires(from: SessionForm.durations.lowerBound)

        init(longestKey: Int) {
            key = Parameter(
                "key", .key(maximumLength: longestKey),
                "One key, for a session of that alone; the grant must say narrow.")
            keyPrefix = Parameter(
                "keyPrefix", .keyPrefix(maximumLength: longestKey),
                "A longer prefix than the grant's, for a session of that alone; ends in /. The grant must say narrow.")
        }
    }

    struct Fields: FieldGroup {
        let actions: Field<[[UInt8]]?>
        let listPrefix = Field(
            "listPrefix", .boolean, default: false, "Whether the session may list the keys below the prefix.")
        let narrow = Field(
            "narrow", .boolean, default: false,
            "Whether a caller may ask for a session of one key, or of a longer prefix.")
        let sessionName = Field("sessionName", .template, "The name of the session in the vendor's logs.")
        let outliveCaller = Field<Bool>.outliveCaller
        let shareAcrossCallers = Field(
            "shareAcrossCallers", .boolean, default: false,
            "Whether callers whose sessions would be the same share one.")

        /// - Parameter policy: whose actions there are.
        init(of policy: SessionPolicy) {
            actions = Field(
                "actions", .strings, required: true, told: true,
                "What the session may do with objects below the prefix: \(policy.objectActions.joined(separator: ", "))."
            )
        }
    }

    init(_ grant: Settings<Fields>, _ context: GrantContext, _ form: SessionForm) throws(FieldProblem) {
        let isUnscoped = if case .anything = context.target { true } else { false }
        self.form = form
        policy = form.policy(context.credential)
        place = form.place(context.credential)
        actions = try SessionActions(grant.actions ?? [], of: policy, isUnscoped: isUnscoped)
        listPrefix = grant.listPrefix
        sharesAcrossCallers = grant.shareAcrossCallers
        narrow = grant.narrow
        if narrow, isUnscoped { throw FieldProblem("narrow", "needs keyPrefix, of which sessions are a part") }
        bucket = context.bucket ?? []
        callersEnd = CallersEnd(outliveCaller: grant.outliveCaller)
        vendorName = grant.sessionName
        try checkSessionName()
        if case .prefix(let template) = context.target { try SessionIssuer.checkSameness(of: template, "keyPrefix") }
        guard let bucket = context.bucket else {
            throw FieldProblem("bucket", "is needed, since the session's policy names it")
        }
        var sample = ByteWriter(capacity: SessionPolicy.maximumLength)
        do throws(SessionPolicy.Fault) {
            switch context.target {
            case .prefix(let template), .key(let template):
                let prefix = template.longest
                try policy.write(
                    actions, on: bucket.span, prefix: prefix.span, listPrefix: listPrefix, into: &sample)
            case .anything:
                try policy.write(actions, on: bucket.span, prefix: nil, listPrefix: listPrefix, into: &sample)
            }
        } catch {
            throw SessionIssuer.problem(error)
        }
    }

    static func check(_ ask: borrowing Ask) throws(AskError) {
        guard ask.keyIsPrefix, let prefix = ask.key, !prefix.extracting(last: 1).equals("/") else { return }
        throw AskError(.invalid, "keyPrefix", "must end in /, else users/1 would also admit users/10")
    }

    package func objection(to ask: borrowing Ask) -> Objection? {
        guard ask.key != nil, !narrow else { return nil }
        return Objection("narrow", "the grant gives sessions of its whole prefix alone; leave out key and keyPrefix")
    }

    package func objection(toKey key: Span<UInt8>, of ask: borrowing Ask) -> Objection? {
        guard narrow, ask.key != nil else { return nil }
        var policy = ByteWriter(capacity: SessionPolicy.maximumLength)
        do throws(SessionPolicy.Fault) {
            try write(of: key, ask.keyIsPrefix ? .prefix : .object, on: bucket.span, into: &policy)
        } catch {
            return switch error {
            case .tooLong: Objection("key", "is too long for a session's policy")
            case .bucket, .prefix:
                Objection("key", "must hold no * ? $ \" or \\, which session policies read otherwise")
            }
        }
        return nil
    }

    private func checkSessionName() throws(FieldProblem) {
        guard let template = vendorName else { return }
        if template.usesExtension {
            throw FieldProblem("sessionName", "must not use ${ext}, since nobody asks for a key here")
        }
        try SessionIssuer.checkSameness(of: template, "sessionName")
        if sharesAcrossCallers, template.namesCaller || template.namesSource {
            throw FieldProblem("sessionName", "must not name the caller where shareAcrossCallers is true")
        }
    }

    /// Sessions are remembered, and one that nobody ever asks for again would only use up the vendor's patience.
    private static func checkSameness(of template: KeyTemplate, _ field: String) throws(FieldProblem) {
        if template.usesUUID {
            throw FieldProblem(field, "must not use ${uuid}, which would make every request another session")
        }
    }

    private static func problem(_ fault: SessionPolicy.Fault) -> FieldProblem {
        switch fault {
        case .bucket: FieldProblem("bucket", BucketRule.fault.description)
        case .prefix:
            FieldProblem("keyPrefix", "must end in / and hold no * ? $ \" or \\, which policies read otherwise")
        case .tooLong:
            FieldProblem(
                "actions", "make a session policy longer than \(SessionPolicy.maximumLength) bytes with this prefix")
        }
    }
}

// MARK: - Sessions

extension SessionIssuer {
    /// Which session the permit is for.
    package func session(
        under permit: borrowing Permit, for principal: Principal, of source: any SessionSource,
        using scratch: inout ByteWriter
    ) throws(SessionRequestFault) -> VendorSession {
        guard permit.lifetime >= SessionForm.durations.lowerBound else { throw .tooShort }
        let policy = try policy(under: permit, using: &scratch)
        let name = try name(under: permit, for: principal, atMost: source.longestName)
        let request = try source.request(named: name, lasting: permit.lifetime, allowing: policy)
        do throws(CryptoError) {
            let key = try CredentialKey(source, request, for: sharesAcrossCallers ? nil : principal)
            return VendorSession(key, request, scope: scope(under: permit))
        } catch {
            throw .crypto(error)
        }
    }

    private func policy(
        under permit: borrowing Permit, using scratch: inout ByteWriter
    ) throws(SessionRequestFault) -> [UInt8] {
        scratch.reset()
        do throws(SessionPolicy.Fault) {
            try write(of: permit.key, permit.extent, on: permit.bucket, into: &scratch)
        } catch {
            throw .policy(error)
        }
        return scratch.array
    }

    /// Writes the policy of a session for one key, for all keys of a prefix, or for the whole bucket.
    private func write(
        of key: Span<UInt8>, _ extent: Permit.Extent, on bucket: Span<UInt8>, into out: inout ByteWriter
    ) throws(SessionPolicy.Fault) {
        switch extent {
        case .object: try policy.write(actions, on: bucket, key: key, into: &out)
        case .prefix: try policy.write(actions, on: bucket, prefix: key, listPrefix: listPrefix, into: &out)
        case .bucket, .service:
            try policy.write(actions, on: bucket, prefix: nil, listPrefix: listPrefix, into: &out)
        }
    }

    /// What the session is for.
    private func scope(under permit: borrowing Permit) -> JSONMembers {
        JSONMembers { json in
            json.add(form.names.bucket, permit.bucket)
            switch permit.extent {
            case .object: json.add(form.names.key, permit.key)
            case .prefix: json.add(form.names.prefix, permit.key)
            case .bucket, .service: break
            }
            json.add(place)
        }
    }

    private func name(
        under permit: borrowing Permit, for principal: Principal, atMost length: Int
    ) throws(SessionRequestFault) -> SessionName {
        do throws(CryptoError) {
            if sharesAcrossCallers {
                return try SessionName(permit.vendorName, sharedBy: permit.grant.name, atMost: length)
            }
            return try SessionName(permit.vendorName, for: principal, atMost: length)
        } catch {
            throw .crypto(error)
        }
    }
}
