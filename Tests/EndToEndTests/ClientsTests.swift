import Foundation
import TestTraits
import Testing

@testable import TestService

/// One line of Tests/Python/clients.py: what a client did, and how that ended.
struct ClientUse: Decodable {
    let vendor: String
    let client: String
    let operation: String
    let outcome: String
}

/// The vendors' own clients use what the service issues at the sandbox; docs/clients.md says how each use ends.
@Suite("Clients that upload", .waiting, .enabled(if: Python.path != nil))
struct ClientsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    private static let page = root.appending(path: "docs/clients.md").standardized
    /// What scripts/check-s3 makes of it.
    private static let otherPart = "\n## Amazon S3 and compatible storage\n"

    private static func grant(_ route: String, _ credential: String, _ fields: String) -> String {
        #"route: "\#(route)", credential: "\#(credential)", callers: ["apiKey:alice"], keyPrefix: "up/", \#(fields)"#
    }

    private static func below(_ prefix: String, _ route: String, _ credential: String) -> String {
        grant(route, credential, #"bucket: "demo-bucket""#).replacing("up/", with: prefix)
    }

    private static let parts = #""uploads", "uploadId", "partNumber""#

    private static func called(_ route: String, _ credential: String, _ fields: String) -> String {
        grant(route, credential, fields).replacing("up/", with: "called/")
    }

    /// - Parameters:
    ///   - own: where the service listens, since the sandbox has to know it before.
    ///   - port: that of the sandbox.
    private static func setup(_ own: UInt16, _ port: String) -> Setup {
        let url = "http://127.0.0.1:\(own)"
        let limits = #"contentTypes: ["image/png"], maxSize: 100"#
        return Setup(
            name: "clients",
            credentials: """
                credentials: {
                    "qiniu": { provider: "qiniu", sandbox: true, accessKey: "\(Setup.qiniuAccessKey)",
                      secretKey: { file: "secrets/qiniu" } },
                    "nos": { provider: "nos", sandbox: true, accessKey: "\(Setup.nosAccessKey)",
                      secretKey: "\(Setup.nosSecret)", endpoint: "http://nos.localhost:\(port)" },
                    "oss": { provider: "oss", sandbox: true, accessKey: "\(Setup.ossAccessKey)",
                      secretKey: { env: "E2E_OSS_SECRET" }, region: "\(Setup.ossRegion)",
                      endpoint: "http://oss.localhost:\(port)" },
                    "sts": { provider: "sts", sandbox: true, accessKey: "\(Setup.ossAccessKey)",
                      secretKey: { env: "E2E_OSS_SECRET" }, roleArn: "\(Setup.roleARN)",
                      endpoints: "http://127.0.0.1:\(port)" },
                  }
                """,
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry)] },
                  grants: {
                    "kodo": { \(grant("qiniu.uptoken", "qiniu", #"bucket: "demo-media","#))
                      policy: { fsizeLimit: 10000000, mimeLimit: "image/*" } },
                    "kodo-read": { \(grant("qiniu.download-url", "qiniu", ""))
                      domain: "demo-media.qiniu.localhost:\(port)", scheme: "http" },
                    "kodo-list": { \(grant("qiniu.authorization", "qiniu", #"bucket: "demo-media", operations: "list""#)) },
                    "nos": { \(grant("nos.token", "nos", #"bucket: "demo-files","#))
                      policy: { ObjectSizeMax: 3000000, MimeLimit: "image/png" } },
                    "nos-read": { \(grant("nos.presigned-url", "nos", #"bucket: "demo-files", methods: ["GET"]"#)) },
                    "nos-list": { \(grant("nos.files", "nos", #"bucket: "demo-files""#)) },
                    "nos-signed": { \(grant("nos.authorization", "nos", #"bucket: "demo-files","#))
                      methods: ["GET", "PUT"], headers: ["content-md5", "content-type"] },
                    "oss": { \(grant("oss.presigned-url", "oss", #"bucket: "demo-bucket", methods: ["GET", "PUT"],"#))
                      headers: ["content-length"], versions: "v4", \(limits) },
                    "oss-parts": { \(below("parts/", "oss.presigned-url", "oss")), methods: ["GET", "PUT", "POST"],
                      subresources: [\(parts)], contentTypes: ["image/png"] },
                    "oss-list": { \(grant("oss.list-url", "oss", #"bucket: "demo-bucket""#)) },
                    "form": { \(grant("oss.post-policy", "oss", #"bucket: "demo-bucket","#)) \(limits) },
                    "kodo-called": { \(called("qiniu.uptoken", "qiniu", #"bucket: "demo-media","#))
                      policy: { callbackUrl: "\(url)/qiniu/callback", callbackBody: "key=$(key)" } },
                    "kodo-done": { route: "qiniu.callback", credential: "qiniu",
                      publicURL: "\(url)/qiniu/callback", reply: { kodo: "verified" } },
                    "form-called": { \(called("oss.post-policy", "oss", #"bucket: "demo-bucket","#)) \(limits),
                      callback: { callbackUrl: "\(url)/oss/callback", callbackBody: "object=${object}" } },
                    "oss-done": { route: "oss.callback", credential: "oss", keyHost: "http://127.0.0.1:\(port)",
                      publicURL: "\(url)/oss/callback", reply: { oss: "verified" } },
                    "session": { \(grant("distribute-token", "sts", #"bucket: "demo-bucket", listPrefix: true,"#))
                      actions: ["oss:PutObject", "oss:GetObject", "oss:AbortMultipartUpload", "oss:ListParts"] },
                    "ending": { \(below("ending/", "distribute-token", "sts")), lifetime: "15m",
                      actions: ["oss:PutObject"] },
                    "signs": { \(below("signs/", "oss.sign", "oss")), methods: ["GET", "PUT", "POST"],
                      subresources: [\(parts), "encoding-type", "max-parts", "part-number-marker"] },
                    "requests": { \(below("requests/", "oss.authorization", "oss")), methods: ["GET", "PUT", "POST"],
                      headers: ["content-type", "content-md5"], subresources: [\(parts)],
                      query: ["encoding-type", "max-parts", "part-number-marker"] },
                  },
                """,
            listen: "\"127.0.0.1:\(own)\"")
    }

    /// The lines of the script and the uses by the Swift client, by a service and a sandbox that share the secret keys.
    private func results() async throws -> [ClientUse] {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (path, secret) in [
            ("qiniu/\(Setup.qiniuAccessKey)", Setup.qiniuSecret), ("netease/\(Setup.nosAccessKey)", Setup.nosSecret),
            ("alibaba/\(Setup.ossAccessKey)", Setup.ossSecret),
        ] {
            let file = URL(filePath: "\(folder)/keys/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Keeper.write(secret + "\n", to: file.path)
        }
        // What another bucket is refused for is not that it is missing.
        for bucket in ["qiniu/other-media", "netease/other-files", "alibaba/other-bucket"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/objects/\(bucket)", withIntermediateDirectories: true)
        }
        let own = try Listener.freePort()
        let options = ["--role", Setup.roleARN, "--callback-host", "127.0.0.1:\(own)", "--end-with-parent"]
        let sandbox = try Program(Program.sandbox, ["--data", folder, "--listen", "127.0.0.1:0"] + options)
        defer { _ = sandbox.stop() }
        let line = try sandbox.waitForOutput(holding: "\n")
        let port = try #require(line.firstMatch(of: #/127\.0\.0\.1:(\d+)/#)?.output.1)
        let service = try Service(ClientsTests.setup(own, String(port)), .epoll)
        defer { service.stop() }
        let url = "http://127.0.0.1:\(service.port)"
        let script = ClientsTests.root.appending(path: "Tests/Python/clients.py").standardized.path
        let arguments = [script, url, APIKey.alice.key, "127.0.0.1:\(port)", folder, Setup.ossAccessKey]
        let done = try Program(try #require(Python.path), arguments).wait(within: 120)
        try #require(done.code == 0, "\(done.out)\(done.err)")
        let told = try done.out.split(separator: "\n").map {
            try JSONDecoder().decode(ClientUse.self, from: Data($0.utf8))
        }
        let swift = SwiftClientUses(
            service: try #require(URL(string: url)), key: APIKey.alice.key,
            sandbox: try #require(URL(string: "http://127.0.0.1:\(port)")), folder: URL(filePath: folder))
        return try await told + swift.results()
    }

    private func text(of results: [ClientUse]) -> String {
        func distinct(_ values: [String]) -> [String] {
            values.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
        var text = """
            # Clients and what they may do

            Made by `scripts/write-clients`; do not edit. The clients are the vendors' own SDKs, curl, and
            [`CountersignClient`](client.md) for Swift. Each uses what the service has issued at the [sandbox](sandbox.md), and a test
            compares this page with what it sees. A number is the vendor's status, and behind it stands the vendor's code or message. "–" is
            what was not tried: a session of STS limits neither size nor type, and the Swift client itself gets what it uploads by. An upload
            that is resumed was cut behind its first part.

            """
        for vendor in distinct(results.map(\.vendor)) {
            let ours = results.filter { $0.vendor == vendor }
            let clients = distinct(ours.map(\.client))
            text += "\n## \(vendor)\n\n| operation | \(clients.joined(separator: " | ")) |\n"
            text += String(repeating: "|---", count: clients.count + 1) + "|\n"
            for operation in distinct(ours.map(\.operation)) {
                let cells = clients.map { client in
                    ours.first { $0.client == client && $0.operation == operation }?.outcome ?? "–"
                }
                text += "| \(operation) | \(cells.joined(separator: " | ")) |\n"
            }
        }
        return text
    }

    @Test func `each client does with what the service issues what docs/clients.md says, and no more`() async throws {
        let text = text(of: try await results())
        let page = try String(contentsOf: ClientsTests.page, encoding: .utf8)
        let other = try #require(page.firstRange(of: ClientsTests.otherPart)?.lowerBound)
        if ProcessInfo.processInfo.environment["COUNTERSIGN_WRITE_CLIENTS"] != nil {
            return try Data((text + page[other...]).utf8).write(to: ClientsTests.page)
        }
        #expect(page[..<other] == text, "scripts/write-clients writes it anew")
    }
}
