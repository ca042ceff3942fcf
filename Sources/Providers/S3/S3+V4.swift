import Bytes

extension S3 {
    /// Version 4 of AWS's signature as S3 has it: the path is encoded once, and is that of the request (Amazon S3 API reference,
    /// "Authenticating Requests (AWS Signature Version 4)").
    package static func v4(_ style: Style) -> V4Scheme {
        switch style {
        case .virtual: virtualV4
        case .path: pathV4
        }
    }

    private static let virtualV4 = scheme(bucketIn: (path: false, host: true))
    private static let pathV4 = scheme(bucketIn: (path: true, host: false))

    private static func scheme(bucketIn place: (path: Bool, host: Bool)) -> V4Scheme {
        V4Scheme(
            ("AWS4-HMAC-SHA256", prefix: "AWS4", ending: "aws4_request", service: "s3"),
            fields: V4Scheme.FieldNames(
                prefix: "x-amz-", date: "x-amz-date", contentHash: "x-amz-content-sha256",
                token: "x-amz-security-token", signature: "x-amz-signature"),
            parameters: V4Scheme.ParameterNames(
                algorithm: Array("X-Amz-Algorithm".utf8), credential: Array("X-Amz-Credential".utf8),
                date: Array("X-Amz-Date".utf8), expires: Array("X-Amz-Expires".utf8),
                signedHeaders: Array("X-Amz-SignedHeaders".utf8), token: Array("X-Amz-Security-Token".utf8),
                signature: Array("X-Amz-Signature".utf8),
                contentHash: Array("X-Amz-Content-Sha256".utf8),
                carriers: [
                    Array("X-Amz-Algorithm".utf8), Array("X-Amz-Content-Sha256".utf8),
                    Array("X-Amz-Credential".utf8), Array("X-Amz-Date".utf8), Array("X-Amz-Expires".utf8),
                    Array("X-Amz-Security-Token".utf8), Array("X-Amz-SignedHeaders".utf8),
                ],
                reserved: [
                    "awsaccesskeyid", "expires", "signature", "x-amz-algorithm", "x-amz-content-sha256",
                    "x-amz-credential", "x-amz-date", "x-amz-expires", "x-amz-security-token", "x-amz-signature",
                    "x-amz-signedheaders",
                ]),
            authorization: V4Scheme.Authorization(separator: ", ", signedHeaders: "SignedHeaders"), signed: .all,
            bucketIn: place)
    }
}
