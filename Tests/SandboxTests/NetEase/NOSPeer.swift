import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// The sandbox's side of NOS with a folder of its own, and a client that signs by code of the tests alone.
final class NOSPeer {
    static let now: Int64 = 1_788_000_000
    static let keyID = "nos-test-key"
    static let secret = "s3cr3t"
    static let bucket = "demo-files"

    struct Answer {
        let status: Int
        let fields: [NameValue]
        let text: String

        /// The status, and the code of a refusal behind it.
        var outcome: String {
            let code = text.components(separatedBy: "<Code>").dropFirst().first?.components(separatedBy: "<").first
            return code.map { "\(status) \($0)" } ?? "\(status)"
        }

        func field(_ name: String) -> String? {
            fields.first { $0.name.text.lowercased() == name.lowercased() }?.value.text
        }
    }

    let side: NOSSide
    private let folder: String

    init(callbackHosts: [HostPort] = []) throws {
        folder = NSTemporaryDirectory() + "countersign-nos-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        side = try NOSSide([Fixture.caller(NOSPeer.keyID, NOSPeer.secret)], callbackHosts: callbackHosts, data: folder)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    // MARK: Asking

    func send(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], _ body: [UInt8] = [],
        host: String = "127.0.0.1:1"
    ) throws -> Answer {
        let request = SandboxRequest(
            Array(method.utf8), target: Array(target.utf8),
            fields: ([("Host", host)] + fields).map { Call.field($0.0, $0.1) })
        return try send(request, BodyReader(body))
    }

    func send(_ request: SandboxRequest, _ body: BodyReader) throws -> Answer {
        let response = try side.answer(request, body, at: NOSPeer.now)
        let bytes =
            switch response.content {
            case .bytes(let bytes): bytes
            case .file(let file, let range): file.read(range.count, at: range.lowerBound)
            }
        return Answer(status: response.status, fields: response.fields, text: bytes.text)
    }

    /// Sends a request that is signed in its Authorization field.
    /// - Parameters:
    ///   - resource: what is signed of the target, where that is not the target.
    ///   - date: the Date field, which is signed; nil for none.
    func signed(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], _ body: String = "",
        resource: String? = nil, date: String? = NOSPeer.date(0), by secret: String = NOSPeer.secret
    ) throws -> Answer {
        let text = NOSPeer.text(method, date ?? "", fields, resource ?? target)
        let authorization = "NOS \(NOSPeer.keyID):\(try NOSPeer.code(text, secret))"
        let dated = date.map { [("Date", $0)] } ?? []
        return try send(method, target, fields + dated + [("Authorization", authorization)], Array(body.utf8))
    }

    /// Sends an upload by token.
    func upload(
        _ key: String, _ body: String = "content", _ query: String = "offset=0&complete=true&version=1.0",
        _ fields: [(String, String)] = [], token: String? = nil
    ) throws -> Answer {
        let path = "/\(NOSPeer.bucket)/\(Call.encode(key))"
        let token = try token ?? NOSPeer.token(#""Object":"\#(key)""#)
        return try send("POST", "\(path)?\(query)", [("x-nos-token", token)] + fields, Array(body.utf8))
    }

    // MARK: Signing

    /// `Sat, 11 Feb 2012 05:34:55 GMT`, so many seconds from now.
    static func date(_ ahead: Int64) -> String { HTTPDate.write(now + ahead).text }

    static func text(_ method: String, _ date: String, _ fields: [(String, String)], _ resource: String) -> String {
        func value(_ name: String) -> String { fields.first { $0.0.lowercased() == name }?.1 ?? "" }
        let own = fields.filter { $0.0.lowercased().hasPrefix("x-nos-") }.map { "\($0.0.lowercased()):\($0.1)\n" }
        return
            "\(method)\n\(value("content-md5"))\n\(value("content-type"))\n\(date)\n\(own.sorted().joined())\(resource)"
    }

    static func code(_ text: String, _ secret: String = secret) throws -> String {
        let key = try HMACKey(.sha256, Secret(Array(secret.utf8)))
        return Base64.standard.encode(try key.sign(Array(text.utf8).span).bytes.array).text
    }

    /// - Parameter members: of the policy, beside the bucket.
    static func token(_ members: String, bucket: String = bucket, by secret: String = secret) throws -> String {
        let policy = #"{"Bucket":"\#(bucket)",\#(members)}"#
        let encoded = Base64.standard.encode(Array(policy.utf8)).text
        return "UPLOAD \(keyID):\(try code(encoded, secret)):\(encoded)"
    }
}
