import Foundation
import TestPeers

/// Kodo's management services, as far as the service asks them: requests are verified by the vendor's documents, with code that
/// shares nothing with the service.
final class FakeKodo: Sendable {
    /// A request as it came, after its signature was found right.
    struct Seen: Sendable {
        let target: String
        let authorization: String
        let date: String
    }

    /// What stands in the bucket `demo-media`.
    static let keys = [
        "photos/a.jpg", "photos/sub/b.jpg", "photos/中 文.jpg", "private/c.jpg", "users/apiKey-alice/d.txt",
    ]

    /// What came, in order; the connections' threads share it.
    private final class Record: @unchecked Sendable {
        private let lock = NSLock()
        private var requests: [Seen] = []
        private var wrong: [String] = []

        func add(_ seen: Seen) -> Int {
            lock.withLock {
                requests.append(seen)
                return requests.count
            }
        }

        func addRefused(_ text: String) { lock.withLock { wrong.append(text) } }

        var seen: [Seen] { lock.withLock { requests } }
        var refused: [String] { lock.withLock { wrong } }
    }

    private let record: Record
    private let peer: ClientPeer

    /// - Parameters:
    ///   - secret: what requests are signed with.
    ///   - answer: says whether it has answered instead of the right answer; it may take its time.
    init(
        tls certificate: ClientCertificates.Pair? = nil, secret: String = Setup.qiniuSecret,
        _ answer: @escaping @Sendable (ClientPeerConnection, Seen, _ number: Int) throws -> Bool = { _, _, _ in false }
    ) throws {
        let record = Record()
        self.record = record
        peer = try ClientPeer(
            { connection, _ in
                while true {
                    let text = try connection.request()
                    guard let seen = FakeKodo.verify(text, secret) else {
                        record.addRefused(text)
                        try connection.answer(#"{"error":"bad token"}"#, status: "401 No")
                        continue
                    }
                    if try answer(connection, seen, record.add(seen)) { continue }
                    let (status, body) = FakeKodo.reply(to: seen.target)
                    try connection.answer(body, status: status, fields: "Content-Type: application/json\r\n")
                }
            }, tls: certificate)
    }

    deinit { _ = peer.stop(within: 10) }

    var port: UInt16 { peer.port }
    var url: String { "http://127.0.0.1:\(port)" }
    /// What came with a right signature.
    var seen: [Seen] { record.seen }
    /// What came with another.
    var refused: [String] { record.refused }

    // MARK: Signatures

    /// `Qiniu AK:urlsafe-base64(HMAC-SHA1(…))` over method, target, host, content type and `X-Qiniu-` fields.
    private static func verify(_ text: String, _ secret: String) -> Seen? {
        let lines = text.components(separatedBy: "\r\n")
        let line = lines[0].components(separatedBy: " ")
        guard line.count == 3, line[0] == "GET", line[2] == "HTTP/1.1", text.hasSuffix("\r\n\r\n") else { return nil }
        var fields: [String: String] = [:]
        for field in lines.dropFirst() where !field.isEmpty {
            let parts = field.components(separatedBy: ": ")
            guard parts.count == 2, fields.updateValue(parts[1], forKey: parts[0].lowercased()) == nil else {
                return nil
            }
        }
        guard let host = fields["host"], let type = fields["content-type"], let date = fields["x-qiniu-date"],
            fields.keys.filter({ $0.hasPrefix("x-qiniu") }).count == 1,
            moment(-60...60, writtenAs: date, by: basicISO8601) != nil
        else { return nil }
        let signed = "GET \(line[1])\nHost: \(host)\nContent-Type: \(type)\nX-Qiniu-Date: \(date)\n\n"
        let code = Digests.hmacSHA1(key: Array(secret.utf8), Array(signed.utf8))
        let authorization = "Qiniu \(Setup.qiniuAccessKey):\(Base64Text.encode(code, urlSafe: true))"
        guard fields["authorization"] == authorization else { return nil }
        return Seen(target: line[1], authorization: authorization, date: date)
    }

    // MARK: Answers

    private static func reply(to target: String) -> (status: String, body: String) {
        let parts = target.components(separatedBy: "?")
        switch parts[0] {
        case "/buckets": return ("200 OK", #"["demo-media","secret-bucket"]"#)
        case "/list": return list(parts.count == 2 ? parts[1] : "")
        case let path where path.hasPrefix("/stat/"): return stat(String(path.dropFirst(6)))
        default: return ("404 None", #"{"error":"no such route"}"#)
        }
    }

    private static func list(_ query: String) -> (status: String, body: String) {
        var values: [String: String] = [:]
        for pair in query.components(separatedBy: "&") {
            let parts = pair.components(separatedBy: "=")
            values[parts[0]] = parts.count == 2 ? parts[1].removingPercentEncoding : nil
        }
        guard values["bucket"] == "demo-media" else { return ("631 None", #"{"error":"no such bucket"}"#) }
        guard values["marker"] != "wrong" else { return ("400 No", #"{"error":"invalid marker"}"#) }
        let prefix = values["prefix"] ?? ""
        let keys = FakeKodo.keys.filter { $0.hasPrefix(prefix) }
        let limit = values["limit"].flatMap { Int($0) } ?? 1000
        let items = keys.prefix(limit).map(FakeKodo.item).joined(separator: ",")
        let more = keys.count > limit ? #","marker":"eyJjIjow""# : ""
        return ("200 OK", #"{"items":[\#(items)]\#(more)}"#)
    }

    private static func stat(_ entry: String) -> (status: String, body: String) {
        let name = (try? Base64Text.decode(entry, urlSafe: true)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts[0] == "demo-media", FakeKodo.keys.contains(parts[1]) else {
            return ("612 None", #"{"error":"no such file or directory"}"#)
        }
        return ("200 OK", #"{"fsize":1500,"hash":"Fm","mimeType":"image/jpeg","putTime":16995552007137820,"type":0}"#)
    }

    static func item(_ key: String) -> String { #"{"key":"\#(key)","hash":"Fm","fsize":1500,"type":0}"# }
}

extension Setup {
    /// As `patient`, of a grant's own limits.
    static let patientFetches = #"patience: "50s""#

    /// Grants of what Kodo is asked by the service itself.
    static func fetches(_ name: String, _ hosts: String..., server: String = "", limits: String = "") -> Setup {
        let list = hosts.map { "\"\($0)\"" }.joined(separator: ", ")
        var setup = Setup(
            name: name, server: server,
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)] },
                  grants: {
                    "photos": {
                      route: "qiniu.files", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "photos/", hosts: { rsf: [\(list)] },
                    },
                    "hers": {
                      route: "qiniu.files", credential: "qiniu", callers: ["authenticated"],
                      bucket: "demo-media", keyPrefix: "users/${caller.source}/", hosts: { rsf: [\(list)] },
                    },
                    "every": {
                      route: "qiniu.files", credential: "qiniu", callers: ["apiKey:bob"], unscoped: true,
                      hosts: { rsf: [\(list)] },
                    },
                    "look": {
                      route: "qiniu.stat", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "photos/", hosts: { rs: [\(list)] },
                    },
                    "names": {
                      route: "qiniu.buckets", credential: "qiniu", callers: ["apiKey:bob"], unscoped: true,
                      hosts: { uc: [\(list)] },
                    },
                  },
                """)
        setup.credentials.replace("secrets/qiniu\" }", with: "secrets/qiniu\" }, limits: { \(limits) }")
        return setup
    }
}
