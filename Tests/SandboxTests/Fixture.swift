import Foundation
import HTTP
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// A sandbox with one caller and one role, and its answers.
enum Fixture {
    static let now: Int64 = 1_788_000_000
    static let keyID = "LTAISANDBOXtest"
    static let secret = "s3cr3t/with+signs="
    static let role = "acs:ram::1234567890123456:role/App-Uploader"

    static var settings: SandboxSTS.Settings {
        SandboxSTS.Settings(callers: [caller(keyID, secret)], roles: [Array(role.utf8)])
    }

    /// With STS alone.
    static var sandbox: Sandbox { Sandbox([STSSide(settings)]) }

    static func caller(_ id: String, _ secret: String, token: String? = nil) -> SandboxCaller {
        SandboxCaller(
            accessKeyID: Array(id.utf8), secret: Secret(Array(secret.utf8)), securityToken: token.map { Array($0.utf8) }
        )
    }

    /// The code that a new sandbox answers `request` with, "200" for credentials.
    static func code(_ request: SandboxRequest, at time: Int64 = now, _ settings: SandboxSTS.Settings = settings)
        -> String
    {
        var sts = SandboxSTS(settings)
        return sts.code(request, at: time)
    }

    static func code(_ call: Call, at time: Int64 = now, _ settings: SandboxSTS.Settings = settings) throws -> String {
        code(try call.request(), at: time, settings)
    }
}

extension SandboxSTS {
    mutating func code(_ request: SandboxRequest, at now: Int64 = Fixture.now) -> String {
        let answer = answer(request, at: now)
        return answer.status == 200 ? "200" : answer.text("Code") ?? "unreadable"
    }
}

extension SandboxSTS.Answer {
    /// The text at a path of names; nil where there is none.
    func text(_ path: String...) -> String? {
        guard var value = try? JSONReader.read(body, as: .json) else { return nil }
        for name in path {
            guard let next = value[name] else { return nil }
            value = next
        }
        guard case .string(let text) = value.content else { return nil }
        return text.text
    }

    /// The names of the object at a path, in order.
    func names(_ path: String...) -> [String] {
        guard var value = try? JSONReader.read(body, as: .json) else { return [] }
        for name in path {
            guard let next = value[name] else { return [] }
            value = next
        }
        guard case .object(let members) = value.content else { return [] }
        return members.map(\.name.text)
    }
}

/// A call of the sandbox, signed by code of the tests alone, which is shown right by the vendor's vectors.
struct Call {
    enum Scheme: String, CaseIterable { case acs3, rpc }

    var scheme = Scheme.acs3
    var method = Method.post
    var keyID = Fixture.keyID
    var secret = Fixture.secret
    var token: String?
    var time = Fixture.now
    var nonce = UUID().uuidString
    var parameters: [(String, String)] = [("RoleArn", Fixture.role), ("RoleSessionName", "alice")]
    /// Whether the parameters go in the form.
    var isForm = false
    /// Replaces, or with nil leaves out, what `common` would say.
    var overrides: [String: String?] = [:]
    /// More fields, signed by ACS3.
    var fields: [(String, String)] = []
    /// Names that ACS3 does not sign, although they are sent.
    var unsigned: Set<String> = []

    init(_ scheme: Scheme = .acs3, _ adjust: (inout Call) -> Void = { _ in }) {
        self.scheme = scheme
        adjust(&self)
    }

    func request() throws -> SandboxRequest {
        switch scheme {
        case .acs3: try acs3()
        case .rpc: try rpc()
        }
    }

    private var date: String { ISO8601.write(time).text }
    private var methodName: String { method == .get ? "GET" : "POST" }

    private func overridden(_ pairs: [(String, String)]) -> [(String, String)] {
        let names = Set(pairs.map(\.0))
        let added = overrides.filter { !names.contains($0.key) }.compactMap { entry in
            entry.value.map { (entry.key, $0) }
        }
        return pairs.compactMap { pair in
            guard let value = overrides[pair.0] else { return pair }
            return value.map { (pair.0, $0) }
        } + added
    }

