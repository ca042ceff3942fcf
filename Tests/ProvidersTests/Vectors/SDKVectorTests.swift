import Foundation
import TestPeers
import Testing

/// The interpreter that has the vendors' SDKs; scripts/test names one.
private let python = ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_PYTHON"]

/// Vectors that the vendors' own SDKs make while the tests run, of random requests.
@Suite("Vectors fresh from the vendors' SDKs", .enabled(if: python != nil), .timeLimit(.minutes(20)))
struct SDKVectorTests {
    private static let oss = made(by: "oss_vectors.py", "300")

    @Test(arguments: oss) func `OSS signatures are those of Alibaba's SDKs`(vector: Vector) throws {
        let check = try #require(VectorTests.checks[vector.operation], "\(vector.operation) is not checked")
        try check(vector)
    }

    @Test func `Alibaba's SDKs make vectors of every operation that they know`() {
        #expect(Self.oss.count == 300)
        let operations = ["oss.rtmp.v1", "oss.v1.header", "oss.v1.presign", "oss.v4.header", "oss.v4.presign"]
        #expect(Set(Self.oss.map(\.operation)).sorted() == operations)
    }

    /// None if the script fails, which the tests of their number find out.
    private static func made(by script: String, _ arguments: String...) -> [Vector] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Python")
        guard let python, let said = try? Shell.run([python, folder.appending(path: script).path] + arguments) else {
            return []
        }
        return Vector.read(try? JSONSerialization.jsonObject(with: Data(said)), from: script)
    }
}
