import Bytes

extension SessionPolicy {
    /// AWS IAM user guide, "IAM JSON policy reference", and the Service Authorization Reference of Amazon S3.
    static func s3(in partition: AWSSTS.Partition) -> SessionPolicy {
        SessionPolicy(
            version: "2012-10-17", resource: Array(text: "arn:\(partition.rawValue):s3:::"), service: "s3:",
            objectActions: [
                "s3:PutObject", "s3:GetObject", "s3:DeleteObject", "s3:AbortMultipartUpload",
                "s3:ListMultipartUploadParts", "s3:RestoreObject", "s3:GetObjectTagging", "s3:GetObjectVersion",
            ],
            listing: (action: "s3:ListBucket", prefix: "s3:prefix"), isASCII: true)
    }
}
