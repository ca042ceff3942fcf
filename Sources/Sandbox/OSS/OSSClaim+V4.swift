import Bytes
import Crypto
import HTTP

/// What a key of version 4 is derived for: `20240106/cn-hangzhou/oss/aliyun_v4_request`.
struct OSSScope {
    let accessKeyID: [UInt8]
    let date: [UInt8]
    let region: [UInt8]
    let product: [UInt8]

    private static let terminator: StaticString = "aliyun_v4_request"

    /// - Parameter credential: access key and scope, with slashes between them.
    init(_ credential: [UInt8]) throws(OSSError) {
        let parts = credential.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 5, !parts[0].isEmpty, ByteSet.digits.contains(all: parts[1], length: 8...8),
            // The sandbox stands for OSS in every region.
            ByteSet.lowercaseLabel.contains(all: parts[2], length: 1...64),
            parts[3].elementsEqual("oss".utf8), parts[4] == OSSScope.terminator.array
        else {
            throw .invalidArgument("Invalid credential: it must be AccessKeyId/date/region/oss/aliyun_v4_request.")
        }
        (accessKeyID, date, region, product) = (parts[0], parts[1], parts[2], parts[3])
    }

    var text: [UInt8] {
        Array([date, region, product, OSSScope.terminator.array].joined(separator: [UInt8(ascii: "/")]))
    }

    func key(_ secret: Secret) throws(CryptoError) -> HMACKey {
        try HMACKey(.sha256, prefix: Array("aliyun_v4".utf8), secret).derived(by: date.span).derived(by: region.span)
            .derived(by: product.span).derived(by: OSSScope.terminator.bytes)
    }

    /// When a signature was made, which must be on the day that its key is for.
    /// - Parameter text: `20240106T233431Z`.
    func time(_ text: [UInt8]) throws(OSSError) -> Int64 {
        guard let time = ISO8601.parseBasic(text.span) else {
            throw .invalidArgument("x-oss-date must be a time such as 20240106T233431Z.")
        }
        guard text.starts(with: date) else {
            throw .invalidArgument("The date of the credential is not the day of x-oss-date.")
        }
        return time
    }
}

// Version 4 of OSS's signature (OSS API reference, "Include a V4 signature in the request header" and "in a URL").
extension OSSClaim {
    /// The longest life of a URL, in seconds.
    static let longestLife: Int64 = 604_800
    private static let version: StaticString = "OSS4-HMAC-SHA256"
    private static let payload: StaticString = "UNSIGNED-PAYLOAD"

    init(v4 request: OSSRequest, _ authorization: [UInt8], at now: Int64) throws(OSSError) {
        let parts = try OSSClaim.parts(authorization.dropFirst(OSSClaim.version.utf8CodeUnitCount + 1))
        guard let credential = parts["credential"], let signature = parts["signature"] else {
            throw .invalidArgument("Authorization header is invalid: it needs Credential and Signature.")
        }
        let scope = try OSSScope(credential)
        guard let date = request.head.value(of: "x-oss-date") else { throw .noDate }
        let time = try scope.time(date)
        guard (now - OSSClaim.skew...now + OSSClaim.skew).contains(time) else { throw .skewed(date, at: now) }
        guard request.isField("x-oss-content-sha256", "unsigned-payload") else {
            throw .invalidArgument("x-oss-content-sha256 must be UNSIGNED-PAYLOAD.")
        }
        try self.init(
            v4: request, scope, date: date, signature: signature, additional: parts["additionalheaders"],
            token: request.head.value(of: "x-oss-security-token"))
    }

