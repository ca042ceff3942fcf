import Access
import Bytes

/// One of `policyTests`: what a caller must get, or must not.
package struct PolicyTest: Sendable {
    package enum Expectation: Sendable, Equatable {
        case allow, deny
        /// To be refused with this code.
        case refusal(code: [UInt8])
    }

    /// What must be given; nil for what may be any.
    package struct ExpectedPermit: Sendable {
        package let grant, bucket, key, limitedBy: [UInt8]?
        /// In seconds.
        package let lifetime: Int64?

        var isAnything: Bool {
            grant == nil && bucket == nil && key == nil && limitedBy == nil && lifetime == nil
        }
    }

    /// Where it stands, such as `policyTests[0]`.
    package let path: String
    package let position: TextPosition?
    package let name: [UInt8]?
    package let caller: Principal
    package let claims: [JSONMember]
    /// The route's index in the registry.
    package let route: Int
    /// The grant that is named.
    package let grant: [UInt8]?
    /// What is asked: a JSON object.
    package let parameters: [UInt8]
    /// When it is asked, in seconds since 1970; nil for now.
    package let time: Int64?
    /// The address that it is asked from; nil for none.
    package let address: IPAddress?
    package let expectation: Expectation
    package let permit: ExpectedPermit
}
