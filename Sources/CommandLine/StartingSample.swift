/// What a starting configuration has for one vendor, in lines of JSON5. In it `CALLERS` stands for who may use a grant, `CALLER` for
/// one of them, and `NAME` for that one's `${caller.id}`.
struct StartingSample {
    /// Its name in the registry.
    let provider: String
    /// The environment variable that its secret is read from.
    let variable: String
    let credential: String
    let grants: String
    let policyTests: String

    static let all = [qiniu, nos, oss, sts, s3, awsSTS]

    private static let qiniu = StartingSample(
        provider: "qiniu", variable: "QINIU_SECRET_KEY",
        credential: """
            "qiniu": { provider: "qiniu", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "QINIU_SECRET_KEY" } },
            """,
        grants: """
            // Uploads to Qiniu below photos/: images of at most 5 MiB, for ten minutes. Existing objects are not overwritten.
            "photos": {
              route: "qiniu.uptoken", credential: "qiniu", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "photos/${caller.id}/",
              lifetime: "10m", maxLifetime: "1h",
              policy: { fsizeLimit: "5MiB", mimeLimit: "image/jpeg;image/png" },
            },
            // URLs to download them from the private domain of the bucket.
            "pictures": {
              route: "qiniu.download-url", credential: "qiniu", callers: ["CALLERS"],
              domain: "<YOUR-DOMAIN>", keyPrefix: "photos/${caller.id}/", lifetime: "10m",
            },
            // Lists of keys: the service asks Kodo, and returns only the keys below the prefix.
            "listing": {
              route: "qiniu.files", credential: "qiniu", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "photos/${caller.id}/",
            },
            """,
        policyTests: """
            {
              caller: "CALLER", route: "qiniu.uptoken", parameters: { key: "photos/NAME/a.jpg" },
              expect: "allow", gives: { grant: "photos", key: "photos/NAME/a.jpg", lifetime: "10m" },
            },
            { caller: "CALLER", route: "qiniu.uptoken", parameters: { key: "photos/other/a.jpg" }, expect: "deny" },
            { caller: "anonymous", route: "qiniu.uptoken", expect: "unauthenticated" },
            """)

    private static let nos = StartingSample(
        provider: "nos", variable: "NOS_SECRET_KEY",
        credential: """
            "nos": {
              provider: "nos", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "NOS_SECRET_KEY" },
              endpoint: "nos-eastchina1.126.net",
            },
            """,
        grants: """
            // Uploads of single objects to NetEase NOS.
            "files": {
              route: "nos.token", credential: "nos", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "inbox/${caller.id}/", lifetime: "10m",
            },
            // URLs to download them.
            "links": {
              route: "nos.presigned-url", credential: "nos", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "inbox/${caller.id}/", methods: ["GET"], lifetime: "10m",
            },
            // Lists of keys: the service asks NOS, and returns only the keys below the prefix.
            "file-list": {
              route: "nos.files", credential: "nos", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "inbox/${caller.id}/",
            },
            """,
        policyTests: """
            { caller: "CALLER", route: "nos.token", parameters: { object: "inbox/NAME/a.jpg" }, expect: "allow" },
            { caller: "CALLER", route: "nos.token", parameters: { object: "inbox/other/a.jpg" }, expect: "deny" },
            """)

    private static let oss = StartingSample(
        provider: "oss", variable: "OSS_SECRET_KEY",
        credential: """
            "oss": {
              provider: "oss", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "OSS_SECRET_KEY" },
              region: "cn-hangzhou",
            },
            """,
        grants: """
            // Signatures for strings that SDKs of Alibaba OSS build. The service reads each string before it signs it.
            "oss-sign": {
              route: "oss.sign", credential: "oss", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "users/${caller.id}/",
              methods: ["GET", "PUT"], headers: ["x-oss-meta-*"], presign: "5m",
            },
            // Requests to OSS and URLs that the service itself builds and signs.
            "oss-requests": {
              route: "oss.authorization", credential: "oss", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "users/${caller.id}/", methods: ["GET", "PUT"],
            },
            "oss-links": {
              route: "oss.presigned-url", credential: "oss", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "users/${caller.id}/", methods: ["GET"], lifetime: "10m",
            },
            // Forms with which web pages upload images of at most 5 MiB.
            "oss-forms": {
              route: "oss.post-policy", credential: "oss", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "forms/${caller.id}/",
              maxSize: "5MiB", contentTypes: ["image/jpeg", "image/png"], lifetime: "10m",
            },
            """,
        policyTests: downloads(by: "oss.presigned-url"))

    private static let s3 = StartingSample(
        provider: "s3", variable: "S3_SECRET_KEY",
        credential: """
            "s3": {
              provider: "s3", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "S3_SECRET_KEY" },
              endpoint: "s3.eu-west-1.amazonaws.com", region: "eu-west-1",
            },
            """,
        grants: """
            // URLs to upload images of at most 5 MiB to S3, and to download them. Existing objects are not overwritten.
            "s3-links": {
              route: "s3.presigned-url", credential: "s3", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "users/${caller.id}/", methods: ["GET", "PUT"], lifetime: "10m",
              maxSize: "5MiB", contentTypes: ["image/jpeg", "image/png"],
            },
            """,
        policyTests: downloads(by: "s3.presigned-url"))

    private static let sts = StartingSample(
        provider: "sts", variable: "STS_SECRET_KEY",
        credential: """
            // Alibaba Cloud STS: the key of a RAM user who may only assume this role.
            "sts": {
              provider: "sts", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "STS_SECRET_KEY" },
              roleArn: "<YOUR-ROLE-ARN>", region: "cn-hangzhou",
            },
            """,
        grants: """
            // Temporary keys for uploads below users/, in the format that Alibaba's SDKs fetch.
            "sessions": {
              route: "distribute-token", credential: "sts", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "users/${caller.id}/", lifetime: "15m", maxLifetime: "1h",
              actions: ["oss:PutObject", "oss:AbortMultipartUpload", "oss:ListParts"],
            },
            """,
        policyTests: sessions(of: "distribute-token"))

    private static let awsSTS = StartingSample(
        provider: "aws-sts", variable: "AWS_SECRET_ACCESS_KEY",
        credential: """
            // AWS STS: the key of an IAM user who may only assume this role.
            "aws-sts": {
              provider: "aws-sts", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "AWS_SECRET_ACCESS_KEY" },
              roleArn: "<YOUR-AWS-ROLE-ARN>", region: "eu-west-1",
            },
            """,
        grants: """
            // Temporary keys for uploads below users/, in the format that AWS's SDKs fetch.
            "s3-sessions": {
              route: "s3.credentials", credential: "aws-sts", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "users/${caller.id}/", lifetime: "15m", maxLifetime: "1h",
              actions: ["s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"],
            },
            """,
        policyTests: sessions(of: "s3.credentials"))

    /// Tests that a route gives URLs of a caller's own objects, and of no others.
    private static func downloads(by route: String) -> String {
        """
        {
          caller: "CALLER", route: "\(route)",
          parameters: { key: "users/NAME/a.jpg", method: "GET" }, expect: "allow",
        },
        {
          caller: "CALLER", route: "\(route)",
          parameters: { key: "users/other/a.jpg", method: "GET" }, expect: "deny",
        },
        """
    }

    /// Tests that a route gives temporary keys to callers who are known.
    private static func sessions(of route: String) -> String {
        """
        { caller: "CALLER", route: "\(route)", expect: "allow" },
        { caller: "anonymous", route: "\(route)", expect: "unauthenticated" },
        """
    }
}
