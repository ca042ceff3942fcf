import Access
import Bytes
import Crypto
import FoundationEssentials
import HTTP
import Machine
import Testing

@testable import Configuration

@Suite(.timeLimit(.minutes(20)))
struct LoadingTests {
    @Test
    func `reads every value of the server as it is written`() throws {
        let server = try Sample.load(Sample.text).server
        #expect(server.listen.map(\.description) == ["127.0.0.1:8080", "[::1]:8080"])
        #expect(server.hosts.map(\.text) == ["tokens.example.com", "[2001:db8::1]"])
        #expect(server.transport == "epoll")
        #expect(server.workers == 2)
        #expect(server.origins.map(\.text) == ["https://app.example.com", "http://localhost:3000"])
        #expect(server.aliases.map(\.path.text) == ["/api/uptoken", "/sign"])
        #expect(server.statusInBody)
        #expect(server.limits.requestLine == 4096)
        #expect(server.limits.headers == 16384)
        #expect(server.limits.headerCount == 50)
        #expect(server.limits.body == 1000)
        #expect(server.limits.jsonDepth == 8)
        #expect(server.limits.connections == 500)
        #expect(server.limits.tlsMessages == 65_536)
        #expect(server.limits.connectionBuffer == 8192)
        #expect(server.limits.handshakes == 99)
        #expect(server.limits.headerTimeout == 5000)
        #expect(server.limits.requestTimeout == 20_000)
        #expect(server.limits.idleTimeout == 60_000)
        #expect(server.limits.drainTimeout == 500)
    }

    @Test
    func `reads credentials and grants in their order, lifetimes in seconds (R5)`() throws {
        let configuration = try Sample.load(Sample.text)
        #expect(configuration.credentials.map(\.name) == ["kodo", "nos", "oss", "role"])
        #expect(configuration.credentials.map(\.key?.accessKey.text) == ["AK-qiniu", "AK-nos", "AK-oss", "LTAI-role"])
        #expect(configuration.credentials.map(\.provider) == ["qiniu", "nos", "oss", "sts"])
        #expect(configuration.credentials.allSatisfy { !$0.isSandbox && ($0.sessions != nil) == ($0.name == "role") })
        #expect(configuration.grants.map(\.name.text) == ["photos", "avatars", "shared", "files", "sign", "uploads"])
        #expect(configuration.grants.map(\.index) == [0, 1, 2, 3, 4, 5])
        #expect(configuration.grants.map(\.lifetimes.usual) == [600, 3600, 3600, 86_400, 3600, 900])
        #expect(configuration.grants.map(\.lifetimes.longest) == [3600, 3600, 3600, 604_800, 3600, 7200])
        #expect(configuration.grants.map(\.credential) == [0, 0, 0, 1, 2, 3])
        #expect(configuration.warnings.map { $0.prefix(26) } == ["grants.avatars.key: caller"])
        #expect("\(configuration.log)".contains("debug, format: Telemetry.LogFormat.text"))
    }

