import Foundation
import TestPeers

/// The host where OSS publishes its public key, and what OSS signs with the other half.
final class FakeOSS: Sendable {
    /// For all tests: to make a key takes its time.
    static let signer = Result { try RSASigner() }
    static let stranger = Result { try RSASigner() }
    static let usualPath = "/callback_pub_key_v1.pem"

    private final class Record: @unchecked Sendable {
        private let lock = NSLock()
        private var lines: [String] = []
        func add(_ line: String) { lock.withLock { lines.append(line) } }
        var all: [String] { lock.withLock { lines } }
    }

    private let record = Record()
    private let peer: ClientPeer

    /// - Parameter answer: says whether it has answered instead of the right answer; it may take its time.
    init(
        tls certificate: ClientCertificates.Pair? = nil,
        _ answer: @escaping @Sendable (ClientPeerConnection, _ target: String) throws -> Bool = { _, _ in false }
    ) throws {
        let key = try FakeOSS.signer.get().publicPEM
        peer = try ClientPeer(
            { [record] connection, _ in
                while true {
                    let line = try connection.request().prefix { $0 != "\r\n" }
                    record.add(String(line))
                    let target = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                    if try answer(connection, target) { continue }
                    guard line == "GET \(FakeOSS.usualPath) HTTP/1.1" else {
                        try connection.answer("<Error>NoSuchKey</Error>", status: "404 None")
                        continue
                    }
                    try connection.answer(key, fields: "Content-Type: application/octet-stream\r\n")
                }
            }, tls: certificate)
    }

    deinit { _ = peer.stop(within: 10) }

    var port: UInt16 { peer.port }
    var url: String { "http://127.0.0.1:\(port)" }
    /// The lines of the requests that came.
    var asked: [String] { record.all }
    /// How many connections came, with or without a request.
    var connections: Int { peer.connections }
}

/// A callback as OSS sends it, and its signature by the vendor's documents; what is changed after it has been signed is forged.
struct OSSCallback: Sendable {
    var method = "POST"
    /// As on the request line; what OSS signs has the path decoded.
    var path = "/hooks/done"
    var query: String?
    var body = "bucket=demo-bucket&object=photos%2Fa.jpg&etag=%22D41D%22&size=1500"
    var contentType = "application/x-www-form-urlencoded"
    var keyURL = "http://gosspublic.alicdn.com\(FakeOSS.usualPath)"

    func with(_ change: (inout OSSCallback) -> Void) -> OSSCallback {
        var changed = self
        change(&changed)
        return changed
    }

    var target: String { path + (query.map { "?" + $0 } ?? "") }

    var text: String {
        (path.removingPercentEncoding ?? "") + (query.map { "?" + $0 } ?? "") + "\n" + body
    }

    func signed(by signer: Result<RSASigner, any Error> = FakeOSS.signer, _ algorithm: String = "MD5") throws -> String
    {
        Base64Text.encode(try signer.get().sign(text, by: algorithm), urlSafe: false)
    }

    var keyField: String { "x-oss-pub-key-url: \(Base64Text.encode(Array(keyURL.utf8), urlSafe: false))" }

    /// - Parameter keyField: instead of the callback's own; an empty one is not sent.
    func text(
        to service: Service, _ authorization: String?, host: String? = nil, keyField: String? = nil,
        more: [String] = []
    ) -> String {
        var lines = ["Content-Type: \(contentType)", keyField ?? self.keyField].filter { !$0.isEmpty } + more
        if let authorization { lines.append("Authorization: \(authorization)") }
        if let host { lines.append("Host: \(host)") }
        return service.text(method, target, lines, body: body)
    }

    func send(
        to service: Service, _ authorization: String?, host: String? = nil, keyField: String? = nil,
        more: [String] = []
    ) throws -> Answer {
        let client = try service.connect()
        try client.send(text(to: service, authorization, host: host, keyField: keyField, more: more))
        return try client.answer()
    }
}

extension Setup {
    /// Callbacks of OSS by several URLs.
    static func ossCallbacks(_ name: String, _ keyHost: String, server: String = "", logLevel: String = "info") -> Setup
    {
        Setup(
            name: name, server: server,
            rest: """
                grants: {
                    "done": {
                      route: "oss.callback", credential: "oss", publicURL: "https://app.example.com/hooks/done",
                      reply: { Status: "OK", name: "中文" }, keyHost: "\(keyHost)",
                    },
                    "own": {
                      route: "oss.callback", credential: "oss", keyHost: "\(keyHost)",
                      publicURL: "http://app.example.com:8080/oss/callback?of=a%2Fb", reply: { ok: 1 },
                    },
                    "spelled": {
                      route: "oss.callback", credential: "oss", publicURL: "https://app.example.com/hooks/%E4%B8%AD%20x",
                      reply: { ok: 2 }, keyHost: "\(keyHost)",
                    },
                  },
                """, logLevel: logLevel)
    }
}
