import Access
import Bytes
import Crypto
import HTTP

/// Writes a token that is signed here, and the service's own members behind it.
struct TokenWriter: ~Copyable {
    private var scratch = ByteWriter(capacity: 1024)
    private var (serverTime, expiry) = (TimeText(), TimeText())

    mutating func write(
        _ ask: borrowing Ask, by issuer: any TokenIssuer, with key: SigningKey, under permit: borrowing Permit,
        at instant: Instant, into response: inout Response
    ) throws(IssueError) {
        if !ask.wantsText { response.body.append(UInt8(ascii: "{")) }
        try issuer.issue(ask, under: permit, with: key, at: instant, into: &response.body, using: &scratch)
        if ask.wantsText {
            response.contentType = .text
        } else {
            writeTerms(of: permit, at: instant, into: &response.body)
        }
    }

    /// The members that are the service's own: by which grant, and until when.
    private mutating func writeTerms(
        of permit: borrowing Permit, at instant: Instant, into body: inout ByteWriter
    ) {
        serverTime.set(instant.unixSeconds)
        if !permit.grant.neverEnds { expiry.set(permit.expiresAt) }
        body.append(
            afterOthers: true,
            members: { json in
                json.add("grant", permit.grant.name)
                if permit.grant.neverEnds {
                    json.addNull("expiresAt")
                    json.addNull("expiresIn")
                    json.addNull("limitedBy")
                } else {
                    json.add("expiresAt", expiry.bytes)
                    json.add("expiresIn", permit.lifetime)
                    json.add("limitedBy", permit.limitedBy.name)
                }
                json.add("serverTime", serverTime.bytes)
            })
        body.append("}\n")
    }

    /// A moment as text, which is written anew only when it is another: most requests of a second have the same.
    private struct TimeText {
        private var second = Int64.min
        private(set) var bytes: [UInt8] = []

        mutating func set(_ second: Int64) {
            guard second != self.second else { return }
            self.second = second
            bytes = ISO8601.write(second)
        }
    }
}
