import Bytes

extension SessionPolicy {
    /// OSS developer guide, "RAM policies".
    static let oss = SessionPolicy(
        version: "1", resource: Array(text: "acs:oss:*:*:"), service: "oss:",
        objectActions: [
            "oss:PutObject", "oss:GetObject", "oss:DeleteObject", "oss:AbortMultipartUpload", "oss:ListParts",
            "oss:RestoreObject", "oss:GetObjectTagging", "oss:GetObjectVersion",
        ],
        listing: (action: "oss:ListObjects", prefix: "oss:Prefix"), isASCII: false)
}
