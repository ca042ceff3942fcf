import Crypto
import Foundation
import TestKeys
import TestPeers

/// An issuer of tokens whose keys are fetched at a URL.
final class FakeIssuer: Sendable {
    /// What it answers with; its connections' threads share it.
    private final class Shelf: @unchecked Sendable {
        private let lock = NSLock()
        private var text = ""
        private var requests: [String] = []

        var keys: String {
            get { lock.withLock { text } }
            set { lock.withLock { text = newValue } }
        }

        func add(_ request: String) { lock.withLock { requests.append(request) } }
        var seen: [String] { lock.withLock { requests } }
    }

    private let shelf = Shelf()
    private let peer: ClientPeer

    /// - Parameter port: 0 for any that is free.
    init(_ keys: [TestKey], tls certificate: ClientCertificates.Pair? = nil, port: UInt16 = 0) throws {
        let shelf = shelf
        peer = try ClientPeer(
            { connection, _ in
                while true {
                    shelf.add(try connection.request())
                    if shelf.keys.isEmpty {
                        try connection.answer("down", status: "503 Unavailable")
                    } else {
                        try connection.answer(shelf.keys, fields: "Content-Type: application/jwk-set+json\r\n")
                    }
                }
            }, tls: certificate, port: port)
        publish(keys)
    }

    deinit { _ = peer.stop(within: 10) }

    var port: UInt16 { peer.port }
    var url: String { "http://127.0.0.1:\(port)/.well-known/jwks.json" }
    var seen: [String] { shelf.seen }

    /// Puts other keys where they are fetched, each under the name that `token` gives it; none for an outage.
    func publish(_ keys: [TestKey]) {
        let list = keys.map { $0.jwk("\"kid\":\"\(FakeIssuer.name(of: $0))\"") }.joined(separator: ",")
        shelf.keys = keys.isEmpty ? "" : "{\"keys\":[\(list)]}"
    }

    static func name(of key: TestKey) -> String { TestKey.base64(Array((key.numbers.last ?? []).prefix(9))) }

    /// - Parameter kid: what the token calls its key; nil for the name that it is published under.
    static func token(of key: TestKey, kid: String? = nil, from issuer: String = Setup.issuer) -> String {
        key.token(
            header: "{\"alg\":\"\(key.algorithm.rawValue)\",\"kid\":\"\(kid ?? name(of: key))\"}",
            claims: "{\"iss\":\"\(issuer)\",\"aud\":\"uploads\",\"sub\":\"42\",\"exp\":\(now + 3600)}")
    }

    /// A member of `authentication` that believes tokens whose keys are fetched at a URL.
    static func entry(_ url: String, refresh: String = "1s", keep: String = "1d") -> String {
        """
        jwt: [{ id: "login", issuer: "\(Setup.issuer)", audience: "uploads", algorithms: ["ES256", "EdDSA"],
          jwksUrl: "\(url)", jwksRefresh: "\(refresh)", jwksKeep: "\(keep)" }],
        """
    }

    /// A set-up that believes tokens whose keys are fetched here.
    static func setup(_ url: String, refresh: String = "1s", keep: String = "1d") -> Setup {
        Setup(
            name: "issuer",
            rest: """
                authentication: { \(entry(url, refresh: refresh, keep: keep)) },
                  grants: {
                    "own": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["jwt:login"], bucket: "token-media",
                      keyPrefix: "users/${caller.id}/",
                    },
                  },
                """)
    }
}
