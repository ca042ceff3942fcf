import Bytes

// Version 1 of OSS's signature (OSS API reference, "Include signatures in the Authorization header" and "Add signatures to URLs").
extension OSSClaim {
    init(v1 request: OSSRequest, _ authorization: [UInt8], at now: Int64) throws(OSSError) {
        let parts = authorization.dropFirst(4).split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw .invalidArgument("Authorization header is invalid.")
        }
        // `x-oss-date` is there for clients that may not set Date.
        let date = request.head.value(of: "x-oss-date") ?? request.head.value(of: "date") ?? []
        guard let time = HTTPDate.parse(date.span) else { throw .noDate }
        guard (now - OSSClaim.skew...now + OSSClaim.skew).contains(time) else { throw .skewed(date, at: now) }
        self.init(
            scheme: .v1, accessKeyID: Array(parts[0]),
            securityToken: request.head.value(of: "x-oss-security-token"), signature: Array(parts[1]),
            stringToSign: OSSClaim.v1Text(request, date: date))
    }

    init(v1URL request: OSSRequest, at now: Int64) throws(OSSError) {
        guard let accessKeyID = request.parameter("OSSAccessKeyId"), let expires = request.parameter("Expires"),
            let signature = request.parameter("Signature"), !accessKeyID.isEmpty, !signature.isEmpty
        else { throw .noQueryParameters }
        guard let expiry = Decimal.parse(expires.span) else {
            throw .invalidArgument("Invalid date (should be seconds since epoch): \(expires.text)")
        }
        guard now <= expiry else { throw .expired(expiry, at: now) }
        self.init(
            scheme: .v1, accessKeyID: accessKeyID,
            securityToken: request.parameter("security-token") ?? request.head.value(of: "x-oss-security-token"),
            signature: signature, stringToSign: OSSClaim.v1Text(request, date: expires))
    }

    /// - Parameter date: as it was sent: the request's time, or when a URL ends.
    private static func v1Text(_ request: OSSRequest, date: [UInt8]) -> [UInt8] {
        let newline = [UInt8(ascii: "\n")]
        var text = request.head.method + newline
        text += (request.head.value(of: "content-md5") ?? []) + newline
        text += (request.head.value(of: "content-type") ?? []) + newline
        text += date + newline
        for field in request.vendorFields { text += field.name + [UInt8(ascii: ":")] + field.value + newline }
        return text + v1Resource(request)
    }

    private static func v1Resource(_ request: OSSRequest) -> [UInt8] {
        let slash = [UInt8(ascii: "/")]
        var resource = slash
        if let bucket = request.bucket { resource += bucket + slash + (request.key ?? []) }
        let signed = request.query.filter { OSSSubresource.isSigned($0.name) }.sorted { $0.name.precedes($1.name) }
        for (index, item) in signed.enumerated() {
            resource += [UInt8(ascii: index == 0 ? "?" : "&")] + item.name
            if !item.value.isEmpty { resource += [UInt8(ascii: "=")] + item.value }
        }
        return resource
    }
}

/// The parameters of a query that version 1 signs, of which most ask for something else than the object's bytes.
enum OSSSubresource {
    /// What they ask for, the sandbox does.
    private static let done: Set<String> = [
        "uploads", "location", "delete", "objectMeta", "uploadId", "partNumber", "security-token", "bucketInfo",
        "callback",
        "callback-var", "continuation-token", "response-content-type", "response-content-language", "response-expires",
        "response-cache-control", "response-content-disposition", "response-content-encoding",
    ]

    /// What they ask for, only the vendor does.
    private static let notDone: Set<String> = [
        "acl", "cors", "logging", "website", "referer", "lifecycle", "append", "tagging", "objectInfo", "position",
        "img",
        "style", "styleName", "replication", "replicationProgress", "replicationLocation", "cname", "comp", "qos",
        "qosInfo",
        "live", "status", "vod", "startTime", "endTime", "symlink", "stat", "restore", "encryption", "versions",
        "versioning", "versionId", "policy", "policyStatus", "requestPayment", "asyncFetch", "sequential", "inventory",
        "inventoryId", "worm", "wormId", "wormExtend", "transferAcceleration", "metaQuery", "resourceGroup",
        "regionList",
        "cloudboxes", "group", "link", "udf", "udfName", "udfImage", "udfImageDesc", "udfApplication",
        "udfApplicationLog",
        "processConfiguration", "vip", "vpcip", "bucketArchiveDirectRead", "httpsConfig", "redundancyTransition",
        "accessPoint", "accessPointPolicy", "publicAccessBlock", "requesterQosInfo", "qosRequester", "resourcePoolInfo",
        "resourcePool", "resourcePoolBuckets", "cleanRestoredObject", "seal",
    ]

    static func isSigned(_ name: [UInt8]) -> Bool {
        name.starts(with: "x-oss-".utf8) || done.contains(name.text) || notDone.contains(name.text)
    }

    /// The first parameter that asks for what the sandbox does not do.
    static func notDone(_ query: [NameValue]) -> String? {
        query.map(\.name.text).first { notDone.contains($0) || $0 == "x-oss-process" || $0 == "x-oss-async-process" }
    }
}
