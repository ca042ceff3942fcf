import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Kodo in a folder of its own, and requests that are signed by code of the tests alone.
final class KodoFixture: Sendable {
    static let accessKey = "MY_ACCESS_KEY"
    static let secret = "MY_SECRET_KEY"
    static let now: Int64 = 1_451_487_600
    static let deadline: Int64 = 1_451_491_200
    static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array("content".utf8)

    /// What was answered.
    struct Answer {
        let response: SandboxResponse
        var status: Int { response.status }
        var text: String {
            switch response.content {
            case .bytes(let bytes): bytes.text
            case .file(let file, let range): file.read(range.count, at: range.lowerBound).text
            }
        }
        /// A member of the answer's JSON.
        subscript(name: String) -> String? {
            (try? JSONReader.read(Array(text.utf8), as: .json))?[name]?.text?.text
        }
        func field(_ name: String) -> String? { response.fields.first { $0.name.text == name }?.value.text }
        /// Its status and what it says.
        var outcome: String { "\(status) \(self["error"] ?? self["key"] ?? "")" }
    }

    let folder: URL
    let store: ObjectStore
    let service: KodoService
    let side: QiniuSide

    init(ticks: @escaping @Sendable () -> Int64 = { 0 }) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "kodo-\(UUID().uuidString)")
        store = try ObjectStore(.qiniu, in: folder.path)
        let account = SandboxCaller(
            accessKeyID: Array(KodoFixture.accessKey.utf8), secret: Secret(Array(KodoFixture.secret.utf8)))
        service = KodoService(VendorAccounts([account]), store, callbackHosts: [], ticks: ticks)
        side = try QiniuSide(service)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    // MARK: Signing

    static func sign(_ text: String) throws -> String {
        let key = try HMACKey(.sha1, Secret(Array(secret.utf8)))
        return accessKey + ":" + Base64.urlSafe.encode(try key.sign(Array(text.utf8).span).bytes.array).text
    }

    static func encode(_ text: String) -> String { Base64.urlSafe.encode(Array(text.utf8)).text }

    /// - Parameter policy: the members of the put policy's JSON.
    static func token(policy: String) throws -> String {
        let encoded = encode("{\(policy)}")
        return "\(try sign(encoded)):\(encoded)"
    }

    static func token(_ scope: String, _ more: String = "") throws -> String {
        try token(policy: #""scope":"\#(scope)","deadline":\#(deadline)\#(more.isEmpty ? "" : "," + more)"#)
    }

    // MARK: Asking

    func ask(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], _ body: BodyReader = BodyReader([]),
        at now: Int64 = KodoFixture.now
    ) throws -> Answer {
        let request = SandboxRequest(
            Array(method.utf8), target: Array(target.utf8),
            fields: ([("Host", "127.0.0.1:8090")] + fields).map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) })
        return Answer(response: try side.answer(request, body, at: now))
    }

    /// A form with these fields and, unless it is nil, a file behind them.
    static func form(
        _ fields: [(String, String)], _ file: [UInt8]?
    ) -> [UInt8] {
        var body: [UInt8] = []
        for (name, value) in fields {
            body += Array("--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        if let file {
            body += Array("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n".utf8)
            body += Array("Content-Type: image/jpeg\r\n\r\n".utf8) + file + Array("\r\n".utf8)
        }
        return body + Array("--b--\r\n".utf8)
    }

    static let formType = [("Content-Type", "multipart/form-data; boundary=b")]

    /// Uploads by a form.
    func put(
        _ token: String, _ key: String?, _ content: [UInt8] = jpeg, fields: [(String, String)] = [],
        at now: Int64 = KodoFixture.now
    ) throws -> Answer {
        let all = [("token", token)] + (key.map { [("key", $0)] } ?? []) + fields
        return try ask(
            "POST", "/", KodoFixture.formType, BodyReader(KodoFixture.form(all, content)), at: now)
    }

    func post(_ target: String, _ token: String, _ content: String = "", method: String = "POST") throws -> Answer {
        try ask(method, target, [("Authorization", "UpToken \(token)")], BodyReader(Array(content.utf8)))
    }

    // MARK: Looking

    /// All keys of the bucket.
    func keys() throws -> [String] {
        try store.list(ListRequest(limit: 1000), in: QiniuSide.sampleBucket).objects.map(\.key.text)
    }

    /// Files that are not complete.
    func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "uploads/qiniu").path)
    }
}
