import Access
import Bytes
import Crypto

/// Path and query of a request to Kodo, of what was asked and permitted. The prefix bounds a listing whatever stands beside it.
struct ManagementTarget: Sendable {
    let path: [UInt8]
    /// Not encoded.
    let query: [NameValue]

    /// - Parameter scratch: room to work in.
    init(
        _ operation: ManagementOperation, _ ask: borrowing Ask, _ permit: borrowing Permit,
        using scratch: inout ByteWriter
    ) {
        path = [UInt8](atMost: 64) { path in
            path.append(UInt8(ascii: "/"))
            path.append(operation.segment)
            if operation == .stat {
                path.append(UInt8(ascii: "/"))
                EntryURI.write(bucket: permit.bucket, key: permit.key, into: &path, using: &scratch)
            }
        }
        switch operation {
        case .buckets, .stat: query = []
        case .list:
            var fields = [NameValue("bucket", permit.bucket.array)]
            if permit.extent == .prefix { fields.append(NameValue("prefix", permit.key.array)) }
            query = fields + ManagementOperation.parameters.listing.fields(of: ask, limit: "limit")
        }
    }

    /// As it is on the request line.
    var bytes: [UInt8] {
        var out = ByteWriter()
        out.append(path)
        if !query.isEmpty {
            out.append(UInt8(ascii: "?"))
            QueryText.write(query, into: &out)
        }
        return out.array
    }
}

extension ManagementSignature {
    /// The value of `X-Qiniu-Date`.
    static func date(_ unixSeconds: Int64) -> [UInt8] {
        var out = ByteWriter(capacity: 16)
        ISO8601.writeBasic(unixSeconds, into: &out)
        return out.array
    }

    /// Writes the value of the Authorization field for a request that has this date and no body, and says that its body is a
    /// form: HTTP clients differ over what they send when nobody says, so it is said, and signed.
    func write(
        forTarget target: Span<UInt8>, on host: [UInt8], date: [UInt8], with key: SigningKey,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        var lines = ByteWriter(capacity: 32)
        lines.append("X-Qiniu-Date: ")
        lines.append(date)
        lines.append("\r\n")
        let (method, type) = (ManagementOperation.method, ManagementSignature.form.array)
        let request = try ManagementRequest(
            method: method.span, target: target, host: host.span, contentType: type.span, fieldLines: lines.bytes,
            body: Span())
        try write(for: request, with: key, into: &out, using: &scratch)
    }
}
