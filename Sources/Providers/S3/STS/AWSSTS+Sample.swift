extension AWSSTS {
    /// What `countersign init` writes for it.
    static let sample = StartingSample(
        variable: "AWS_SECRET_ACCESS_KEY",
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
        policyTests: StartingSample.sessions(of: "s3.credentials"))
}
