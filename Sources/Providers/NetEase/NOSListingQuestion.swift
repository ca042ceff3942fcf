import Access
import Bytes
import Crypto

/// A listing of a bucket that the service asks NOS for.
struct NOSListingQuestion: VendorQuestion {
    private let bucket: [UInt8]
    /// What every key begins with that may be told.
    private let prefix: [UInt8]
    /// Not encoded.
    private let query: [NameValue]
    private let key: SigningKey

    /// - Parameter fields: of the query, beside the prefix.
    init(bucket: [UInt8], prefix: [UInt8], _ fields: [NameValue], _ key: SigningKey) {
        self.bucket = bucket
        self.prefix = prefix
        query = (prefix.isEmpty ? [] : [NameValue("prefix", prefix)]) + fields
        self.key = key
    }

    func call(to authority: [UInt8], at now: Int64) throws(IssueError) -> UpstreamCall {
        let date = HTTPDate.write(now)
        var authorization = ByteWriter(capacity: 128)
        var scratch = ByteWriter()
        // The query has no sub-resource, so that nothing of it is signed.
        let request = try NOSRequest(
            method: StaticString("GET").bytes, bucket: bucket.span, key: Span(), content: .init(), fieldLines: Span())
        try NOSHeaderSignature.write(
            for: request, date: date.span, with: key, into: &authorization, using: &scratch)
        return UpstreamCall(
            .get, authority: authority, path: Array("/".utf8), query: query,
            headers: [
                NameValue("Authorization", authorization.array), NameValue("Date", date),
                NameValue("Accept", "application/xml"), NameValue("User-Agent", "Countersign"),
            ])
    }

    func read(_ answer: UpstreamAnswer) throws(VendorFault) -> VendorReply {
        switch answer.status {
        case 200:
            guard let listing = NOSListing(answer.body), listing.isOf(bucket, below: prefix) else { throw .unreadable }
            return .json(listing.json)
        case 404: return .absent
        // The marker is the only part of the query that a caller chooses freely; without it, a 400 is a fault of the grant.
        case 400 where query.contains { $0.name.span.equals("marker") }: return .unacceptable
        case 401, 403: throw .keyRefused(status: answer.status)
        default: throw .status(answer.status)
        }
    }
}
