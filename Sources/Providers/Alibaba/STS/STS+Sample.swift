extension STS {
    /// What `countersign init` writes for it.
    static let sample = StartingSample(
        variable: "STS_SECRET_KEY",
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
        policyTests: StartingSample.sessions(of: "distribute-token"))
}