    init(v4URL request: OSSRequest, at now: Int64) throws(OSSError) {
        guard request.isParameter("x-oss-signature-version", OSSClaim.version) else {
            throw .invalidArgument("x-oss-signature-version must be OSS4-HMAC-SHA256.")
        }
        guard let credential = request.parameter("x-oss-credential"), let date = request.parameter("x-oss-date"),
            let expires = request.parameter("x-oss-expires"), let signature = request.parameter("x-oss-signature")
        else {
            throw .accessDenied(
                "Query-string authentication requires the x-oss-credential, x-oss-date, x-oss-expires and x-oss-signature parameters"
            )
        }
        let scope = try OSSScope(credential)
        let time = try scope.time(date)
        guard let life = Decimal.parse(expires.span, maximum: OSSClaim.longestLife), life > 0 else {
            throw .invalidArgument("x-oss-expires must be between 1 and 604800 seconds.")
        }
        guard time <= now + OSSClaim.skew else { throw .skewed(date, at: now) }
        guard now <= time + life else { throw .expired(time + life, at: now) }
        let additional = request.parameter("x-oss-additional-headers")
        guard additional.map({ !$0.isEmpty }) ?? true else {
            throw .invalidArgument("x-oss-additional-headers must not be empty.")
        }
        try self.init(
            v4: request, scope, date: date, signature: signature, additional: additional,
            token: request.parameter("x-oss-security-token") ?? request.head.value(of: "x-oss-security-token"))
    }

    private init(
        v4 request: OSSRequest, _ scope: OSSScope, date: [UInt8], signature: [UInt8], additional: [UInt8]?,
        token: [UInt8]?
    ) throws(OSSError) {
        let canonical = OSSClaim.canonicalRequest(request, additional: (additional ?? []).map(\.lowercasedASCII))
        let hash: [UInt8]
        do throws(CryptoError) { hash = Hex.encode(try Digest(.sha256, of: canonical.span).bytes.array) } catch {
            throw .internalError
        }
        self.init(
            scheme: .v4(scope), accessKeyID: scope.accessKeyID, securityToken: token, signature: signature,
            stringToSign: Array(
                [OSSClaim.version.array, date, scope.text, hash].joined(separator: [UInt8(ascii: "\n")])),
            canonicalRequest: canonical)
    }

    /// The `name=value` of an Authorization field, by names in lower case.
    private static func parts(_ text: ArraySlice<UInt8>) throws(OSSError) -> [String: [UInt8]] {
        var parts: [String: [UInt8]] = [:]
        for part in text.split(separator: UInt8(ascii: ",")) {
            let trimmed = Array(part).span.trimmed.array
            let name = trimmed.prefix { $0 != UInt8(ascii: "=") }
            let lower = Array(name).map(\.lowercasedASCII).text
            guard name.count < trimmed.count, parts[lower] == nil else {
                throw .invalidArgument("Authorization header is invalid.")
            }
            parts[lower] = Array(trimmed.dropFirst(name.count + 1))
        }
        return parts
    }

    // MARK: The text that is signed

    /// - Parameter additional: names of further fields that are signed, with semicolons between them.
    private static func canonicalRequest(_ request: OSSRequest, additional: [UInt8]) -> [UInt8] {
        let newline = [UInt8(ascii: "\n")]
        var path = [UInt8(ascii: "/")]
        if let bucket = request.bucket { path += bucket + [UInt8(ascii: "/")] + (request.key ?? []) }
        var text = request.head.method + newline + encode(path, keeping: .unreservedPath) + newline
        text += query(request) + newline
        let names = additional.split(separator: UInt8(ascii: ";")).map(Array.init)
        let fields = OSSRequest.joined(request.head.fields) { name in
            name.starts(with: "x-oss-".utf8) || name.span.equals("content-type") || name.span.equals("content-md5")
                || names.contains(name)
        }
        for field in fields { text += field.name + [UInt8(ascii: ":")] + field.value + newline }
        return text + newline + additional + newline + payload.array
    }

    /// Encoded, then sorted.
    private static func query(_ request: OSSRequest) -> [UInt8] {
        let items = request.query.filter { !$0.name.span.equals("x-oss-signature") }.map {
            NameValue(encode($0.name), encode($0.value))
        }.sorted { $0.name.precedes($1.name) }
        return Array(
            items.map { $0.value.isEmpty ? $0.name : $0.name + [UInt8(ascii: "=")] + $0.value }
                .joined(separator: [UInt8(ascii: "&")]))
    }

    private static func encode(_ text: [UInt8], keeping plain: ByteSet = .unreserved) -> [UInt8] {
        var out = ByteWriter(capacity: text.count * 3)
        Percent.encode(text.span, keeping: plain, into: &out)
        return out.array
    }
}
