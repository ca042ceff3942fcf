import Bytes

extension OSS {
    /// Version 4 of OSS's signature (OSS API reference, "Include a V4 signature in the Authorization header"). The path that is
    /// signed begins with the bucket though the host names it.
    package static let v4 = V4Scheme(
        ("OSS4-HMAC-SHA256", prefix: "aliyun_v4", ending: "aliyun_v4_request", service: "oss"),
        fields: V4Scheme.FieldNames(
            prefix: "x-oss-", date: "x-oss-date", contentHash: "x-oss-content-sha256", token: "x-oss-security-token",
            signature: "x-oss-signature"),
        parameters: V4Scheme.ParameterNames(
            algorithm: Array("x-oss-signature-version".utf8), credential: Array("x-oss-credential".utf8),
            date: Array("x-oss-date".utf8), expires: Array("x-oss-expires".utf8),
            signedHeaders: Array("x-oss-additional-headers".utf8), token: Array("x-oss-security-token".utf8),
            signature: Array("x-oss-signature".utf8),
            carriers: [
                Array("x-oss-additional-headers".utf8), Array("x-oss-credential".utf8), Array("x-oss-date".utf8),
                Array("x-oss-expires".utf8), Array("x-oss-signature-version".utf8),
            ],
            reserved: [
                "ossaccesskeyid", "expires", "signature", "security-token", "x-oss-access-key-id",
                "x-oss-additional-headers", "x-oss-credential", "x-oss-date", "x-oss-expires", "x-oss-security-token",
                "x-oss-signature", "x-oss-signature-version",
            ]),
        authorization: V4Scheme.Authorization(separator: ",", signedHeaders: "AdditionalHeaders"), signed: .own,
        bucketIn: (path: true, host: true))
}
