extension OSS {
    /// What `countersign init` writes for it.
    static let sample = StartingSample(
        variable: "OSS_SECRET_KEY",
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
        policyTests: StartingSample.downloads(by: "oss.presigned-url"))
}
