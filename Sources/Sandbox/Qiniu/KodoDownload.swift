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
        if let wanted = request.value(of: "range"), let found = try KodoDownload.range(wanted, of: object.size) {
            range = found
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

    /// The one range of a Range field (RFC 9110 section 14.1.2).
    /// - Returns: nil for what is no range of bytes, or more than one; all is sent then.
    private static func range(_ field: [UInt8], of size: Int) throws -> Range<Int>? {
        let unit = Array("bytes=".utf8)
        let ends = field.dropFirst(unit.count).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard field.starts(with: unit), ends.count == 2, !ends.joined().isEmpty else { return nil }
        let numbers = ends.map { Decimal.parse(Array($0).span).map { Int(clamping: $0) } }
        guard zip(ends, numbers).allSatisfy({ $0.isEmpty == ($1 == nil) }) else { return nil }
        let found: Range<Int>
        switch (numbers[0], numbers[1]) {
        case (nil, let last?): found = max(0, size - last)..<size
        case (let first?, nil): found = min(first, size)..<size
        case (let first?, let last?):
            guard first <= last else { return nil }
            found = min(first, size)..<min(last.addingReportingOverflow(1).overflow ? size : last + 1, size)
        case (nil, nil): return nil
        }
        guard !found.isEmpty else { throw KodoRefusal.noRange }
        return found
    }
}
