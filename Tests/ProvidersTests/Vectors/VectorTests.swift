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
        "oss.sign.v1": OSSVectors.signV1,
        "sts.acs3.sign": STSVectors.acs3,
        "sts.rpc.sign": STSVectors.rpc,
    ]

    /// Operations that the service does not have yet. Each leaves this list when it comes.
    static let awaited: Set<String> = [
        "oss.v1.header", "oss.v1.presign", "oss.v2.header", "oss.v2.presign",
        "oss.v4.header", "oss.v4.presign", "oss.sign.v4", "oss.post.v1", "oss.post.v4", "oss.rtmp.v1",
        "oss.callback.verify",
    ]

    @Test(arguments: Vector.all.filter { checks[$0.operation] != nil })
    func `a signer gives what the vendor's own gives`(vector: Vector) throws {
        let check = try #require(VectorTests.checks[vector.operation])
        try check(vector)
    }

    @Test func `every vector belongs to an operation that is checked, or openly awaited`() {
        for vector in Vector.all where VectorTests.checks[vector.operation] == nil {
            #expect(VectorTests.awaited.contains(vector.operation), "\(vector.id): \(vector.operation) is not checked")
        }
        #expect(VectorTests.awaited.isDisjoint(with: VectorTests.checks.keys))
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
