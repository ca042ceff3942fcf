import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of Qiniu's vectors that are about URLs.
enum QiniuURLVectors {
    /// Our signer takes no URL, so the vector's is taken apart. What it cannot be given is refused.
    static func privateDownloadURL(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let signer = try Signing.key(input)
        let deadline = try #require(input["now"]?.integer) + #require(input["expires"]?.integer)
        let base = SplitURL(try #require(input["baseUrl"]?.string))
        guard base.query != "" else {
            #expect(vector.mayReject, "an empty query has no place in our URLs")
            return
        }
        do {
            let url = try download(
                base.key ?? [], base.query ?? "", on: try origin(base), until: deadline, with: signer)
            #expect(url == expected["url"]?.string)
        } catch is IssueError {
            #expect(vector.mayReject, "a refusal is not among the right answers")
        }
    }

    /// Semantic: the path decodes to the key, the query is there as given, and the signature holds over the URL as it is.
    static func privateDownloadURLForKey(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let signer = try Signing.key(input)
        let key = try #require(input["key"]).bytes
        let query = try #require(input["query"]?.string)
        let deadline = try #require(input["now"]?.integer) + #require(input["expires"]?.integer)
        let domain = SplitURL(try #require(input["domain"]?.string))
        let url = try download(key, query, on: try origin(domain), until: deadline, with: signer)
        for url in [url, try #require(expected["referenceUrl"]?.string)] {
            let split = SplitURL(url)
            #expect(split.scheme == domain.scheme && split.authority == domain.authority)
            #expect(split.key == key)
            #expect(split.query?.hasPrefix((query.isEmpty ? "" : query + "&") + "e=\(deadline)&token=") == true)
            let parts = url.components(separatedBy: "&token=")
            try #require(parts.count == 2)
            #expect(parts[1] == "\(signer.accessKey.text):\(try signer.sha1.signature(over: parts[0], .urlSafe))")
        }
    }

    static func timestampAntiLeechURL(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let base = SplitURL(try #require(input["baseUrl"]?.string))
        let secret = Secret(try #require(input["encryptKey"]).bytes)
        let deadline = try #require(input["deadline"]?.integer)
        let key = try #require(base.key)
        let query = Array((base.query ?? "").utf8)
        let origin = try origin(base)
        var out = ByteWriter()
        var scratch = ByteWriter()
        try TimestampAntiLeech.write(
            for: ObjectURL(key.span, query: query.span, on: origin), until: deadline, with: secret, into: &out,
            using: &scratch)
        #expect(out.array.text == expected["url"]?.string)
    }

    static func download(
        _ key: [UInt8], _ query: String, on origin: BaseURL, until deadline: Int64, with signer: SigningKey
    ) throws -> String {
        let query = Array(query.utf8)
        var out = ByteWriter()
        try DownloadURL.write(
            for: ObjectURL(key.span, query: query.span, on: origin), until: deadline, with: signer, into: &out)
        return out.array.text
    }

    static func origin(_ url: SplitURL) throws -> BaseURL {
        try #require(BaseURL(isSecure: url.scheme == "https", Array(url.authority.utf8)))
    }
}
