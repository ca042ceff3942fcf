import Access
import Bytes

/// What a caller says of a request to OSS beside bucket and object, read once, in the form in which it is signed and sent.
struct OSSRequestParts: AskDetail {
    enum Version: CaseIterable {
        case v4, v1

        var name: StaticString {
            switch self {
            case .v4: "v4"
            case .v1: "v1"
            }
        }
    }

    /// The parameters of a request that is signed in a field.
    struct Parameters: ParameterGroup {
        let request = RequestParts.Parameters()
        let version = Parameter(
            "version", .text(maximumLength: 8), default: "v4", "The signature's version, v4 or v1")
    }

    /// Those of a request that is signed in its URL.
    struct URLParameters: ParameterGroup {
        let request: Parameters
        let more = RequestParts.URLParameters()

        init(_ request: Parameters) { self.request = request }
    }

    let version: Version
    let parts: RequestParts

    /// - Throws: if the request could not be signed whatever the grant says.
    init(_ ask: borrowing Ask, _ all: URLParameters) throws(AskError) {
        version = try OSSRequestParts.version(ask, all.request.version)
        parts = try RequestParts(ask, all.request.request, all.more)
        if version == .v1 {
            for name in parts.names
            where !OSS.v4.isAlwaysSigned(name.span) {
                throw AskError(
                    .invalid, "header", "version v1 signs content-type, content-md5 and x-oss- headers alone")
            }
        }
        try check(ask)
    }

    private static func version(
        _ ask: borrowing Ask, _ parameter: Parameter<Span<UInt8>>
    ) throws(AskError) -> Version {
        let version = ask.reading(parameter) { text in Version.allCases.first { text.equals($0.name) } }
        guard let version else { throw AskError(.invalid, "version", "must be v4 or v1") }
        return version
    }

    // MARK: The request

    /// Whether it could be signed, whatever the grant says.
    private func check(_ ask: borrowing Ask) throws(AskError) {
        if let bucket = ask.bucket, !OSS.isBucket(bucket) { throw AskError(.invalid, "bucket", OSS.bucketFault) }
        do throws(IssueError) {
            // Which bucket it is makes no difference; the key is judged when it is known which one is signed.
            try check(key: OSSRequestParts.anyKey.span)
        } catch {
            throw AskError(unsignable: error)
        }
    }

    /// Why a request about this key could not be signed; nil when it can.
    func fault(ofKey key: Span<UInt8>) -> StaticString? {
        switch version {
        case .v1: ObjectRequest.faultV1(ofKey: key)
        case .v4: nil
        }
    }

    private func check(key: Span<UInt8>) throws(IssueError) {
        let request = try request(bucket: OSSRequestParts.anyBucket.span, key: key, lines: parts.lines.span)
        switch version {
        case .v1:
            var text = ByteWriter(capacity: 256)
            try request.writeEndV1(parts.parameters, into: &text)
        case .v4: _ = try CanonicalRequest(request, signing: additional)
        }
    }

    private static let anyBucket = Array("any".utf8)
    private static let anyKey = Array("x".utf8)

    /// - Parameters:
    ///   - lines: the headers, and perhaps more.
    ///   - more: what the service adds to the query.
    @_lifetime(copy bucket, copy key, copy lines, borrow self)
    func request(
        bucket: Span<UInt8>, key: Span<UInt8>, lines: Span<UInt8>, adding more: [NameValue] = []
    ) throws(IssueError) -> ObjectRequest {
        try ObjectRequest(
            OSS.v4, method: parts.method.span, bucket: bucket, key: key, parameters: parts.parameters + more,
            fieldLines: lines)
    }

    /// The headers that version 4 signs only where it is told to.
    var additional: [[UInt8]] { parts.names.filter { !OSS.v4.isAlwaysSigned($0.span) } }
}
