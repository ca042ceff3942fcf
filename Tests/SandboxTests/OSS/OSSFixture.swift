import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// OSS's side with a folder of its own, one account, and one session that was given out.
final class OSSFixture {
    static let now: Int64 = 1_788_000_000
    static let keyID = "LTAIOSStest"
    static let secret = "s3cr3t/with+signs="
    static let sessionID = "STS.SANDBOXtest"
    static let sessionSecret = "other+s3cr3t"
    static let token = "CAIS+token/with=signs"
    static let account = "1234567890123456"

    /// Of the test's own; the sandbox's is in it.
    let top: String
    var folder: String { top + "/data" }
    let side: OSSSide

    /// - Parameter policy: of the session; nil for one that may do everything.
    init(policy: String? = nil, callbackHosts: [HostPort] = []) throws {
        top =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
            + "/countersign-sandbox-\(UUID().uuidString)"
        let session = IssuedCredential(
            accessKeyID: Array(OSSFixture.sessionID.utf8), secret: Secret(Array(OSSFixture.sessionSecret.utf8)),
            securityToken: Array(OSSFixture.token.utf8), expiration: OSSFixture.now + 3600,
            account: Array(OSSFixture.account.utf8),
            policy: try policy.map { try #require(IssuedSessionPolicy(Array($0.utf8))) })
        let caller = SandboxCaller(
            accessKeyID: Array(OSSFixture.keyID.utf8), secret: Secret(Array(OSSFixture.secret.utf8)))
        side = try OSSSide(
            OSSAccounts(accounts: VendorAccounts([caller])) { $0 == session.accessKeyID ? session : nil },
            OSSCallbacks(to: callbackHosts), data: top + "/data")
    }

    deinit { try? FileManager.default.removeItem(atPath: top) }

    func send(_ call: OSSTestCall, at now: Int64 = OSSFixture.now) throws -> OSSAnswer {
        try answer(try call.request(), call.body, at: now)
    }

    func answer(_ request: SandboxRequest, _ body: [UInt8] = [], at now: Int64 = OSSFixture.now) throws -> OSSAnswer {
        OSSAnswer(response: try side.answer(request, BodyReader(body), at: now))
    }

    /// Status and code of the answer: `403 AccessDenied`, or the status alone.
    func outcome(_ call: OSSTestCall, at now: Int64 = OSSFixture.now) throws -> String {
        try send(call, at: now).outcome
    }
}

struct OSSAnswer {
    let response: SandboxResponse

    var status: Int { response.status }

    var bytes: [UInt8] {
        switch response.content {
        case .bytes(let bytes): bytes
        case .file(let file, let range): file.read(range.count, at: range.lowerBound)
        }
    }

    var text: String { bytes.text }

    func field(_ name: String) -> String? {
        response.fields.first { $0.name.text.lowercased() == name.lowercased() }?.value.text
    }

    /// The texts of all elements of a name, in order.
    func texts(_ element: String) -> [String] {
        text.components(separatedBy: "<\(element)>").dropFirst().map { $0.components(separatedBy: "</\(element)>")[0] }
    }

    var outcome: String { texts("Code").first.map { "\(status) \($0)" } ?? "\(status)" }
}

/// A request to OSS, signed by code of the tests alone, which is shown right by the vendor's SDKs.
struct OSSTestCall {
    enum Scheme: String, CaseIterable { case v1, v4, v1URL, v4URL }

    var method: String
    var bucket: String? = "demo-bucket"
    var key: String?
    var query: [(String, String)] = []
    var fields: [(String, String)] = []
    var body: [UInt8] = []
    var scheme = Scheme.v4
    /// Whether the bucket is in the host.
    var isHosted = false
    var keyID = OSSFixture.keyID
    var secret = OSSFixture.secret
    var token: String?
    var time = OSSFixture.now
    /// Seconds that a URL can be used.
    var life: Int64 = 600
    /// Of version 4.
    var region = "cn-hangzhou"
    var day: String?
    var additional: [String] = []

    init(_ method: String, _ key: String? = nil, _ body: String = "", _ adjust: (inout OSSTestCall) -> Void = { _ in })
    {
        self.method = method
        self.key = key
        self.body = Array(body.utf8)
        adjust(&self)
    }

    /// Signed by the session.
    mutating func bySession() {
        (keyID, secret, token) = (OSSFixture.sessionID, OSSFixture.sessionSecret, OSSFixture.token)
    }

    private var isURL: Bool { scheme == .v1URL || scheme == .v4URL }
    private var isV4: Bool { scheme == .v4 || scheme == .v4URL }
    private var resource: String { "/" + (bucket.map { $0 + "/" + (key ?? "") } ?? "") }

    func request() throws -> SandboxRequest {
        var (query, fields) = (query, fields)
        if method == "PUT" || method == "POST" { fields.append(("Content-Length", "\(body.count)")) }
        if let token {
            if isURL {
                query.append((isV4 ? "x-oss-security-token" : "security-token", token))
            } else {
                fields.append(("x-oss-security-token", token))
            }
        }
        if isV4 { try signV4(&query, &fields) } else { try signV1(&query, &fields) }
        let path = OSSTestCall.encode(isHosted ? "/" + (key ?? "") : resource, keeping: "/")
        let text = query.map {
            $0.1.isEmpty ? OSSTestCall.encode($0.0) : "\(OSSTestCall.encode($0.0))=\(OSSTestCall.encode($0.1))"
        }
        fields.append(("Host", isHosted ? "\(bucket ?? "").oss.localhost:8090" : "127.0.0.1:8090"))
        return SandboxRequest(
            Array(method.utf8), target: Array((path + (text.isEmpty ? "" : "?" + text.joined(separator: "&"))).utf8),
            fields: fields.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) }, body: body)
    }

