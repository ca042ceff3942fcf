import Bytes

/// Why a vendor, or another server in its place, gave no credential. It holds nothing of the answer but its status and the
/// vendor's code and request id, both only where they look like such.
package struct SessionFault: Error, Sendable, Equatable {
    /// What kind of fault it is.
    package enum Kind: Sendable {
        /// The vendor names it.
        case vendor
        /// The answer is none of the vendor.
        case answer
        /// The credential had ended when it came.
        case expired
        /// The vendor's clock is too far from ours.
        case clock
        /// The instance has no role.
        case noRole
    }

    package let kind: Kind
    /// The vendor's `Code`, or what was wrong with the answer.
    package let code: String
    package let status: Int
    /// What the vendor's support asks for.
    package let requestID: String?
    /// Whether the vendor does not take the key, or its token, that the call was signed with.
    package let isAboutKey: Bool

    /// The fault of an answer in which the vendor names none.
    init(_ code: Answer, status: Int) {
        kind = code.kind
        self.code = code.rawValue
        self.status = status
        requestID = nil
        isAboutKey = false
    }

    /// The fault that the vendor names; nil when `code` does not look like one of a fault.
    /// - Parameter keyCodes: what the codes begin with by which the vendor does not take a key.
    init?(vendorCode code: [UInt8], requestID: [UInt8]?, status: Int, keyCodes: [String] = []) {
        guard ByteSet.dottedWord.contains(all: code, length: 1...64), code != Array(text: "Success") else { return nil }
        kind = .vendor
        isAboutKey = keyCodes.contains { code.starts(with: $0.utf8) }
        self.code = code.text
        self.status = status
        self.requestID = requestID.flatMap { ByteSet.label.contains(all: $0, length: 1...64) ? $0.text : nil }
    }

    /// What is wrong with an answer where the vendor itself names no fault.
    enum Answer: String {
        case tooLarge = "AnswerTooLarge"
        case unreadable = "AnswerUnreadable"
        case incomplete = "AnswerIncomplete"
        case expired = "AnswerExpired"
        case redirect = "AnswerRedirects"
        case clockSkew = "ClockSkew"
        case noRole = "NoInstanceRole"

        fileprivate var kind: Kind {
            switch self {
            case .tooLarge, .unreadable, .incomplete, .redirect: .answer
            case .expired: .expired
            case .clockSkew: .clock
            case .noRole: .noRole
            }
        }
    }
}

extension SessionFault: CustomStringConvertible {
    package var description: String {
        "\(code) (HTTP \(status)\(requestID.map { ", request \($0)" } ?? ""))"
    }
}

extension UpstreamAnswer {
    /// How far the vendor's clock may be from ours, in seconds (R17).
    private static let clockTolerance: Int64 = 300

    /// Refuses what is nobody's credential, before it is read.
    func checkForm() throws(SessionFault) {
        guard !(300...399).contains(status) else { throw SessionFault(.redirect, status: status) }
        guard body.count <= CredentialExchange.answerLimit else { throw SessionFault(.tooLarge, status: status) }
    }

    /// The credential of what was read; each is nil where it is not there.
    /// - Parameters:
    ///   - end: when the vendor ends it, in seconds since 1970.
    ///   - longest: the seconds that were asked for; nil where none were.
    func credential(
        _ id: [UInt8]?, secret: [UInt8]?, token: [UInt8]?, end: Int64?, at now: Int64, longest: Int64?
    ) throws(SessionFault) -> SessionCredential {
        guard let id, let secret, let token, let end,
            let credential = SessionCredential(
                accessKeyID: id, secret: secret, securityToken: token,
                expiresAt: SessionCredential.end(end, at: now, longest: longest))
        else { throw SessionFault(.incomplete, status: status) }
        guard end > now else { throw SessionFault(.expired, status: status) }
        return credential
    }

    /// The fault that the vendor names, or that it is no answer of the vendor.
    func fault(_ code: [UInt8]?, requestID: [UInt8]?, keyCodes: [String] = []) -> SessionFault {
        code.flatMap { SessionFault(vendorCode: $0, requestID: requestID, status: status, keyCodes: keyCodes) }
            ?? SessionFault(status == 200 ? .incomplete : .unreadable, status: status)
    }

    /// R17: with clocks too far apart nothing is issued, since nobody knows how long it holds.
    func checkClock(at now: Int64) throws(SessionFault) {
        guard let theirs = moment else { return }
        let (distance, overflow) = theirs.subtractingReportingOverflow(now)
        guard !overflow, distance.magnitude <= UInt64(UpstreamAnswer.clockTolerance) else {
            throw SessionFault(.clockSkew, status: status)
        }
    }
}
