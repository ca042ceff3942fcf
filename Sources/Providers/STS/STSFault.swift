import Bytes

/// Why STS, or whoever answered in its place, gave no credential. It holds nothing of the answer but the vendor's code and
/// request id, both only where they look like such.
package struct STSFault: Error, Sendable, Equatable {
    package enum Retry: Sendable {
        /// The same again would fail again.
        case never
        /// Soon, with a new nonce and time.
        case later
        /// Not before a pause: the vendor asks for fewer calls.
        case throttled
    }

    /// What kind of fault it is.
    package enum Kind: Sendable {
        /// The vendor names it.
        case vendor
        /// The answer is none of STS.
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
    package let retry: Retry
    package let status: Int
    /// How many seconds the vendor wants to be left alone, where it says so.
    package let pause: Int64?
    /// What the vendor's support asks for.
    package let requestID: String?

    init(_ code: Answer, _ retry: Retry, status: Int, pause: Int64? = nil) {
        self.init(code.kind, code: code.rawValue, retry, status: status, pause: pause)
    }

    private init(
        _ kind: Kind, code: String, _ retry: Retry, status: Int, pause: Int64?, requestID: String? = nil
    ) {
        self.kind = kind
        self.code = code
        self.retry = retry
        self.status = status
        self.pause = pause
        self.requestID = requestID
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

extension STSFault {
    /// The fault that the vendor names; nil when `code` does not look like one of a fault.
    init?(vendorCode code: [UInt8], requestID: [UInt8]?, _ answer: UpstreamAnswer, at now: Int64) {
        guard VendorText.isWord(code, "._-", length: 1...64), code != Array(text: "Success") else { return nil }
        var id: String?
        if let requestID, VendorText.isWord(requestID, "-", length: 1...64) { id = requestID.text }
        self.init(
            .vendor, code: code.text, STSFault.retry(code, status: answer.status), status: answer.status,
            pause: answer.pause(at: now), requestID: id)
    }

    /// The fault of an answer that only its status tells anything about.
    init(unreadable answer: UpstreamAnswer, at now: Int64) {
        self.init(
            .unreadable, answer.status == 200 ? .later : STSFault.retry(status: answer.status), status: answer.status,
            pause: answer.pause(at: now))
    }

    /// Whether to try again, by the part of the code before its first dot; by the status for codes that are not known.
    static func retry(_ code: [UInt8], status: Int) -> Retry {
        let family = Array(code.prefix { $0 != UInt8(ascii: ".") }).text
        return families[family] ?? retry(status: status)
    }

    static func retry(status: Int) -> Retry {
        switch status {
        case 429: .throttled
        case 408, 500...599: .later
        default: .never
        }
    }

    /// The vendor's error table (document 42775). Only these are worth another try; the others stand here so that no status
    /// can make them so.
    private static let families: [String: Retry] = [
        "Throttling": .throttled,
        "ServiceUnavailable": .later, "InternalError": .later,
        "NoPermission": .never, "EntityNotExist": .never, "InvalidParameter": .never, "MissingParameter": .never,
        "MissingSecurityToken": .never, "InvalidSecurityToken": .never, "InvalidAccessKeyId": .never,
        "SignatureDoesNotMatch": .never, "SignatureNonceUsed": .never, "InvalidTimeStamp": .never,
        "AuthenticationFail": .never, "Forbidden": .never,
    ]
}

extension STSFault {
    /// Whether the vendor does not take the key, or its token, that the call was signed with.
    package var isAboutKey: Bool {
        kind == .vendor && (code.hasPrefix("InvalidSecurityToken") || code.hasPrefix("InvalidAccessKeyId"))
    }
}

extension STSFault: CustomStringConvertible {
    package var description: String {
        "\(code) (HTTP \(status)\(requestID.map { ", request \($0)" } ?? ""))"
    }
}
