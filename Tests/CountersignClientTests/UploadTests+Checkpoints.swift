import Foundation
import Testing

@testable import CountersignClient

/// Checkpoints that somebody changed on the disk.
extension UploadTests {
    @Test(arguments: [
        ("pieceSize", "0"), ("pieceSize", "-1"), ("pieceSize", "1"), ("pieceSize", "9223372036854775807"),
        ("offset", "-1"),
        ("offset", "9223372036854775807"), ("uploadID", "\"..\""), ("uploadID", "\"\""), ("uploadID", "\"a\\u0000\""),
        ("bucket", "\"..\""), ("bucket", "\"\""), ("parts", "[{\"number\":0,\"etag\":\"e\"}]"),
        ("parts", "[{\"number\":1,\"etag\":\"\"}]"), ("parts", "[{\"number\":9223372036854775807,\"etag\":\"e\"}]"),
        ("file", "{\"size\":9223372036854775807,\"modified\":0}"), ("file", "{\"size\":-1,\"modified\":0}"),
    ]) func `a checkpoint that was changed on the disk is not used`(name: String, value: String) async throws {
        let file = try TestFile(2 * UploadTests.piece)
        let identity = try FileIdentity(of: file.url)
        let sound = UploadCheckpoint(
            vendor: .qiniu, bucket: "media", key: UploadTests.key, file: identity, pieceSize: UploadTests.piece,
            uploadID: "u9")
        #expect(sound.isSound)
        let fields = try JSONSerialization.jsonObject(with: JSONEncoder().encode(sound))
        var changed = try #require(fields as? [String: Any])
        changed[name] = try JSONSerialization.jsonObject(with: Data(value.utf8), options: .fragmentsAllowed)
        let hostile = try JSONDecoder().decode(
            UploadCheckpoint.self, from: JSONSerialization.data(withJSONObject: changed))
        #expect(!hostile.isSound)
        _ = try await upload(file, to: .qiniu, from: hostile)
        try expectStored(file)
        #expect(vendor.requests.allSatisfy { !$0.contains("u9") && !$0.contains("..") })
        await #expect(throws: UploadError.self) { try await client.abandonUpload(hostile, options: options) }
    }
}
