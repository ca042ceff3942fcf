import Bytes

/// The query parameters that OSS V1 signs as part of the resource.
///
/// Alibaba publishes no single list: this is the union over the vendor's SDKs (`oss-sts.md` section 15), and every
/// `x-oss-*` parameter (Go SDK v2, `oss/signer/v1.go`). Case matters.
package enum SubResources {
    /// Whether a parameter of this name is signed.
    package static func isSigned(_ name: Span<UInt8>) -> Bool {
        isExtension(name) || isListed(name)
    }

    /// In ascending byte order.
    static let names: [StaticString] = [
        "accessPoint", "accessPointPolicy", "acl", "append", "asyncFetch", "bucketArchiveDirectRead", "bucketInfo",
        "callback", "callback-var", "cleanRestoredObject", "cloudboxes", "cname", "comp", "continuation-token",
        "cors", "delete", "encryption", "endTime", "group", "httpsConfig", "img", "inventory", "inventoryId",
        "lifecycle", "link", "live", "location", "logging", "metaQuery", "objectInfo", "objectMeta", "partNumber",
        "policy", "policyStatus", "position", "processConfiguration", "publicAccessBlock", "qos", "qosInfo",
        "qosRequester", "redundancyTransition", "referer", "regionList", "replication", "replicationLocation",
        "replicationProgress", "requestPayment", "requesterQosInfo", "resourceGroup", "resourcePool",
        "resourcePoolBuckets", "resourcePoolInfo", "response-cache-control", "response-content-disposition",
        "response-content-encoding", "response-content-language", "response-content-type", "response-expires",
        "restore", "seal", "security-token", "sequential", "startTime", "stat", "status", "style", "styleName",
        "symlink", "tagging", "transferAcceleration", "udf", "udfApplication", "udfApplicationLog", "udfImage",
        "udfImageDesc", "udfName", "uploadId", "uploads", "versionId", "versioning", "versions", "vip", "vod",
        "vpcip", "website", "worm", "wormExtend", "wormId",
    ]

    private static func isListed(_ name: Span<UInt8>) -> Bool {
        for listed in names where name.equals(listed) { return true }
        return false
    }

    /// The vendor's own are all of lower-case letters, digits and hyphens; other names are not understood.
    private static func isExtension(_ name: Span<UInt8>) -> Bool {
        name.begins(with: "x-oss-") && name.count > "x-oss-".utf8.count && ByteSet.lowercaseLabel.contains(all: name)
    }
}
