import Bytes

/// Downloads from private buckets: `GET /<key>?e=<deadline>&token=<token>`.
///
/// A domain belongs to a bucket. Here `BUCKET.qiniu.localhost` is the bucket's, and every other host is that of the first bucket that
/// was named when the sandbox was started.
struct KodoDownload {
    let service: KodoService
    /// Of the hosts that name none.
    let standardBucket: [UInt8]

    func answer(_ request: SandboxRequest, _ time: KodoTime) throws -> SandboxResponse {
        guard request.isMethod("GET") || request.isMethod("HEAD") else { throw KodoRefusal.otherMethod }
        try service.signatures.checkDownload(request, at: time.now())
        let key = try KodoQuery.decode(Array(request.path.dropFirst()), plusIsSpace: false)
        guard let (object, file) = service.store.open(key, in: bucket(of: request.host)) else {
            throw KodoRefusal.noDocument
        }
        let tag = [UInt8(ascii: "\"")] + object.hash + [UInt8(ascii: "\"")]
        var fields = [
            NameValue("Content-Type", object.mediaType), NameValue("ETag", tag),
            NameValue("Last-Modified", HTTPDate.write(object.time)), NameValue("Accept-Ranges", "bytes"),
            NameValue("Cache-Control", "public, max-age=31536000"),
        ]
        fields += object.metadata.filter { $0.name.starts(with: "x-qn-meta-".utf8) }
        if let name = try KodoQuery(request.query)["attname"], !name.isEmpty {
            fields.append(
                NameValue(
                    "Content-Disposition", Array("attachment; filename*=utf-8''".utf8) + QueryItems.encode(name)))
        }
        if request.value(of: "if-none-match") == tag { return SandboxResponse(304, fields: fields) }
        var response = SandboxResponse(200, fields: fields)
        var range = 0..<object.size
        switch ByteRange(request.value(of: "range"), of: object.size) {
        case .whole: break
        case .unsatisfiable: throw KodoRefusal.noRange
        case .part(let part):
            range = part
            response.status = 206
            response.add(
                "Content-Range", Array("bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.size)".utf8))
        }
        response.content = .file(file, range)
        return response
    }

    private func bucket(of host: [UInt8]) -> [UInt8] {
        let name = host.prefix { $0 != UInt8(ascii: ":") }.map(\.lowercasedASCII)
        let label = Array(name.prefix { $0 != UInt8(ascii: ".") })
        let isNamed = name.dropFirst(label.count).elementsEqual(".qiniu.localhost".utf8)
        return isNamed && service.store.hasBucket(label) ? label : standardBucket
    }
}
