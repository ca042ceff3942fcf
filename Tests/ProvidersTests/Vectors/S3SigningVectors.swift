import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of vectors of what other signers answer clients that have requests to S3 signed.
extension S3Vectors {
    /// A URL of Uppy's own signer, read as `/s3/sign` reads it. It has a parameter that ours do not need.
    static func uppy(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let url = SplitURL(try #require(expected["response"]?["url"]?.string))
        let query = url.sorted.dropFirst(3).filter { !$0.hasPrefix("X-Amz-Signature=") }.joined(separator: "&")
        let canonical = [
            try #require(input["request"]?["method"]?.string), url.path, query, "host:\(url.authority)", "", "host",
            "UNSIGNED-PAYLOAD",
        ].joined(separator: "\n")
        let (date, region) = (try #require(input["timestamp"]?.string), try #require(input["region"]?.string))
        let hash = Hex.encode(try Digest(.sha256, of: Array(canonical.utf8).span).bytes.array).text
        let text = Array("AWS4-HMAC-SHA256\n\(date)\n\(date.prefix(8))/\(region)/s3/aws4_request\n\(hash)".utf8)
        let isPath = input["endpoint"]?.string?.hasSuffix("/examplebucket") == true
        let scheme = S3.v4(isPath ? .path : .virtual)
        let request = try read(text, of: Array(canonical.utf8), scheme, at: moment(date))
        #expect(
            request.isURL
                && request.token(in: Array(canonical.utf8).span, scheme)
                    == input["sessionToken"]?.string.map { Array($0.utf8) }
        )
        func sign(_ suffix: String) throws -> String {
            var out = ByteWriter()
            try request.writeSignature(
                over: text.span, scheme, region: Array(region.utf8), with: signer(input, suffix: suffix), into: &out)
            return out.array.text
        }
        #expect(try sign("") == expected["signature"]?.string)
        #expect(try sign("x") != expected["signature"]?.string)
    }

    /// A request of Iceberg's client, read and signed as `s3.iceberg` does.
    static func iceberg(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let asked = IcebergRequest.Parameters()
        var ask = Ask(Nonce(InlineArray(repeating: 0)))
        let known = ParameterList(asked.descriptions)
        let uri = try #require(input["request"]?["uri"]?.string)
        let isPath = !uri.contains("//bucket.")
        let text = try JSONSerialization.jsonObject(with: vector.json) as? [String: Any]
        var members = ((text?["input"] as? [String: Any])?["request"] as? [String: Any]) ?? [:]
        members["style"] = isPath ? "path" : "virtual"
        try ask.parameters.read(
            json: Array(JSONSerialization.data(withJSONObject: members)).span, maximumDepth: 8, whole: known.wholeNames)
        try ask.read(by: known)
        let request = try IcebergRequest(&ask, asked)
        let scheme = S3.v4(request.style)
        #expect(ask.bucket?.text == "bucket" && !request.isDeletion)
        let date = try moment(try #require(input["timestamp"]?.string))
        var lines = ByteWriter()
        let host = uri.dropFirst("https://".count).prefix { $0 != "/" }
        lines.append("host: ")
        lines.append(Array(host.utf8))
        lines.append("\r\n")
        let parts = JudgedRequest(ask.notes.bytes)
        parts.writeLines(into: &lines)
        HeaderSignatureV4.writePayload(request.payload(in: ask), scheme, into: &lines)
        HeaderSignatureV4.writeDate(
            scheme, at: date, token: input["sessionToken"]?.string.map { Array($0.utf8) }, into: &lines)
        let (bucket, key) = (ask.bucket?.array ?? [], ask.key?.array ?? [])
        let canonical = try CanonicalRequest(
            ObjectRequest(
                scheme, method: parts.method, bucket: bucket.span, key: key.span,
                query: parts.query.text, fieldLines: lines.bytes))
        var out = ByteWriter()
        canonical.write(payload: request.payload(in: ask), into: &out)
        #expect(out.array.text == expected["canonicalRequest"]?.string)
        func sign(_ suffix: String) throws -> String {
            let scoped = try ScopedKey(
                signer(input, suffix: suffix), scheme, region: try #require(input["request"]?["region"]).bytes,
                product: Array("s3".utf8), at: date)
            var field = ByteWriter()
            var scratch = ByteWriter()
            try HeaderSignatureV4.write(for: canonical, with: scoped, into: &field, using: &scratch)
            return field.array.text
        }
        #expect(try sign("") == expected["authorization"]?.string)
        #expect(try sign("x") != expected["authorization"]?.string)
    }

    private static func signer(_ input: JSON, suffix: String) throws -> SigningKey {
        try SigningKey(
            accessKey: try #require(input["accessKeyId"]).bytes,
            secret: Secret(try #require(input["secretAccessKey"]).bytes + Array(suffix.utf8)))
    }
}
