import Foundation
import HTTP
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Requests that the vendor's own SDKs signed, with the clock, the caller and the role that they were for.
struct SignedVector: Sendable, CustomTestStringConvertible {
    let id: String
    let input: JSONValue
    let expected: JSONValue

    var testDescription: String { id }

    static let all: [SignedVector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "ProvidersTests/Fixtures/vectors/oss-sts.json")
        guard let data = try? Data(contentsOf: file), let list = try? JSONReader.read([UInt8](data), as: .json),
            case .array(let values) = list.content
        else { return [] }
        return values.compactMap { value in
            guard let id = text(value["id"]), id.hasPrefix("sts."), let input = value["input"],
                let expected = value["expected"]
            else { return nil }
            return SignedVector(id: id, input: input, expected: expected)
        }
    }()

    /// Those of AssumeRole; one of ECS is among the others.
    static let assumeRole = all.filter { $0.settings.roles != [[]] }

    var isACS3: Bool { id.hasPrefix("sts.acs3.") }

    /// ACS3: as the SDK sends it. RPC: all in the query.
    var request: SandboxRequest {
        isACS3 ? acs3 : rpc(inForm: false)
    }

    private var acs3: SandboxRequest {
        let fields = pairs(input["headers"]) + [("Authorization", SignedVector.text(expected["authorization"]) ?? "")]
        return SandboxRequest(
            method, target: Array(("/?" + Call.query(pairs(input["query"]))).utf8),
            fields: fields.map { Call.field($0.0, $0.1) }, body: Array((SignedVector.text(input["body"]) ?? "").utf8))
    }

    func rpc(inForm: Bool) -> SandboxRequest {
        let text = Call.query(parameters + [("Signature", SignedVector.text(expected["signature"]) ?? "")])
        return SandboxRequest(
            method, target: Array((inForm ? "/" : "/?" + text).utf8),
            fields: [Call.field("Host", "sts.aliyuncs.com")] + (inForm ? [Call.form] : []),
            body: inForm ? Array(text.utf8) : [])
    }

    var method: [UInt8] { Array((SignedVector.text(input["method"]) ?? "").utf8) }

    /// What AssumeRole is asked with, and with RPC all else.
    var parameters: [(String, String)] {
        guard !isACS3 else { return pairs(input["query"]) }
        guard case .object(let members)? = input["params"]?.content else { return [] }
        return members.map { ($0.name.text, SignedVector.text($0.value) ?? "") }
    }

    private func value(_ name: String, _ field: String) -> String? {
        (isACS3 ? pairs(input["headers"]) : parameters).first { $0.0 == (isACS3 ? field : name) }?.1
    }

    var now: Int64 { ISO8601.parse(Array((value("Timestamp", "x-acs-date") ?? "").utf8).span) ?? 0 }

    var secret: String { SignedVector.text(input["accessKeySecret"]) ?? "" }

    var settings: SandboxSTS.Settings {
        let id = SignedVector.text(input["accessKeyId"]) ?? value("AccessKeyId", "") ?? ""
        let caller = Fixture.caller(id, secret, token: value("SecurityToken", "x-acs-security-token"))
        let role = parameters.first { $0.0 == "RoleArn" }?.1 ?? ""
        return SandboxSTS.Settings(callers: [caller], roles: [Array(role.utf8)])
    }

    static func text(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value?.content else { return nil }
        return text.text
    }

    private func pairs(_ list: JSONValue?) -> [(String, String)] {
        guard case .array(let values)? = list?.content else { return [] }
        return values.compactMap { value in
            guard case .array(let pair) = value.content, pair.count == 2, let name = SignedVector.text(pair[0]),
                let text = SignedVector.text(pair[1])
            else { return nil }
            return (name, text)
        }
    }
}
