import Access
import Bytes
import Crypto

/// What `/oss/sign` is asked with.
extension RemoteSignature {
    struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let contentToSign = Parameter(
            "contentToSign", aliases: ["content", "stringToSign"],
            .text(maximumLength: SignedText.maximumLength), "The string to sign, as the client's SDK made it.")
        let canonicalRequest = Parameter(
            "canonicalRequest", .text(maximumLength: SignedText.maximumLength),
            "The canonical request that a V4 string to sign has the hash of.")
        let version = Parameter(
            "version", .text(maximumLength: 8), default: "v1", "The signature's version: v1, or v4")
        let method = Parameter(
            "method", .text(maximumLength: 16), "The request's verb, as remote signers send it.")
        let bucket = Parameter("bucket", .bucket, "The request's bucket, as remote signers send it.")
        let key = Parameter(
            "key", .key(maximumLength: OSS.maximumKeyLength), "The request's key, as remote signers send it.")
        let accessKeyID = Parameter(
            "accessKeyId", .text(maximumLength: 128), "The access key that the client took for its own.")
        let region = Parameter(
            "region", .text(maximumLength: 64), "Sent by remote signers; V1 does not sign it.")
        let product = Parameter(
            "product", .text(maximumLength: 64), "Sent by remote signers; V1 does not sign it.")
        let date = Parameter(
            "date", .text(maximumLength: 64),
            "The day of a V4 signature, as remote signers send it; a V1 string has its own.")
    }

    static let parameters = Parameters()

    /// What was read, and what it is about: ranges in the text of a parameter.
    private struct Reading {
        let request: RemoteRequest
        let end: Ask.End
        let bucket, key: Range<Int>
        let parameter: Parameter<Span<UInt8>>
    }

    static func read(_ ask: inout Ask, at now: Int64) throws(AskError) {
        let reading: Reading
        switch try version(of: ask) {
        case .v1: reading = try readV1(ask, at: now)
        case .v4:
            guard ask.has(parameters.canonicalRequest.description) else { return try readTold(&ask, at: now) }
            reading = try readV4(ask, at: now)
        }
        ask.detail = reading.request
        ask.end = reading.end
        ask.setTarget(
            bucket: reading.bucket, key: reading.key, isEncoded: reading.request.version == .v4, in: reading.parameter)
    }

    private static func version(of ask: borrowing Ask) throws(AskError) -> RemoteRequest.Version {
        let version = ask.reading(parameters.version) { RemoteRequest.Version($0) }
        guard let version else { throw AskError(.invalid, "version", "must be v1 or v4") }
        return version
    }

    private static func readV1(_ ask: borrowing Ask, at now: Int64) throws(AskError) -> Reading {
        guard !ask.has(parameters.canonicalRequest.description) else {
            throw AskError(.invalid, "canonicalRequest", "is of version v4 only")
        }
        let text = try text(of: ask)
        let string: StringToSign
        do throws(StringToSignError) { string = try StringToSign(reading: text) } catch {
            throw AskError(.unreadableStringToSign, "contentToSign", error.description)
        }
        try check(ask, agreesWith: string.verb, bucket: string.bucket)
        if let key = ask.key, !key.equals(string.key) { throw disagreement("key") }
        let end: Ask.End =
            switch string.moment {
            case .date(let date): .fixed(date + OSS.dateTolerance)
            case .expires(let end): .binding(end)
            }
        return Reading(
            request: RemoteRequest(string, at: now), end: end, bucket: string.bucketRange, key: string.keyRange,
            parameter: parameters.contentToSign)
    }

    private static func readV4(_ ask: borrowing Ask, at now: Int64) throws(AskError) -> Reading {
        guard let text = ask[parameters.canonicalRequest] else {
            throw AskError(.missing, "canonicalRequest", "must be the canonical request")
        }
        let string = try stringV4(of: ask)
        let reading = try RemoteReading(string, of: text, lasting: OSS.dateTolerance, at: now)
        if let verb = reading.request.verb {
            try check(ask, agreesWith: verb, bucket: text.extracting(reading.bucket))
        }
        let encoded = text.extracting(reading.key)
        if let key = ask.key, !ParsedCanonicalRequest.isEncoding(encoded, of: key, keeping: .unreservedPath) {
            throw disagreement("key")
        }
        return Reading(
            request: reading.request, end: reading.end, bucket: reading.bucket, key: reading.key,
            parameter: parameters.canonicalRequest)
    }

    /// A string without its canonical request is good only for who is trusted in what he says of it.
    private static func readTold(_ ask: inout Ask, at now: Int64) throws(AskError) {
        let (request, date) = try told(ask, at: now)
        ask.detail = request
        // It may be a URL's, and nobody knows how long that lives.
        ask.end = .fixed(date + 604_800)
        if ask.key == nil {
            if ask.bucket == nil { ask.isAboutService = true } else { ask.setTargetToBucket() }
        }
        ask.obscurity = AskError(
            .unreadableStringToSign, "canonicalRequest",
            "is needed: the string to sign is the hash of it, and does not tell what is signed")
    }

    private static func told(
        _ ask: borrowing Ask, at now: Int64
    ) throws(AskError) -> (RemoteRequest, date: Int64) {
        let string = try stringV4(of: ask)
        // Without the method, the caller is told that the canonical request is needed.
        guard let method = ask[parameters.method] else {
            return (RemoteRequest(told: nil, of: string, at: now), string.moment)
        }
        guard let verb = RequestVerb(method) else { throw disagreement("method") }
        return (RemoteRequest(told: verb, of: string, at: now), string.moment)
    }

    // MARK: The parameters

    @_lifetime(borrow ask)
    private static func text(of ask: borrowing Ask) throws(AskError) -> Span<UInt8> {
        guard let text = ask[parameters.contentToSign] else {
            throw AskError(.missing, "contentToSign", "must be the string to sign")
        }
        return text
    }

    @_lifetime(borrow ask)
    private static func stringV4(of ask: borrowing Ask) throws(AskError) -> StringToSignV4 {
        let string = try RemoteReading.string(text(of: ask), OSS.v4)
        if let region = ask[parameters.region], !region.equals(string.region) { throw disagreement("region") }
        if let product = ask[parameters.product], !product.equals(string.product) {
            throw disagreement("product")
        }
        if let date = ask[parameters.date], !date.equals(string.day) { throw disagreement("date") }
        return string
    }

    private static func check(
        _ ask: borrowing Ask, agreesWith verb: RequestVerb, bucket: Span<UInt8>
    ) throws(AskError) {
        if let method = ask[parameters.method], !method.equals(verb.name) { throw disagreement("method") }
        if let asked = ask.bucket, !asked.equals(bucket) { throw disagreement("bucket") }
    }

    private static func disagreement(_ parameter: String) -> AskError {
        AskError(.invalid, parameter, "must be that of what is to be signed, or left out")
    }
}
