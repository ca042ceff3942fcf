import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of STS's vectors.
enum STSVectors {
    static func acs3(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let headers = try fields(input["headers"])
        let host = try #require(headers.first { $0.name.text == "host" })
        let method = try method(input)
        let call = UpstreamCall(
            method, authority: host.value, path: try #require(input["path"]).bytes,
            query: try fields(input["query"]), headers: headers.filter { $0.name.text != "host" },
            body: try #require(input["body"]).bytes)
        let key = try HMACKey(.sha256, secret(input))
        let id = try #require(input["accessKeyId"]).bytes
        let authorization = try ACS3Signature.authorization(for: call, accessKeyID: id, key).text
        if let text = expected["canonicalRequest"]?.string {
            #expect(try ACS3Signature.canonicalRequest(call).text == text)
        }
        #expect(authorization == expected["authorization"]?.string)
        let signature = try #require(expected["signature"]?.string)
        #expect(authorization.hasSuffix(",Signature=\(signature)"))
    }

    static func rpc(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        // Shuffled: signing sorts them.
        let parameters = try #require(input["params"]).members.shuffled().map {
            NameValue(Array($0.key.utf8), $0.value.bytes)
        }
        let method = try method(input)
        if let text = expected["stringToSign"]?.string {
            #expect(RPCSignature.stringToSign(method, parameters).text == text)
        }
        let key = try RPCSignature.key(secret(input))
        #expect(try RPCSignature.signature(over: method, parameters, key).text == expected["signature"]?.string)
    }

    private static func secret(_ input: JSON) throws -> Secret {
        Secret(try #require(input["accessKeySecret"]).bytes)
    }

    private static func method(_ input: JSON) throws -> UpstreamCall.Method {
        let methods: [String: UpstreamCall.Method] = ["GET": .get, "POST": .post, "PUT": .put]
        let name = try #require(input["method"]?.string)
        return try #require(methods[name])
    }

    private static func fields(_ list: JSON?) throws -> [NameValue] {
        guard case .array(let pairs)? = list else { return [] }
        return try pairs.map { pair in
            guard case .array(let parts) = pair, parts.count == 2 else {
                throw VectorProblem.notAPair
            }
            return NameValue(parts[0].bytes, parts[1].bytes)
        }
    }

    private enum VectorProblem: Error { case notAPair }
}
