import Foundation

/// By which grant something was issued, and how long it holds.
public struct Validity: Sendable, Hashable {
    /// The grant; nil with temporary keys, whose answer has only what Alibaba's SDKs read.
    public let grant: String?
    /// When it ends, by the service's clock; nil for never.
    public let expiresAt: Date?
    /// Why it ends then: `requested`, `grant`, `caller` or `credential`.
    public let limitedBy: String?
    /// When it was issued, by the service's clock.
    public let serverTime: Date

    /// For how long it held when it was issued; nil for ever.
    public var lifetime: Duration? { expiresAt.map { .seconds($0.timeIntervalSince(serverTime)) } }
}

extension Validity: Decodable {
    private enum CodingKeys: String, CodingKey {
        case grant, expiresAt, limitedBy, serverTime
        case expiration = "Expiration"
    }

    /// From the service's answer.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        grant = try members.decodeIfPresent(String.self, forKey: .grant)
        limitedBy = try members.decodeIfPresent(String.self, forKey: .limitedBy)
        let said = try members.decodeIfPresent(Date.self, forKey: .serverTime)
        guard let time = said ?? CodingUserInfoKey.answerDate.flatMap({ decoder.userInfo[$0] as? Date }) else {
            throw DecodingError.dataCorruptedError(
                forKey: .serverTime, in: members, debugDescription: "the answer does not say what time it is")
        }
        serverTime = time
        expiresAt =
            try members.decodeIfPresent(Date.self, forKey: .expiresAt)
            ?? members.decodeIfPresent(Date.self, forKey: .expiration)
    }
}

extension CodingUserInfoKey {
    /// The answer's header field `Date`.
    static let answerDate = CodingUserInfoKey(rawValue: "date")
}

/// What the service answers, with what every such answer has.
protocol ServiceAnswer: Decodable, Sendable {
    var validity: Validity { get }
}