    // MARK: Version 1

    /// Of the parameters that tests use, those that are signed.
    private static let signed: Set<String> = [
        "uploads", "location", "delete", "objectMeta", "uploadId", "partNumber", "security-token", "bucketInfo",
        "callback",
        "callback-var", "continuation-token", "response-content-type", "response-cache-control", "acl", "tagging",
        "versionId", "append",
    ]

    private func signV1(_ query: inout [(String, String)], _ fields: inout [(String, String)]) throws {
        let date = isURL ? "\(time + life)" : HTTPDate.write(time).text
        if !isURL { fields.append(("Date", date)) }
        func field(_ name: String) -> String { fields.first { $0.0.lowercased() == name }?.1 ?? "" }
        var text = "\(method)\n\(field("content-md5"))\n\(field("content-type"))\n\(date)\n"
        for (name, value) in vendorFields(fields) { text += "\(name):\(value)\n" }
        text += resource
        let signed = query.filter { OSSTestCall.signed.contains($0.0) || $0.0.hasPrefix("x-oss-") }.sorted {
            $0.0 < $1.0
        }
        text +=
            signed.isEmpty ? "" : "?" + signed.map { $0.1.isEmpty ? $0.0 : "\($0.0)=\($0.1)" }.joined(separator: "&")
        let code = try HMACKey(.sha1, Secret(Array(secret.utf8))).sign(Array(text.utf8).span)
        let signature = Data(code.bytes.array).base64EncodedString()
        if isURL {
            query += [("OSSAccessKeyId", keyID), ("Expires", date), ("Signature", signature)]
        } else {
            fields.append(("Authorization", "OSS \(keyID):\(signature)"))
        }
    }

    private func vendorFields(_ fields: [(String, String)]) -> [(String, String)] {
        fields.map { ($0.0.lowercased(), $0.1) }.filter { $0.0.hasPrefix("x-oss-") }.sorted { $0.0 < $1.0 }
    }

    // MARK: Version 4

    private func signV4(_ query: inout [(String, String)], _ fields: inout [(String, String)]) throws {
        let parts = ISO8601.write(time).text
        let date = parts.filter { $0 != "-" && $0 != ":" }
        let day = day ?? String(date.prefix(8))
        let scope = "\(day)/\(region)/oss/aliyun_v4_request"
        let names = additional.joined(separator: ";")
        if isURL {
            query += [
                ("x-oss-signature-version", "OSS4-HMAC-SHA256"), ("x-oss-date", date), ("x-oss-expires", "\(life)"),
                ("x-oss-credential", "\(keyID)/\(scope)"),
            ]
            if !additional.isEmpty { query.append(("x-oss-additional-headers", names)) }
        } else {
            fields += [("x-oss-date", date), ("x-oss-content-sha256", "UNSIGNED-PAYLOAD")]
        }
        let canonical = canonicalRequest(query, fields, names)
        let hash = Hex.encode(try Digest(.sha256, of: Array(canonical.utf8).span).bytes.array).text
        let text = "OSS4-HMAC-SHA256\n\(date)\n\(scope)\n\(hash)"
        var key = Array("aliyun_v4\(secret)".utf8)
        for part in [day, region, "oss", "aliyun_v4_request", text] {
            key = try HMACKey(.sha256, Secret(key)).sign(Array(part.utf8).span).bytes.array
        }
        let signature = Hex.encode(key).text
        if isURL {
            query.append(("x-oss-signature", signature))
        } else {
            let more = additional.isEmpty ? "" : ",AdditionalHeaders=\(names)"
            fields.append(
                ("Authorization", "OSS4-HMAC-SHA256 Credential=\(keyID)/\(scope)\(more),Signature=\(signature)"))
        }
    }

    private func canonicalRequest(_ query: [(String, String)], _ fields: [(String, String)], _ names: String) -> String
    {
        let encoded = query.map { (OSSTestCall.encode($0.0), OSSTestCall.encode($0.1)) }.sorted {
            Array($0.0.utf8).precedes(Array($1.0.utf8))
        }.map { $0.1.isEmpty ? $0.0 : "\($0.0)=\($0.1)" }.joined(separator: "&")
        let signed = fields.map { ($0.0.lowercased(), $0.1) }.filter {
            $0.0.hasPrefix("x-oss-") || $0.0 == "content-type" || $0.0 == "content-md5" || additional.contains($0.0)
        }.sorted { $0.0 < $1.0 }.map { "\($0.0):\($0.1)\n" }.joined()
        return
            "\(method)\n\(OSSTestCall.encode(resource, keeping: "/"))\n\(encoded)\n\(signed)\n\(names)\nUNSIGNED-PAYLOAD"
    }

    static func encode(_ text: String, keeping plain: String = "") -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            return byte < 0x80 && (character.isLetter || character.isNumber || "-_.~\(plain)".contains(character))
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
