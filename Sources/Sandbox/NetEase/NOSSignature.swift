import Bytes
import Crypto
import HTTP

/// A signature of a request to NOS, in its Authorization field or in its URL: base64 of the HMAC-SHA256 over method, Content-MD5,
/// Content-Type, date or end, the `x-nos-` fields and the resource.
struct NOSSignature {
    /// How far a client's clock may be off, in seconds.
    static let skew: Int64 = 900

    private let accessKey: [UInt8]
    /// As it was sent.
    private let signature: [UInt8]
    /// What stands where the date is signed.
    private let date: [UInt8]

    /// Reads what a request claims, and checks that it claims it in time.
    init(_ request: SandboxRequest, _ target: NOSTarget, at now: Int64) throws(NOSRefusal) {
        if request.has("authorization") {
            try self.init(header: request, at: now)
        } else if target.has("NOSAccessKeyId") || target.has("Signature") {
            try self.init(url: target, at: now)
        } else {
            throw .anonymous
        }
    }

    private init(header request: SandboxRequest, at now: Int64) throws(NOSRefusal) {
        let scheme = Array("NOS ".utf8)
        guard let field = request.value(of: "authorization"), field.starts(with: scheme) else {
            throw .malformedAuthorization
        }
        let parts = field.dropFirst(scheme.count).split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { throw .malformedAuthorization }
        (accessKey, signature) = (Array(parts[0]), Array(parts[1]))
        let isApart = request.has("x-nos-date")
        let written = request.value(of: isApart ? "x-nos-date" : "date") ?? []
        guard let time = NOSDate.parse(written) else { throw .undated }
        guard (now - NOSSignature.skew...now + NOSSignature.skew).contains(time) else { throw .skewed }
        // It is signed once, as one of the fields where it stands there.
        date = isApart ? [] : written
    }

    private init(url target: NOSTarget, at now: Int64) throws(NOSRefusal) {
        guard let accessKey = target.value("NOSAccessKeyId"), let signature = target.value("Signature"),
            let date = target.value("Expires"), let end = Decimal.parse(date.span)
        else { throw .malformedExpires }
        guard now < end else { throw .expired }
        (self.accessKey, self.signature, self.date) = (accessKey, signature, date)
    }

    func verify(_ request: SandboxRequest, _ target: NOSTarget, by accounts: VendorAccounts) throws {
        guard let secret = accounts.secret(of: accessKey) else { throw NOSRefusal.unknownKey }
        let key = try HMACKey(.sha256, secret)
        // Some of the vendor's SDKs write ~ as %7E, others leave it.
        let spellings = [ByteSet.dottedWord.union("*"), ByteSet.dottedWord.union("*~")]
        for plain in spellings {
            let text = stringToSign(request, target, keeping: plain)
            let expected = Base64.standard.encode(try key.sign(text.span).bytes.array)
            if Secret(expected).constantTimeEquals(Secret(signature)) { return }
        }
        throw NOSRefusal.wrongSignature(stringToSign(request, target, keeping: spellings[0]))
    }

    // MARK: The text that is signed

    private static let signedParameters: Set<[UInt8]> = Set(
        [
            "acl", "location", "versioning", "versions", "versionId", "uploadId", "uploads", "partNumber", "delete",
            "deduplication", "crop", "resize",
        ].map { Array($0.utf8) })

    private func stringToSign(
        _ request: SandboxRequest, _ target: NOSTarget, keeping plain: ByteSet
    ) -> [UInt8] {
        var out = ByteWriter(capacity: 512)
        for line in [
            request.method, request.value(of: "content-md5") ?? [], request.value(of: "content-type") ?? [], date,
        ] {
            out.append(line)
            out.append("\n")
        }
        for field in NOSSignature.fields(request) {
            out.append(field.name)
            out.append(":")
            out.append(field.value)
            out.append("\n")
        }
        out.append("/")
        if let bucket = target.bucket {
            out.append(bucket)
            out.append("/")
        }
        if let key = target.key { Percent.encode(key.span, keeping: plain, into: &out) }
        NOSSignature.write(target.parameters, keeping: plain, into: &out)
        return out.array
    }

    private static func write(_ parameters: [NOSTarget.Parameter], keeping plain: ByteSet, into out: inout ByteWriter) {
        let signed = parameters.filter { signedParameters.contains($0.name) }.sorted { $0.name.precedes($1.name) }
        for (index, parameter) in signed.enumerated() {
            out.append(index == 0 ? "?" : "&")
            out.append(parameter.name)
            guard let value = parameter.value else { continue }
            out.append("=")
            Percent.encode(value.span, keeping: plain, into: &out)
        }
    }

    /// The `x-nos-` fields in lower case and in order; values of one name are joined by commas.
    private static func fields(_ request: SandboxRequest) -> [NameValue] {
        var values: [[UInt8]: [[UInt8]]] = [:]
        for field in request.fields {
            let name = field.name.map(\.lowercasedASCII)
            if name.span.begins(with: "x-nos-") { values[name, default: []].append(field.value) }
        }
        return values.keys.sorted { $0.precedes($1) }.map { name in
            NameValue(name, Array((values[name] ?? []).joined(separator: [UInt8(ascii: ",")])))
        }
    }
}

/// Dates as NOS reads and writes them.
enum NOSDate {
    private static let utc = Array("GMT".utf8)
    private static let china = Array("Asia/Shanghai".utf8)
    private static let ahead: Int64 = 8 * 3600

    /// `Sat, 11 Feb 2012 05:34:55 GMT`, or the same with China's time and `Asia/Shanghai`.
    /// - Returns: seconds since 1970; nil for anything else.
    static func parse(_ text: [UInt8]) -> Int64? {
        if text.suffix(china.count).elementsEqual(china) {
            return HTTPDate.parse((Array(text.dropLast(china.count)) + utc).span).map { $0 - ahead }
        }
        return HTTPDate.parse(text.span)
    }

    /// As in the Last-Modified field: China's time.
    static func field(_ time: Int64) -> [UInt8] { Array(HTTPDate.write(time + ahead).dropLast(utc.count)) + china }

    /// As in documents: `2012-01-01T12:00:00.000Z`.
    static func element(_ time: Int64) -> [UInt8] { Array(ISO8601.write(time).dropLast()) + Array(".000Z".utf8) }
}
