import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of Alibaba's vectors of version 1, and of version 2, which the service does not sign.
enum OSSVectors {
    /// The signature alone: whether such a string is ever signed is the policy's matter, and it refuses all four of these.
    static func signV1(_ vector: Vector) throws {
        let input = try vector.input
        let key = try Signing.key(input)
        var grant = Settings(of: RemoteSignature.Fields())
        grant.methods = .texts("GET")
        let issuer = try RemoteSignature(grant, GrantContext(target: .anything, accessKey: key.accessKey))
        let answer = try Signing.issue(
            issuer, with: key, bucket: "examplebucket", key: "any", extent: .object, now: 0, lifetime: 900
        ) { ask in
            ask.parameters.reset()
            let content = try #require(input["contentToSign"]).bytes
            try ask.parameters.add(name: Array("contentToSign".utf8).span, value: content.span, form: .text)
            try ask.read(by: RemoteSignature.route.request.parameters)
            try RemoteSignature.read(&ask, at: 0)
        }
        let expected = try vector.expected
        #expect(answer["authorization"] == expected["authorization"])
        #expect(answer["signature"] == expected["signature"])
    }

    static func headerV1(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let signed = try OSSSample(input).headerV1(Signing.key(input))
        #expect(signed.text == expected["authorization"]?.string)
        expect(signed.stringToSign, expected["stringToSign"])
    }

    static func presignV1(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let signed = try OSSSample(input).urlV1(
            endpoint(input), until: try #require(input["expires"]?.integer), token: input["securityToken"]?.string,
            Signing.key(input))
        #expect(SplitURL(signed.text).parameter("Signature")?.removingPercentEncoding == expected["signature"]?.string)
        #expect(urls(expected).contains(signed.text))
        expect(signed.stringToSign, expected["stringToSign"])
    }

    static func headerV2(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let sample = try OSSSample(input)
        let date = try #require(sample.fields.first { $0.0 == "Date" }).1
        let text = try stringToSignV2(sample, moment: date, own: [])
        #expect(text == expected["stringToSign"]?.string)
        let key = try Signing.key(input)
        let signature = try key.sha256.signature(over: text, .standard)
        #expect("OSS2 AccessKeyId:\(key.accessKey.text),Signature:\(signature)" == expected["authorization"]?.string)
    }

    static func presignV2(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let key = try Signing.key(input)
        let deadline = String(try #require(input["expires"]?.integer))
        let own = [
            NameValue("x-oss-access-key-id", key.accessKey),
            NameValue("x-oss-expires", Array(deadline.utf8)),
            NameValue("x-oss-signature-version", Array("OSS2".utf8)),
        ]
        let sample = try OSSSample(input)
        let text = try stringToSignV2(sample, moment: deadline, own: own)
        #expect(text == expected["stringToSign"]?.string)
        let signature = try key.sha256.signature(over: text, .standard)
        let origin = try endpoint(input)
        let url = try sample.withRequest { request in
            var out = ByteWriter()
            let carried = own[..<2] + [NameValue("x-oss-signature", Array(signature.utf8)), own[2]]
            request.writeURL(on: origin, carrying: ListedSignature(list: Array(carried)), into: &out)
            return out.array.text
        }
        // Of the one SDK that makes these, and its order is another one.
        #expect(urls(expected).map { SplitURL($0).sorted } == [SplitURL(url).sorted])
    }

    /// Out of the parts of the versions that the service has.
    private static func stringToSignV2(
        _ sample: OSSSample, moment: String, own: [NameValue]
    ) throws -> String {
        try sample.withRequest { request in
            var out = ByteWriter()
            request.writeStartV1(into: &out)
            out.append(text: moment + "\n")
            request.fields.write(into: &out, where: OSS.v4.isOwn)
            out.append("\n")
            Percent.encode(Array("/\(sample.bucket)/\(sample.key)".utf8).span, into: &out)
            request.query.write(ListedSignature(list: own), from: "?", in: .asEncoded, isBare: true, into: &out)
            return out.array.text
        }
    }

    /// What a URL says of a signature that the service does not make.
    private struct ListedSignature: URLSignature {
        /// In ascending order of the names.
        let list: [NameValue]

        var count: Int { list.count }

        func name(at index: Int) -> [UInt8]? { list[index].name }

        func writeValue(at index: Int, into out: inout ByteWriter) {
            let value = list[index].value
            Percent.encode(value.span, into: &out)
        }
    }

    // MARK: Shared by the versions

    /// For a value that some vectors do not have.
    static func expect(_ text: String, _ expected: JSON?) {
        if let expected = expected?.string { #expect(text == expected) }
    }

    /// Those that the vendor's SDKs make; they differ in the order of the parameters.
    static func urls(_ expected: JSON) -> [String] { (expected["urls"]?.members ?? [:]).values.compactMap(\.string) }

    /// The host of a vector without its bucket.
    static func endpoint(_ input: JSON) throws -> BaseURL {
        let host = try #require(input["host"]?.string)
        let bucket = try #require(input["bucket"]?.string)
        try #require(host.hasPrefix(bucket + "."))
        let isSecure = input["scheme"]?.string == "https"
        return try #require(BaseURL(isSecure: isSecure, Array(host.utf8.dropFirst(bucket.utf8.count + 1))))
    }
}

extension OSSSample {
    init(_ input: JSON) throws {
        func pairs(_ list: JSON?) throws -> [(String, String)] {
            guard case .array(let pairs)? = list else { return [] }
            return try pairs.map { pair in
                guard case .array(let parts) = pair else { return ("", "") }
                try #require(parts.count == 2)
                return (parts[0].string ?? "", parts[1].string ?? "")
            }
        }
        self.init(
            method: try #require(input["method"]?.string), bucket: input["bucket"]?.string ?? "",
            key: input["key"]?.string ?? "", query: try pairs(input["query"]), fields: try pairs(input["headers"]))
        if case .array(let names)? = input["additionalHeaders"] { additional = names.compactMap(\.string) }
    }
}
