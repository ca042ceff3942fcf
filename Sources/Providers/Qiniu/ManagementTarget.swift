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
            query = fields + ManagementOperation.parameters.listing.fields(of: ask)
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

extension ManagementOperation.ListingParameters {
    /// Checks what the descriptions do not tell.
    func check(_ ask: borrowing Ask) throws(AskError) {
        try check(delimiter, of: ask)
        try check(marker, of: ask)
    }

    private func check(_ parameter: Parameter<Span<UInt8>>, of ask: borrowing Ask) throws(AskError) {
        guard ask[parameter]?.hasControlCharacters == true else { return }
        throw AskError(.invalid, parameter.name, "must have no control characters")
    }

    fileprivate func fields(of ask: borrowing Ask) -> [NameValue] {
        var fields: [NameValue] = []
        if let text = ask[delimiter] { fields.append(NameValue(Array(delimiter.name.utf8), text.array)) }
        if let text = ask[marker] { fields.append(NameValue(Array(marker.name.utf8), text.array)) }
        if let number = ask[limit] {
            fields.append(NameValue(Array(limit.name.utf8), Array(text: "\(number)")))
        }
        return fields
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
