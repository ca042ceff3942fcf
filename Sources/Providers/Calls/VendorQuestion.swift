import Access
import Bytes
import Crypto

/// The vendor half of a grant whose answers only the vendor knows: the service asks it, and answers with what is inside the grant.
package protocol VendorIssuer: Issuer {
    /// Whom to ask, the first that answers.
    var endpoints: [VendorEndpoint] { get }

    /// What a permit is for, as a question.
    /// - Parameter scratch: room to work in.
    func question(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, using scratch: inout ByteWriter
    ) throws(IssueError) -> any VendorQuestion

    /// Who signs the answer to an ask here; nil where the vendor is asked.
    func signer(of ask: borrowing Ask) -> (any TokenIssuer)?
}

extension VendorIssuer {
    package func signer(of ask: borrowing Ask) -> (any TokenIssuer)? { nil }
}

/// Something to ask a vendor, as a value: the call, and what its answer means. It belongs to the loop whose key it has.
package protocol VendorQuestion {
    /// The call, made and signed anew for each attempt.
    /// - Parameter now: seconds since 1970.
    func call(to authority: [UInt8], at now: Int64) throws(IssueError) -> UpstreamCall

    /// Reads an answer. What the vendor says beyond the grant is not in what comes back.
    func read(_ answer: UpstreamAnswer) throws(VendorFault) -> VendorReply

    var operation: VendorOperation { get }

    /// The question that takes back what an answer reports as done; nil where nothing is to be taken back.
    func reversal(of answer: UpstreamAnswer) -> (any VendorQuestion)?
}

extension VendorQuestion {
    package var operation: VendorOperation { VendorOperation() }
    package func reversal(of answer: UpstreamAnswer) -> (any VendorQuestion)? { nil }
}

/// What a question has the vendor do.
package struct VendorOperation: Sendable {
    /// For the audit; nil where the route does one thing.
    package let name: String?
    /// Whether it changes something at the vendor. Then the call does not end with its client.
    package let isChange: Bool
    /// How long the vendor may take, in milliseconds; nil for `limits.patience` of the credential.
    package let timeout: Int64?

    package init(_ name: String? = nil, isChange: Bool = false, timeout: Int64? = nil) {
        self.name = name
        self.isChange = isChange
        self.timeout = timeout
    }
}

/// What a vendor said to a question.
package enum VendorReply: Sendable {
    /// JSON, which may be told as it is.
    case json([UInt8])
    /// The object or bucket that is asked about does not exist.
    case absent
    /// The vendor does not take what the caller has chosen.
    case unacceptable
}

/// Why a vendor's answer is no answer; nothing of the answer itself.
package enum VendorFault: Error, Sendable {
    /// The vendor does not believe the service's key or date, or the key may not.
    case keyRefused(status: Int)
    /// The vendor does not do what this one request asks, and shows with it that it is there for others.
    case requestRefused(status: Int)
    /// Another status that is no success; 5xx and 429 may be another time.
    case status(Int)
    /// A success that is not what the vendor documents.
    case unreadable
}

extension VendorFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .keyRefused(let status): "the vendor refuses the credential's key, or the service's clock (HTTP \(status))"
        case .requestRefused(let status): "the vendor refuses this request, and only this (HTTP \(status))"
        case .status(let status): "the vendor answered HTTP \(status)"
        case .unreadable: "the answer is not what the vendor documents"
        }
    }
}

extension [Enforcement] {
    /// Of what a vendor is asked for.
    static let fetch = [
        Enforcement(.service, "bucket and key", "the service asks by itself, and hands on what is inside the grant")
    ]
}
