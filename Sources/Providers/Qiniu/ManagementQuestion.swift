import Access
import Bytes
import Crypto

/// A request of the service's own to Kodo, and what of its answer is inside the grant.
struct ManagementQuestion: VendorQuestion {
    private let operation: ManagementOperation
    private let target: ManagementTarget
    /// What the keys of a listing begin with that may be told.
    private let prefix: [UInt8]
    private let key: SigningKey

    init(_ operation: ManagementOperation, _ target: ManagementTarget, prefix: [UInt8], _ key: SigningKey) {
        self.operation = operation
        self.target = target
        self.prefix = prefix
        self.key = key
    }

    func call(to authority: [UInt8], at now: Int64) throws(IssueError) -> UpstreamCall {
        let date = ManagementSignature.date(now)
        let signed = target.bytes
        var authorization = ByteWriter(capacity: 128)
        var scratch = ByteWriter()
        try ManagementSignature.qiniu.write(
            forTarget: signed.span, on: authority, date: date, with: key, into: &authorization, using: &scratch)
        return UpstreamCall(
            .get, authority: authority, path: target.path, query: target.query,
            headers: [
                NameValue("Authorization", authorization.array),
                NameValue("Content-Type", ManagementSignature.form), NameValue("X-Qiniu-Date", date),
                NameValue("Accept", "application/json"), NameValue("User-Agent", "Countersign"),
            ])
    }

    func read(_ answer: UpstreamAnswer) throws(VendorFault) -> VendorReply {
        switch answer.status {
        case 200: return .json(try told(answer.body))
        // No such key, no such bucket.
        case 404, 612, 631: return .absent
        // The marker is the only part of the query that a caller chooses freely; without it, a 400 is a fault of the grant.
        case 400 where target.query.contains { $0.name.span.equals("marker") }: return .unacceptable
        case 401, 403: throw .keyRefused(status: answer.status)
        // The bucket of this request is asked too often; the callback of what it stores has failed.
        case 573, 579: throw .requestRefused(status: answer.status)
        default: throw .status(answer.status)
        }
    }

    /// The part of a successful answer that the caller gets.
    private func told(_ body: [UInt8]) throws(VendorFault) -> [UInt8] {
        let value: JSONValue
        do throws(JSONError) { value = try JSONReader.read(body, as: .json, maximumDepth: 16) } catch {
            throw .unreadable
        }
        var out = ByteWriter(capacity: body.count)
        switch (operation, value.content) {
        case (.buckets, .array(let names)):
            guard names.allSatisfy({ $0.text != nil }) else { throw .unreadable }
            out.append(json: value)
        case (.stat, .object): out.append(json: value)
        case (.list, .object): try write(listing: value, into: &out)
        default: throw .unreadable
        }
        return out.array
    }

    /// Writes what the vendor documents of a listing, without what is outside the prefix. Members that are not documented may be
    /// about any object, and are left out; those of an item are about its key.
    private func write(listing: JSONValue, into out: inout ByteWriter) throws(VendorFault) {
        let marker = member("marker", of: listing)
        let items = try member("items", of: listing).map { list throws(VendorFault) in try inside(list) { $0["key"] } }
        let prefixes = try member("commonPrefixes", of: listing).map { list throws(VendorFault) in
            try inside(list) { $0 }
        }
        guard marker != nil || items != nil || prefixes != nil else { throw .unreadable }
        if let marker, marker.text == nil { throw .unreadable }
        out.append(object: { listing in
            listing.add("items", json: items ?? [])
            if let prefixes { listing.add("commonPrefixes", json: prefixes) }
            if let marker { listing.add("marker", json: marker) }
        })
    }

    /// A member that is there, and not null.
    private func member(_ name: String, of object: JSONValue) -> JSONValue? {
        guard let member = object[name] else { return nil }
        if case .null = member.content { return nil }
        return member
    }

    /// The elements of a list whose names begin with the prefix.
    private func inside(
        _ list: JSONValue, _ name: (JSONValue) -> JSONValue?
    ) throws(VendorFault) -> [JSONValue] {
        guard case .array(let elements) = list.content else { throw .unreadable }
        var admitted: [JSONValue] = []
        for element in elements {
            guard let text = name(element)?.text else { throw .unreadable }
            if text.starts(with: prefix) { admitted.append(element) }
        }
        return admitted
    }
}