    private func rpc() throws -> SandboxRequest {
        var all = overridden(
            [
                ("Action", "AssumeRole"), ("Version", "2015-04-01"), ("Format", "JSON"), ("AccessKeyId", keyID),
                ("SignatureMethod", "HMAC-SHA1"), ("SignatureVersion", "1.0"), ("SignatureNonce", nonce),
                ("Timestamp", date),
            ] + (token.map { [("SecurityToken", $0)] } ?? []) + parameters)
        let text = "\(methodName)&%2F&" + Call.encode(Call.query(all.sorted { $0.0 < $1.0 }))
        let key = try HMACKey(.sha1, Secret(Array((secret + "&").utf8)))
        let code = Base64.standard.encode(try key.sign(Array(text.utf8).span).bytes.array).text
        if overrides["Signature"] == nil { all.append(("Signature", code)) }
        let query = Call.query(all)
        return SandboxRequest(
            Array(methodName.utf8), target: Array((isForm ? "/" : "/?" + query).utf8),
            fields: [Call.field("Host", "127.0.0.1:1")] + (isForm ? [Call.form] : []),
            body: isForm ? Array(query.utf8) : [])
    }

    private func acs3() throws -> SandboxRequest {
        let query = Call.query(parameters)
        let body = isForm ? Array(query.utf8) : []
        let hash = Hex.encode(try Digest(.sha256, of: body.span).bytes.array).text
        let sent = overridden(
            [
                ("host", "127.0.0.1:1"), ("x-acs-action", "AssumeRole"), ("x-acs-version", "2015-04-01"),
                ("x-acs-date", date), ("x-acs-signature-nonce", nonce), ("x-acs-content-sha256", hash),
            ] + (token.map { [("x-acs-security-token", $0), ("x-acs-accesskey-id", keyID)] } ?? [])
                + (isForm ? [("content-type", "application/x-www-form-urlencoded")] : []) + fields
        ).filter { $0.0 != "authorization" }
        let signed = sent.filter { !unsigned.contains($0.0) }.sorted { $0.0 < $1.0 }
        let names = signed.map(\.0).joined(separator: ";")
        let canonical =
            "\(methodName)\n/\n" + (isForm ? "" : Call.query(parameters.sorted { $0.0 < $1.0 })) + "\n"
            + signed.map { "\($0.0):\($0.1)\n" }.joined() + "\n" + names + "\n" + hash
        let digest = Hex.encode(try Digest(.sha256, of: Array(canonical.utf8).span).bytes.array).text
        let key = try HMACKey(.sha256, Secret(Array(secret.utf8)))
        let code = Hex.encode(try key.sign(Array("ACS3-HMAC-SHA256\n\(digest)".utf8).span).bytes.array).text
        var authorization = "ACS3-HMAC-SHA256 Credential=\(keyID),SignedHeaders=\(names),Signature=\(code)"
        if case .some(.some(let other)) = overrides["authorization"] {
            authorization = other.replacing("NAMES", with: names).replacing("CODE", with: code)
        }
        var request = SandboxRequest(
            Array(methodName.utf8), target: Array((isForm || query.isEmpty ? "/" : "/?" + query).utf8),
            fields: sent.map { Call.field($0.0, $0.1) }, body: body)
        if overrides["authorization"] != .some(.none) {
            request.fields.append(Call.field("Authorization", authorization))
        }
        return request
    }

    static let form = field("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")

    static func field(_ name: String, _ value: String) -> NameValue {
        NameValue(Array(name.utf8), Array(value.utf8))
    }

    static func query(_ pairs: [(String, String)]) -> String {
        pairs.map { encode($0.0) + "=" + encode($0.1) }.joined(separator: "&")
    }

    static func encode(_ text: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