    @Test
    func `a lifetime that is not given is an hour, or the maximum where that is less (R5)`() throws {
        let text = try #require(
            Sample.text.replacingOnce("lifetime: \"10m\", maxLifetime: \"1h\"", with: "maxLifetime: \"5m\""))
        let grant = try #require(try Sample.load(text).grants.first)
        #expect(grant.lifetimes.usual == 300)
        #expect(grant.lifetimes.longest == 300)
    }

    @Test
    func `the smallest configuration has every standard`() throws {
        let configuration = try Sample.load("{version:1,credentials:{},grants:{}}")
        #expect(configuration.server.listen.map(\.description) == ["127.0.0.1:8080"])
        #expect(configuration.server.transport == nil)
        #expect(!configuration.server.statusInBody)
        #expect(configuration.server.limits.requestLine == 8192)
        #expect(configuration.server.limits.drainTimeout == 10_000)
        #expect("\(configuration.log)".contains("info, format: Telemetry.LogFormat.json"))
    }

    @Test(arguments: [
        ("0.0.0.0:8080", "plaintext: true"), ("[::]:0", "plaintext: true"), ("localhost:1", "plaintext: false"),
        ("[::ffff:127.0.0.1]:1", "plaintext: false"),
    ])
    func `listens off loopback where plaintext is said to be wanted`(address: String, plaintext: String) throws {
        let text = "{version:1,server:{listen:'\(address)',\(plaintext)},credentials:{},grants:{}}"
        #expect(try Sample.load(text).server.listen.map(\.description) == [address])
    }

    @Test(
        "takes the origins that browsers and hybrid apps send (R2)",
        arguments: [
            "https://a.example", "http://a.example:8080", "https://a.example:80", "http://[::1]:3000", "https://[::1]",
            "http://192.0.2.1", "capacitor://localhost", "chrome-extension://abcdefghijklmnop", "https://xn--fiqs8s",
        ])
    func origins(origin: String) throws {
        let text = "{version:1,server:{cors:{origins:'\(origin)'}},credentials:{},grants:{}}"
        #expect(try Sample.load(text).server.origins.map(\.text) == [origin])
    }

    @Test
    func `the demo loads, with one warning about its sandbox keys`() throws {
        let path = Repository.path("config/demo.json5")
        let environment = Environment(
            variable: { _ in nil },
            file: {
                $0 == path ? Environment.process.file($0) : Sample.file("a-key-of-the-demonstration-of-32-bytes\n")
            })
        let configuration = try Configuration.load(path, in: environment)
        #expect(configuration.grants.count == 10)
        #expect(configuration.credentials.count == 4)
        let (keys, others) = (
            configuration.warnings.filter { $0.contains("sandbox keys") },
            configuration.warnings.filter { !$0.contains("sandbox keys") }
        )
        #expect(keys.count == 1)
        #expect(others.count == 1 && others[0].hasPrefix("grants.forms: callback: "))
    }

    @Test
    func `a file that is not there is one problem, without a position in it`() {
        #expect(throws: ConfigurationError.self) { try Configuration.load("/nowhere/c.json5") }
        let environment = Environment(variable: { _ in nil }, file: { _ in nil })
        do throws(ConfigurationError) {
            _ = try Configuration.load("c.json5", in: environment)
        } catch {
            #expect(
                error.description
                    == "c.json5: no such file; "
                    + "name another with --config, or make one with `countersign init`"
            )
            #expect(error.problems.map(\.position) == [nil])
        }
    }

    @Test(arguments: ["c.json5", "/c.json5", "a/b/c.json5", "./c.json5"])
    func `a relative path of a secret begins at the configuration's folder`(name: String) throws {
        let secretFile = String(name.dropLast(7)) + "key"
        let text = Sample.file(
            "{version:1,credentials:{a:{provider:'nos',accessKey:'a',secretKey:{file:'key'}}},grants:{}}")
        let environment = Environment(
            variable: { _ in nil },
            file: {
                $0 == name ? text : $0 == (secretFile == "key" ? "./key" : secretFile) ? Sample.file("secret") : nil
            })
        #expect(try Configuration.load(name, in: environment).credentials.count == 1)
    }

    @Test
    func `the mode of a file is that of what a link leads to`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/countersign-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, mode) in [("closed", 0o600), ("open", 0o644), ("group", 0o640)] {
            let path = "\(folder)/\(name)"
            let isMade = FileManager.default.createFile(
                atPath: path, contents: Data(name.utf8), attributes: [.posixPermissions: mode])
            #expect(isMade)
            try FileManager.default.createSymbolicLink(atPath: "\(path)-link", withDestinationPath: name)
            for path in [path, "\(path)-link"] {
                let file = try #require(Environment.process.file(path))
                #expect(file.bytes.text == name)
                #expect(file.isWorldReadable == (name == "open"))
            }
        }
        #expect(Environment.process.file("\(folder)/missing") == nil)
        #expect(Environment.process.file(folder) == nil)
    }

    @Test func `a configuration may have more than 100,000 values`() throws {
        let keys = (0..<35_000).map { number in
            let digits = String(number, radix: 16)
            return "{id:'\(number)',sha256:'\(String(repeating: "0", count: 64 - digits.count))\(digits)'}"
        }
        let text =
            "{ version: 1, credentials: {}, grants: {}, authentication: { apiKeys: [\(keys.joined(separator: ","))] } }"
        #expect(try Sample.load(text).warnings.count == 1)
    }
}

/// The files of the repository that the tests look at.
enum Repository {
    static func path(_ name: String) -> String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return tests.deletingLastPathComponent().path + "/" + name
    }
}
