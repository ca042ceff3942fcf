import Foundation
import TestPeers

/// Grants whose requests a session of STS signs.
extension Setup {
    static let sandboxSigning = Setup(
        name: "sandbox-signing",
        credentials: """
            credentials: {
                "oss-sts": { \(RunningSandbox.credential), region: "\(ossRegion)", \(patient) },
              }
            """,
        rest: signingRest)

    /// - Parameter fields: of the credential, such as its limits.
    static func signing(_ name: String, at port: UInt16, _ fields: String = patient) -> Setup {
        Setup(name: name, credentials: role("oss-sts", at: port, fields), rest: signingRest)
    }

    /// The grants of `ossRequests`, a session signing instead of a key.
    static func ossRequestsBySession(at port: UInt16) -> Setup {
        let rest = ossRequests.rest.replacing("unscoped: true", with: "bucket: \"demo-bucket\", unscoped: true")
        return Setup(name: "oss-requests-by-session", credentials: role("oss", at: port, patient), rest: rest)
    }

    private static func role(_ name: String, at port: UInt16, _ fields: String) -> String {
        """
        credentials: {
            "\(name)": {
              provider: "sts", accessKey: "LTAI5e2e", secretKey: "secret-of-the-end-to-end-tests",
              roleArn: "\(roleARN)", endpoints: ["http://127.0.0.1:\(port)"], region: "\(ossRegion)", \(fields)
            },
          }
        """
    }

    private static let signingRest = """
        authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry), \(APIKey.ending.entry)] },
          grants: {
            "links": {
              route: "oss.presigned-url", credential: "oss-sts", callers: ["anonymous"], public: true,
              bucket: "demo-bucket", keyPrefix: "in/", methods: ["GET", "PUT"], headers: ["x-oss-meta-*"],
              query: ["response-content-type"], contentTypes: ["text/plain", "image/*"], lifetime: "5m", maxLifetime: "7d",
            },
            "objects": {
              route: "oss.authorization", credential: "oss-sts", callers: ["anonymous"], public: true,
              bucket: "demo-bucket", keyPrefix: "in/", methods: ["GET", "PUT", "POST", "DELETE"],
              headers: ["content-type", "x-oss-meta-*", "range"], subresources: ["uploads", "uploadId"],
            },
            "own": {
              route: "oss.presigned-url", credential: "oss-sts", callers: ["apiKey:alice", "apiKey:bob", "apiKey:ending"],
              bucket: "demo-bucket", keyPrefix: "users/${caller.source}/", methods: ["GET"], maxLifetime: "2h",
            },
          },
        """
}

/// STS for the tests of what its sessions sign: what it gives is known to them.
final class SessionVendor: Sendable {
    struct Session: Sendable {
        let accessKey, secret, token: String
        /// Seconds since 1970.
        let end: Int64
    }

    private let asked: Asked
    private let peer: ClientPeer
    var port: UInt16 { peer.port }
    /// What was given, in its order.
    var sessions: [Session] { asked.sessions }
    /// The parameters of the calls.
    var calls: [[String: String]] { asked.calls }

    /// - Parameters:
    ///   - life: of its sessions, in seconds.
    ///   - pause: for which it makes callers wait, in milliseconds.
    ///   - isConstant: whether all get the same key.
    init(life: Int64 = 3600, pause: Int32 = 0, isConstant: Bool = false) throws {
        let asked = Asked(isConstant: isConstant)
        self.asked = asked
        peer = try ClientPeer(
            { peer, _ in
                while true {
                    let session = asked.take(try peer.request(), life)
                    if pause > 0 { peer.pause(milliseconds: pause) }
                    try peer.answer(
                        """
                        {"RequestId":"1","Credentials":{"AccessKeyId":"\(session.accessKey)",\
                        "AccessKeySecret":"\(session.secret)","SecurityToken":"\(session.token)",\
                        "Expiration":"\(iso8601(session.end))"}}
                        """, fields: "Date: \(httpDate(now))\r\n")
                }
            })
    }

    func stop() { _ = peer.stop() }

    private final class Asked: @unchecked Sendable {
        private let isConstant: Bool
        private let lock = NSLock()
        private var given: [Session] = []
        private var received: [[String: String]] = []

        init(isConstant: Bool) { self.isConstant = isConstant }

        var sessions: [Session] { lock.withLock { given } }
        var calls: [[String: String]] { lock.withLock { received } }

        func take(_ request: String, _ life: Int64) -> Session {
            let line = request.components(separatedBy: "\r\n").first ?? ""
            let target = line.components(separatedBy: " ").dropFirst().first ?? ""
            let items = URLComponents(string: target)?.queryItems ?? []
            return lock.withLock {
                received.append(Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first })
                let number = isConstant ? 1 : given.count + 1
                let session = Session(
                    accessKey: "STS.e2e\(number)", secret: "session-secret-\(number)-of-the-tests",
                    token: "CAIS+\(number)/wF&=?%2F~*'()==", end: now + life)
                given.append(session)
                return session
            }
        }
    }
}
