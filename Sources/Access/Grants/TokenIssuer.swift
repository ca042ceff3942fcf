import Bytes
import Crypto

/// One that signs what it issues, as the vendor wants it signed.
package protocol TokenIssuer: Issuer {
    /// Writes what is issued: members of a JSON object without its braces, or, if `ask.wantsText`, the bare token.
    ///
    /// Without a permit there is no token, and only `Policy` makes permits.
    /// - Parameter scratch: room to work in; its content before and after means nothing.
    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError)
}

/// Why something permitted could not be issued; the request failed, it was not denied.
package enum IssueError: Error {
    case crypto(CryptoError)
    /// The vendor's format cannot hold a time so late.
    case deadlineTooLate
    /// The ask was not read by its route.
    case nothingToSign
    /// What would be signed could be read in two ways, or is not what it is to be signed as; says what would be right.
    case unsignable(StaticString)
}
