import Bytes

/// The parameters of `AssumeRole`, checked as the vendor documents them.
struct SessionRequest {
    let roleARN: [UInt8]
    let sessionName: [UInt8]
    let durationSeconds: Int64
    let sourceIdentity: [UInt8]?
    /// nil where the session may do whatever the role may.
    let policy: IssuedSessionPolicy?

    /// Seconds of a session that says nothing else.
    static let defaultDuration: Int64 = 3600
    static let minimumDuration: Int64 = 900

    /// - Parameter maximumDuration: what the role's `MaxSessionDuration` allows, in seconds.
    init(_ parameters: QueryItems, maximumDuration: Int64) throws(STSComplaint) {
        guard let roleARN = parameters["RoleArn"], !roleARN.isEmpty else { throw .required("RoleArn") }
        guard SessionRequest.isRoleARN(roleARN) else { throw .malformed("RoleArn") }
        guard let sessionName = parameters["RoleSessionName"], !sessionName.isEmpty else {
            throw .required("RoleSessionName")
        }
        guard ByteSet.dottedWord.union("@").contains(all: sessionName, length: 2...64) else {
            throw .malformed("RoleSessionName")
        }
        var duration = min(SessionRequest.defaultDuration, maximumDuration)
        if let text = parameters["DurationSeconds"] {
            guard let seconds = Decimal.parse(text.span, maximum: maximumDuration),
                seconds >= SessionRequest.minimumDuration
            else { throw .wrongDuration(maximum: maximumDuration) }
            duration = seconds
        }
        if let policy = parameters["Policy"] {
            guard policy.text.utf16.count <= PolicyGrammar.maximumLength else { throw .largePolicy }
            guard PolicyGrammar.admits(policy), let read = IssuedSessionPolicy(policy) else { throw .wrongPolicy }
            self.policy = read
        } else {
            policy = nil
        }
        if let externalID = parameters["ExternalId"] {
            guard ByteSet.dottedWord.union("+=,@:/").contains(all: externalID, length: 2...1224) else {
                throw .malformed("ExternalId")
            }
        }
        let sourceIdentity = parameters["SourceIdentity"]
        if let sourceIdentity, !ByteSet.dottedWord.union("+=,@").contains(all: sourceIdentity, length: 2...64) {
            throw .malformed("SourceIdentity")
        }
        self.roleARN = roleARN
        self.sessionName = sessionName
        self.durationSeconds = duration
        self.sourceIdentity = sourceIdentity
    }

    /// The number of the account whose role it is.
    var account: [UInt8] {
        let parts = roleARN.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count == 5 ? Array(parts[3]) : []
    }

    /// `acs:ram::<account number>:role/<name>`
    static func isRoleARN(_ text: [UInt8]) -> Bool {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].elementsEqual("acs".utf8), parts[1].elementsEqual("ram".utf8),
            parts[2].isEmpty, ByteSet.digits.contains(all: parts[3], length: 1...20),
            parts[4].starts(with: "role/".utf8)
        else { return false }
        return ByteSet.dottedWord.contains(all: parts[4].dropFirst(5), length: 1...64)
    }
}
