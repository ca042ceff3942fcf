import Access
import Bytes

/// What a caller says of a request to OSS beside bucket and object, read once: its version, and the rest in the ask's notes.
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

    /// - Throws: if the request could not be signed whatever the grant says.
    init(_ ask: inout Ask, _ all: URLParameters) throws(AskError) {
        version = try OSSRequestParts.version(ask, all.request.version)
        try RequestParts.note(all.request.request, all.more, in: &ask)
        let request = JudgedRequest(ask.notes.bytes)
        guard version == .v4 || request.headers.allSatisfy(OSS.v4.isAlwaysSigned) else {
            throw AskError(
                .invalid, "header", "version v1 signs content-type, content-md5 and x-oss- headers alone")
        }
        if let bucket = ask.bucket, !OSS.isBucket(bucket) { throw AskError(.invalid, "bucket", OSS.bucketFault) }
        // Which bucket it is makes no difference; the key is judged when it is known which one is signed.
        try request.checkSignable(OSS.v4) { signed throws(IssueError) in
            guard version == .v1 else { return }
            try ByteWriter.lending { text throws(IssueError) in try signed.writeEndV1(into: &text) }
        }
    }

    private static func version(
        _ ask: borrowing Ask, _ parameter: Parameter<Span<UInt8>>
    ) throws(AskError) -> Version {
        let version = ask.reading(parameter) { text in Version.allCases.first { text.equals($0.name) } }
        guard let version else { throw AskError(.invalid, "version", "must be v4 or v1") }
        return version
    }

    /// Why a request about this key could not be signed; nil when it can.
    func fault(ofKey key: Span<UInt8>) -> StaticString? {
        switch version {
        case .v1: ObjectRequest.faultV1(ofKey: key)
        case .v4: nil
        }
    }
}
