import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of Alibaba's vectors of version 4.
enum OSSV4Vectors {
    static func header(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let moment = try moment(try #require(input["timestamp"]?.string))
        let sample = try OSSSample(input).withFields {
            HeaderSignatureV4.writeFields(
                OSS.v4, at: moment, token: input["securityToken"]?.string.map { Array($0.utf8) }, into: &$0)
        }
        let signed = try sample.headerV4(key(input))
        OSSVectors.expect(try sample.canonical(), expected["canonicalRequest"])
        OSSVectors.expect(signed.stringToSign, expected["stringToSign"])
        OSSVectors.expect(signed.text, expected["authorization"])
        // One vector has no signature, since its document does not print the key.
        if let signature = expected["signature"]?.string { #expect(signed.text.hasSuffix(",Signature=\(signature)")) }
        try checkReading(signed.stringToSign, of: sample.canonical(), key: input["key"], at: moment)
    }

    static func presign(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let moment = try moment(try #require(input["timestamp"]?.string))
        #expect(input["now"]?.integer == moment)
        let signed = try OSSSample(input).urlV4(
            OSSVectors.endpoint(input), at: moment, for: try #require(input["expiresIn"]?.integer),
            token: input["securityToken"]?.string, key(input))
        OSSVectors.expect(signed.stringToSign, expected["stringToSign"])
        let url = SplitURL(signed.text)
        #expect(url.parameter("x-oss-signature") == expected["signature"]?.string)
        // Each SDK has its own order of the parameters, which servers do not regard.
        let urls = OSSVectors.urls(expected)
        #expect(urls.isEmpty || urls.contains { SplitURL($0).sorted == url.sorted })
        if let canonical = expected["canonicalRequest"]?.string {
            let lines = canonical.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(try url.query == "\(lines[2])&x-oss-signature=\(#require(url.parameter("x-oss-signature")))")
            try checkReading(signed.stringToSign, of: canonical, key: input["key"], at: moment)
        }
    }

    static func sign(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let text = try #require(input["stringToSign"]).bytes
        let string = try StringToSignV4(reading: text.span, OSS.v4)
        let day = try #require(input["date"]?.string)
        let key = try key(input, at: moment("\(day)T000000Z"))
        #expect(key.covers(string.moment) && string.scope.array == key.scope)
        var out = ByteWriter()
        try string.writeSignature(with: key, into: &out)
        #expect(out.array.text == expected["signature"]?.string)
    }

    /// A string to sign belongs to its canonical request, and to no other.
    private static func checkReading(
        _ text: String, of canonical: String, key: JSON?, at moment: Int64
    ) throws {
        let bytes = Array(text.utf8)
        let string = try StringToSignV4(reading: bytes.span, OSS.v4)
        let isOf = try string.isOf(Array(canonical.utf8).span)
        let isOfAnother = try string.isOf(Array((canonical + "\n").utf8).span)
        #expect(isOf && !isOfAnother && string.moment == moment)
        let request = Array(canonical.utf8)
        let key = key?.bytes ?? []
        do throws(StringToSignError) { _ = try ParsedCanonicalRequest(reading: request.span, of: string) } catch {
            // SDKs sign keys that are not given to callers (R13).
            let isRefused = !key.isEmpty && ObjectKeyRule.fault(of: key.span) != nil
            #expect(isRefused && error.clause == .resource, "\(error): \(canonical)")
            return
        }
        #expect(key.isEmpty || ObjectKeyRule.fault(of: key.span) == nil, "\(canonical)")
    }

    private static func moment(_ text: String) throws -> Int64 {
        let moment = ISO8601.parseBasic(Array(text.utf8).span)
        return try #require(moment)
    }

    /// The day's key of a vector.
    static func key(_ input: JSON) throws -> ScopedKey {
        try key(input, at: moment(try #require(input["timestamp"]?.string)))
    }

    private static func key(_ input: JSON, at moment: Int64) throws -> ScopedKey {
        let (region, product) = (try #require(input["region"]).bytes, try #require(input["product"]).bytes)
        return try ScopedKey(Signing.key(input), OSS.v4, region: region, product: product, at: moment)
    }
}
