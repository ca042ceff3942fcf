import Access
import Bytes
import Crypto
import Providers

// Where NOS and OSS look for what a request is about.
extension InspectedRequest {
    /// Bucket and key, decoded: the bucket is the host's first label, or the path's first part where the host is the vendor's
    /// own. Nil where the path cannot be decoded.
    /// - Parameters:
    ///   - service: what the vendor's own hosts begin with: `oss`, as in `oss-cn-hangzhou.aliyuncs.com`.
    ///   - endpoints: hosts that are the vendor's own whatever they are called.
    func object(_ service: StaticString, endpoints: [[UInt8]]) -> (bucket: [UInt8], key: [UInt8])? {
        guard let path = decodedPath else { return nil }
        let dot = UInt8(ascii: ".")
        let host = Array(authority.prefix { $0 != UInt8(ascii: ":") })
        let label = authority.prefix { $0 != dot }
        let rest = Array(authority.dropFirst(label.count + 1))
        let isVendors =
            label.span.equals(service) || label.span.begins(with: service) && label.contains(UInt8(ascii: "-"))
        let isService = isVendors && !rest.span.begins(with: service) || rest.isEmpty || endpoints.contains(authority)
        guard isService && !endpoints.contains(rest) || IPAddress(host.text) != nil else {
            return (Array(label), path)
        }
        guard let slash = path.firstIndex(of: UInt8(ascii: "/")) else { return (path, []) }
        return (Array(path[..<slash]), Array(path[(slash + 1)...]))
    }

    /// Signature and end of a URL that names them so; nil, having noted why, where they are not there.
    func signatureAndEnd(in inspection: inout Inspection) -> (signature: [UInt8], deadline: Int64)? {
        guard let signature = parameter("Signature"),
            let deadline = parameter("Expires").flatMap({ Decimal.parse($0.span) })
        else {
            inspection.fails("form", "Signature, and Expires in seconds since 1970, must be there once each")
            return nil
        }
        return (signature, deadline)
    }

    /// What a URL may be asked by, where the method is not known.
    var possibleMethods: [[UInt8]] {
        method.map { [$0] } ?? ["GET", "PUT", "HEAD", "POST", "DELETE"].map { Array(text: $0) }
    }
}

extension Keyring {
    /// What the credentials say for a key; nothing of those that have none.
    func values<Value>(of field: Field<Value?>) -> [Value] { (entries ?? []).compactMap { $0.fields[field] } }

    /// Host and port of where the credentials say that their buckets are; nothing of those that do not say it.
    func endpoints(_ field: Field<[UInt8]?>) -> [[UInt8]] {
        values(of: field).compactMap { BaseURL(endpoint: $0)?.authority }
    }
}

extension InspectedRequest {
    /// The parameter of a URL that is written, on a host that does not matter.
    static func parameter(
        _ name: StaticString,
        of write: (BaseURL, _ out: inout ByteWriter, _ scratch: inout ByteWriter) throws(IssueError) -> Void
    ) throws(IssueError) -> [UInt8] {
        try parameter(name.array, of: write)
    }

    /// The same.
    static func parameter(
        _ name: [UInt8],
        of write: (BaseURL, _ out: inout ByteWriter, _ scratch: inout ByteWriter) throws(IssueError) -> Void
    ) throws(IssueError) -> [UInt8] {
        // RFC 2606.
        guard let base = BaseURL(isSecure: true, Array(text: "vendor.invalid")) else { throw .nothingToSign }
        let url = try written { out, scratch throws(IssueError) in try write(base, &out, &scratch) }
        return InspectedRequest(url: url)?.parameter(name) ?? []
    }

    /// What is written, with room to work in.
    static func written(
        _ write: (_ out: inout ByteWriter, _ scratch: inout ByteWriter) throws(IssueError) -> Void
    ) throws(IssueError) -> [UInt8] {
        var out = ByteWriter()
        var scratch = ByteWriter()
        try write(&out, &scratch)
        return out.array
    }
}

extension Inspection {
    /// Bucket and key of a request, having noted them with its method; nil, having noted why, where its URL cannot be read.
    mutating func object(
        of request: InspectedRequest, _ service: StaticString, endpoints: [[UInt8]]
    ) -> (bucket: [UInt8], key: [UInt8])? {
        guard let object = request.object(service, endpoints: endpoints), request.parameters != nil else {
            fails("form", "a % in the URL must begin %XX, and its query have at most 256 parameters")
            return nil
        }
        if let method = request.method { tell("method", method) }
        tell("bucket", object.bucket)
        tell("key", object.key)
        return object
    }

    /// Notes whether a signature is that of a request by one of these methods, and which.
    mutating func isSigned(
        _ claimed: [UInt8], byOneOf methods: [[UInt8]], otherwise reason: String,
        _ sign: (_ method: [UInt8]) throws(IssueError) -> [UInt8]
    ) {
        let secret = Secret(claimed)
        do throws(IssueError) {
            for method in methods {
                guard secret.constantTimeEquals(Secret(try sign(method))) else { continue }
                if methods.count > 1 { tell("method", method) }
                return holds("signature")
            }
            fails("signature", reason)
        } catch {
            isUnsignable(error)
        }
    }
}
