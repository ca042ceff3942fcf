import Access
import Bytes
import Crypto
import HTTP

/// Writes a token that is signed here, and the service's own members behind it.
struct TokenWriter: ~Copyable {
    private var scratch = ByteWriter(capacity: 1024)
    private var serverTime: (second: Int64, text: [UInt8]) = (.min, [])

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
        if serverTime.second != instant.unixSeconds {
            serverTime = (instant.unixSeconds, ISO8601.write(instant.unixSeconds))
        }
        body.append(
            afterOthers: true,
            members: { json in
                json.add("grant", permit.grant.name)
                if permit.grant.neverEnds {
                    json.addNull("expiresAt")
                    json.addNull("expiresIn")
                    json.addNull("limitedBy")
                } else {
                    json.add("expiresAt", time: permit.expiresAt)
                    json.add("expiresIn", permit.lifetime)
                    json.add("limitedBy", permit.limitedBy.name)
                }
                json.add("serverTime", serverTime.text)
            })
        body.append("}\n")
    }
}
