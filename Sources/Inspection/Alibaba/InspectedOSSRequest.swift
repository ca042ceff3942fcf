import Access
import Bytes
import Crypto
import Providers

/// A request to OSS that was given for inspection, as much of it as its signatures cover.
struct InspectedOSSRequest {
    let bucket: [UInt8]
    let key: [UInt8]
    let request: InspectedRequest
    /// The query's parameters without those of the signature itself.
    private let parameters: [NameValue]
    private let lines: [UInt8]

    /// Notes what it is about; nil where it cannot be read.
    init?(_ request: InspectedRequest, _ keyring: Keyring, in inspection: inout Inspection) {
        let endpoints = keyring.endpoints(OSS.credential.endpoint)
        guard let object = inspection.object(of: request, "oss", endpoints: endpoints) else { return nil }
        let parameters = request.parameters ?? []
        for parameter in parameters where !InspectedOSSRequest.isOwn(parameter.name) {
            inspection.tell("query." + parameter.name.text, parameter.value ?? [])
        }
        (bucket, key) = object
        self.request = request
        self.parameters = parameters.filter { !InspectedOSSRequest.isOwn($0.name) }
            .map { NameValue($0.name, $0.value ?? []) }
        lines = request.fieldLines
    }

    func signed<Result>(
        by method: [UInt8], _ use: (borrowing OSSRequest) throws(IssueError) -> Result
    ) throws(IssueError) -> Result {
        let signed = try OSSRequest(
            method: method.span, bucket: bucket.span, key: key.span, parameters: parameters, fieldLines: lines.span)
        return try use(signed)
    }

    func signed<Result>(
        by method: [UInt8], with additional: [[UInt8]],
        _ use: (borrowing CanonicalRequest) throws(IssueError) -> Result
    ) throws(IssueError) -> Result {
        let signed = try OSSRequest(
            method: method.span, bucket: bucket.span, key: key.span, parameters: parameters, fieldLines: lines.span)
        return try use(try CanonicalRequest(signed, signing: additional))
    }

    /// The region that the host names, as in `oss-cn-hangzhou-internal`; nil where it names none.
    var hostRegion: [UInt8]? {
        let labels = request.authority.split(separator: UInt8(ascii: "."))
        let (start, end) = (Array("oss-".utf8), Array("-internal".utf8))
        guard labels.count >= 3, let label = labels.first(where: { $0.starts(with: start) && $0 != labels[0] }) else {
            return nil
        }
        let name = label.reversed().starts(with: end.reversed()) ? label.dropLast(end.count) : label
        let region = Array(name.dropFirst(start.count))
        return region.starts(with: "accelerate".utf8) ? nil : region
    }

    private static func isOwn(_ name: [UInt8]) -> Bool { own.contains { name.span.equals($0) } }

    private static let own: [StaticString] = [
        "OSSAccessKeyId", "Expires", "Signature", "security-token", "x-oss-additional-headers", "x-oss-credential",
        "x-oss-date", "x-oss-expires", "x-oss-security-token", "x-oss-signature", "x-oss-signature-version",
    ]
}

/// The key that a version 4 signature names: `AK/20240106/cn-hangzhou/oss/aliyun_v4_request`.
struct InspectedScope {
    let accessKey: [UInt8]
    let day, region, product: [UInt8]

    init?(_ credential: [UInt8]) {
        let parts = credential.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 5, !parts[0].isEmpty, parts[4].elementsEqual(ScopedKey.ending.array) else { return nil }
        (accessKey, day, region, product) = (parts[0], parts[1], parts[2], parts[3])
    }

    static let form = "the credential must be access key/day/region/product/aliyun_v4_request"

    /// The derived key; nil, having noted why, if it cannot be the one that was signed with.
    /// - Parameter moment: the date of what is signed.
    func key(of entry: Keyring.Entry, at moment: Int64, in inspection: inout Inspection) -> ScopedKey? {
        do throws(IssueError) {
            return try ScopedKey(entry.key, region: region, product: product, at: moment)
        } catch {
            inspection.isUnsignable(error)
            return nil
        }
    }

    /// Notes region and product, and where they cannot be right.
    func tell(of moment: Int64, host region: [UInt8]?, in inspection: inout Inspection) {
        inspection.tell("region", self.region)
        if product != ScopedKey.product.array { inspection.tell("product", product) }
        var date = ByteWriter()
        ISO8601.writeBasic(moment, into: &date)
        if day != Array(date.array.prefix(8)) {
            inspection.fails("scope", "the credential's day must be that of the date")
        }
        if let region, region != self.region {
            inspection.fails("scope", "the credential's region must be the host's")
        }
    }
}

extension Inspection {
    /// Notes that a temporary key's token comes with it; the token itself is as secret as the key.
    mutating func tellToken(_ token: [UInt8]?) {
        if let token { tell("security token", "of \(token.count) bytes") }
    }
}
