import Access
import Bytes
import Crypto

/// The vendor half of a grant of a route without callers: it tells a vendor's callback from anybody else's request (R6), since
/// the vendor's signature is the only credential that a callback has.
package protocol CallbackVerifier: Issuer {
    /// Where the vendor sends the callbacks; the service answers them at its path.
    var publicURL: PublicURL { get }

    /// The answer to a genuine callback: a JSON object.
    var reply: [UInt8] { get }

    /// Where the vendor's public keys are fetched; nil for a vendor that signs by the credential's key.
    var keyHost: VendorEndpoint? { get }

    /// Why a callback with this head is refused whatever its body is; nil when that is for the body to say.
    func faultOfHead(_ callback: borrowing ReceivedCallback, with key: SigningKey) -> CallbackFault?

    /// - Parameter scratch: room to work in.
    func judge(
        _ callback: borrowing ReceivedCallback, with key: SigningKey, using scratch: inout ByteWriter
    ) throws(IssueError) -> CallbackVerdict
}

extension CallbackVerifier {
    package var keyHost: VendorEndpoint? { nil }

    /// Nobody asks for anything here.
    package func objection(to ask: borrowing Ask) -> Objection? {
        Objection("callers", "nobody is given anything by this grant")
    }
}

/// The fields of a grant that every vendor's callbacks have.
extension Field where Value == [UInt8]? {
    static func publicURL(of vendor: String) -> Field {
        Field(
            "publicURL", .string, required: true,
            "The `callbackUrl` as \(vendor) knows it. The service answers callbacks at its path.")
    }

    static func reply(to vendor: String) -> Field {
        Field(
            "reply", .json(maximumLength: 8192), required: true,
            "The answer to a genuine callback. \(vendor) passes it to the uploader.")
    }
}

package enum CallbackVerdict: Sendable {
    case genuine
    case refused(CallbackFault)
    /// It depends on a key that the vendor publishes, and that must be had first.
    case claimed(CallbackClaim)
}

/// Why a callback is not believed, for the log: nothing of what was sent. Who sent it learns only that it is not.
package struct CallbackFault: Error, Sendable {
    package let reason: StaticString

    package init(_ reason: StaticString) { self.reason = reason }
}

/// A request that claims to be a callback, as it was received.
package struct ReceivedCallback: ~Escapable {
    /// Path and query as they are on the request line.
    let target: Span<UInt8>
    let authorization: Span<UInt8>
    /// Empty when there is none.
    let contentType: Span<UInt8>
    /// All field lines, each ended by CR LF.
    let fieldLines: Span<UInt8>
    /// Empty as long as only the head has come.
    let body: Span<UInt8>
    /// When it came, in seconds since 1970.
    let time: Int64

    @_lifetime(copy target, copy authorization, copy contentType, copy fieldLines, copy body)
    package init(
        target: Span<UInt8>, authorization: Span<UInt8>, contentType: Span<UInt8>, fieldLines: Span<UInt8>,
        body: Span<UInt8>, at time: Int64
    ) {
        self.target = target
        self.authorization = authorization
        self.contentType = contentType
        self.fieldLines = fieldLines
        self.body = body
        self.time = time
    }
}
