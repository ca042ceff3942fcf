import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// Ways for tests to stand where the pipeline stands: a permit in hand, which only `Policy` makes elsewhere.
enum Signing {
    static func key(_ input: JSON) throws -> SigningKey {
        let access = input["accessKey"] ?? input["accessKeyId"]
        let secret = input["secretKey"] ?? input["accessKeySecret"]
        return try SigningKey(
            accessKey: try #require(access).bytes, secret: Secret(try #require(secret).bytes))
    }

    /// What an issuer writes for a permit of this scope, as the JSON object that a client gets.
    static func issue(
        _ issuer: any TokenIssuer, with key: SigningKey, bucket: String, key object: String?,
        extent: Permit.Extent, vendorName: [UInt8] = [], now: Int64, lifetime: Int64,
        asking prepare: (inout Ask) throws -> Void = { _ in }
    ) throws -> JSON {
        var scope = Scope()
        scope.begin(bucket: Array(bucket.utf8).span)
        scope.set(key: Array((object ?? "").utf8).span)
        let name = try KeyTemplate(vendorName)
        let nonce = Nonce(InlineArray(repeating: 0))
        let nobody = Caller(.anonymous, index: 0)
        let instant = Instant(unixSeconds: now, nanoseconds: 0)
        try #require(scope.set(vendorName: name, for: nobody, asking: nil, by: nonce, at: instant) == nil)
        scope.extent = extent
        let grant = Grant(
            Grant.Entry(Array("test".utf8), at: 0), for: Grant.Principals([.anonymous]),
            of: Grant.Resources(.anything, in: .absent, withoutKey: .prefix),
            lasting: Grant.Lifetimes(usual: lifetime, longest: lifetime), Grant.Issuance(by: issuer, on: 0, with: 0))
        var ask = Ask(nonce)
        try prepare(&ask)
        var out = ByteWriter()
        var scratch = ByteWriter()
        let permit = Permit(grant, scope, lifetime: lifetime, limitedBy: .grant, now: now)
        out.append("{")
        try issuer.issue(ask, under: permit, with: key, at: instant, into: &out, using: &scratch)
        out.append("}")
        return try JSON.read(Data(out.array))
    }

    /// Field lines as they are sent, in any order.
    static func lines(_ fields: [String: JSON]) -> [UInt8] {
        Array(fields.shuffled().map { "\($0.key): \($0.value.string ?? "")\r\n" }.joined().utf8)
    }

    /// A policy's fields by their descriptions, as the configuration would read them.
    static func values<Group: FieldGroup>(_ policy: JSON, by group: Group) throws -> Settings<Group> {
        var values = FieldValues()
        let fields = group.descriptions
        for (name, value) in policy.members {
            let field = try #require(fields.first { $0.name == name }, "the put policy has no field \(name)")
            switch (field.kind, value) {
            case (.template, .string(let text)): values[field] = .template(try KeyTemplate(Array(text.utf8)))
            case (.string, .string(let text)), (.choice, .string(let text)): values[field] = .string(Array(text.utf8))
            case (.integer(let bounds), .integer(let number)), (.size(let bounds), .integer(let number)),
                (.days(let bounds), .integer(let number)):
                #expect(bounds.contains(number))
                values[field] = .integer(number)
            case (.boolean, .boolean(let flag)): values[field] = .boolean(flag)
            case (.strings, .array(let list)): values[field] = .strings(list.map(\.bytes))
            default: Issue.record("\(name) is no \(field.kind)")
            }
        }
        return Settings(values, of: group)
    }
}

extension HMACKey {
    /// The code over a text, as base64. (`#expect` cannot hold a span, so tests do not call `sign` inside it.)
    func signature(over text: String, _ base64: Base64) throws -> String {
        base64.encode(try sign(Array(text.utf8).span).bytes.array).text
    }
}
