import Bytes

/// The parameters of `AssumeRole`, checked as the vendor documents them.
struct SessionRequest {
    let roleARN: [UInt8]
    let sessionName: [UInt8]
    let durationSeconds: Int64
    let sourceIdentity: [UInt8]?

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
        guard SessionRequest.isWord(sessionName, with: ".@-_", length: 2...64) else {
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
            guard PolicyGrammar.admits(policy) else { throw .wrongPolicy }
        }
        if let externalID = parameters["ExternalId"] {
            guard SessionRequest.isWord(externalID, with: "_+=,.@:/-", length: 2...1224) else {
                throw .malformed("ExternalId")
            }
        }
        let sourceIdentity = parameters["SourceIdentity"]
        if let sourceIdentity, !SessionRequest.isWord(sourceIdentity, with: "_+=,.@-", length: 2...64) {
            throw .malformed("SourceIdentity")
        }
        self.roleARN = roleARN
        self.sessionName = sessionName
        self.durationSeconds = duration
        self.sourceIdentity = sourceIdentity
    }

    /// `acs:ram::<account number>:role/<name>`
    static func isRoleARN(_ text: [UInt8]) -> Bool {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].elementsEqual("acs".utf8), parts[1].elementsEqual("ram".utf8),
            parts[2].isEmpty, (1...20).contains(parts[3].count),
            parts[3].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            parts[4].starts(with: "role/".utf8)
        else { return false }
        return isWord(Array(parts[4].dropFirst(5)), with: ".-_", length: 1...64)
    }

    /// Whether the text is of ASCII letters, digits and `others` only, and as long as it may be.
    static func isWord(_ text: [UInt8], with others: String, length: ClosedRange<Int>) -> Bool {
        length.contains(text.count)
            && text.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: others.utf8.contains(byte)
                }
            }
    }
}
