import Foundation
import Testing

/// The vectors on the pure signers, below the policy.
@Suite struct VectorTests {
    typealias Run = @Sendable (Vector) throws -> Void

    /// What checks the vectors of an operation.
    static let checks: [String: Run] = [
        "qiniu.uploadToken": QiniuVectors.uploadToken,
        "qiniu.sign": QiniuVectors.sign,
        "qiniu.signWithData": QiniuVectors.signWithData,
        "qiniu.parseUploadToken": QiniuVectors.parseUploadToken,
        "qiniu.privateDownloadUrl": QiniuURLVectors.privateDownloadURL,
        "qiniu.privateDownloadUrlForKey": QiniuURLVectors.privateDownloadURLForKey,
        "qiniu.timestampAntiLeechUrl": QiniuURLVectors.timestampAntiLeechURL,
        "qiniu.encodedEntryURI": QiniuRequestVectors.encodedEntryURI,
        "qiniu.managementTokenQBox": QiniuRequestVectors.managementTokenQBox,
        "qiniu.managementTokenV2": QiniuRequestVectors.managementTokenV2,
        "qiniu.verifyCallback": QiniuRequestVectors.verifyCallback,
        "nos.authorization": NOSVectors.authorization,
        "nos.presignedUrl": NOSVectors.presignedURL,
        "nos.signEncodedPolicy": NOSVectors.signEncodedPolicy,
        "nos.uploadToken": NOSVectors.uploadToken,
        "oss.callback.verify": OSSFormVectors.verifyCallback,
        "oss.post.v1": OSSFormVectors.postV1,
        "oss.post.v4": OSSFormVectors.postV4,
        "oss.rtmp.v1": OSSFormVectors.rtmpV1,
        "oss.sign.v1": OSSVectors.signV1,
        "oss.sign.v4": OSSV4Vectors.sign,
        "oss.v1.header": OSSVectors.headerV1,
        "oss.v1.presign": OSSVectors.presignV1,
        "oss.v2.header": OSSVectors.headerV2,
        "oss.v2.presign": OSSVectors.presignV2,
        "oss.v4.header": OSSV4Vectors.header,
        "oss.v4.presign": OSSV4Vectors.presign,
        "s3.sign.evaporate": S3Vectors.sign,
        "s3.sign.iceberg": S3Vectors.iceberg,
        "s3.sign.uppy": S3Vectors.uppy,
        "s3.v4.post": S3Vectors.post,
        "s3.v4.header": S3Vectors.header,
        "s3.v4.presign": S3Vectors.presign,
        "sigv4.suite": S3Vectors.suite,
        "sts.acs3.sign": STSVectors.acs3,
        "sts.parse": AWSSTSVectors.parse,
        "sts.query.sign": AWSSTSVectors.sign,
        "sts.rpc.sign": STSVectors.rpc,
    ]

    @Test(arguments: Vector.all)
    func `a signer gives what the vendor's own gives`(vector: Vector) throws {
        let check = try #require(VectorTests.checks[vector.operation], "\(vector.operation) is not checked")
        try check(vector)
    }

    @Test func `every file has the vectors that it says it has`() {
        #expect(Vector.incomplete.isEmpty)
        #expect(Set(Vector.all.map(\.id)).count == Vector.all.count, "no two vectors have one id")
    }

    @Test(arguments: checks.keys.sorted())
    func `every operation that is checked has vectors`(operation: String) {
        #expect(Vector.all.contains { $0.operation == operation }, "no file has a vector of \(operation)")
    }
}
