import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of Qiniu's vectors that are about requests to its management services, and about callbacks.
enum QiniuRequestVectors {
    static func managementTokenQBox(_ vector: Vector) throws { try sign(vector, .qbox) }

    static func managementTokenV2(_ vector: Vector) throws { try sign(vector, .qiniu) }

    static func verifyCallback(_ vector: Vector) throws {
        let input = try vector.input
        let key = try Signing.key(input)
        let authorization = try #require(input["authorization"]?.string)
        let isGenuine = try sample(input).judged(authorization, key) == .genuine
        if vector.mayReject, !isGenuine { return }
        #expect(isGenuine == (try vector.expected["valid"]?.boolean))
    }

    static func encodedEntryURI(_ vector: Vector) throws {
        let input = try vector.input
        let bucket = try #require(input["bucket"]).bytes
        let key = input["key"]?.string.map { Array($0.utf8) }
        var out = ByteWriter()
        var scratch = ByteWriter()
        if let key {
            EntryURI.write(bucket: bucket.span, key: key.span, into: &out, using: &scratch)
        } else {
            EntryURI.write(bucket: bucket.span, key: nil, into: &out, using: &scratch)
        }
        #expect(out.array.text == (try vector.expected["encodedEntryURI"]?.string))
        let entry = EntryURI.read(out.bytes)
        #expect(entry?.key == key && (entry == nil) == (key == nil) && entry.map(\.bucket) ?? bucket == bucket)
    }

    private static func sign(_ vector: Vector, _ signature: ManagementSignature) throws {
        let input = try vector.input
        let key = try Signing.key(input)
        do {
            let authorization = try sample(input).authorization(signature, key)
            #expect(authorization == (try vector.expected["authorization"]?.string))
        } catch is IssueError {
            #expect(vector.mayReject, "a refusal is not among the right answers")
        }
    }

    private static func sample(_ input: JSON) throws -> ManagementSample {
        let url = SplitURL(try #require(input["url"]?.string))
        return ManagementSample(
            method: input["method"]?.string ?? "POST", target: url.target, host: input["host"]?.string ?? url.authority,
            contentType: input["contentType"]?.string ?? "",
            fields: Signing.lines(input["headers"]?.members ?? [:]).text, body: input["body"]?.string ?? "")
    }
}
