import Crypto
import Foundation
import TestKeys
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// A file that changes is taken up by itself, whichever it is and however it comes to be another.
@Suite("Files that change: reload", .waiting, .timeLimit(.minutes(20)))
struct WatchTests {
    private static let watching = #"reload: { interval: "100ms" },"#

    private static func open(_ bucket: String) -> Setup {
        Setup(
            name: "watch",
            rest: """
                grants: { "all": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                    bucket: "\(bucket)", keyPrefix: "all/" } },
                  \(watching)
                """)
    }

    private static func read(_ answer: Answer, by secret: String = Setup.qiniuSecret) throws -> UploadTokenReading {
        try UploadTokenReading(qiniu: answer.json["uptoken"]?.string, secret: secret)
    }

    @Test func `the file is moved into place, written over, or led to by another link, as Kubernetes does`() throws {
        try Service.run(WatchTests.open("one"), .epoll) { service in
            func expect(_ bucket: String, _ generation: Int) throws {
                try service.waitFor(generation: generation)
                let policy = try WatchTests.read(service.get("/qiniu/uptoken")).policy
                #expect(policy["scope"]?.string?.hasPrefix(bucket + ":") == true)
            }
            try service.replaceConfiguration(with: WatchTests.open("two"), .epoll)
            try expect("two", 2)
            try Keeper.write(WatchTests.open("three").text(.epoll), to: service.configuration)
            try expect("three", 3)
            // countersign.json5 → ..data/countersign.json5, and ..data → ..1: the same text, so nothing happens.
            let files = FileManager.default
            for (version, bucket) in [("..1", "three"), ("..2", "four")] {
                try files.createDirectory(atPath: "\(service.folder)/\(version)", withIntermediateDirectories: true)
                try Keeper.write(
                    WatchTests.open(bucket).text(.epoll), to: "\(service.folder)/\(version)/countersign.json5")
            }
            func link(_ name: String, to target: String) throws {
                let aside = "\(service.folder)/\(UUID().uuidString)"
                try files.createSymbolicLink(atPath: aside, withDestinationPath: target)
                #expect(rename(aside, "\(service.folder)/\(name)") == 0)
            }
            try link("..data", to: "..1")
            try link("countersign.json5", to: "..data/countersign.json5")
            try link("..data", to: "..2")
            try expect("four", 4)
        }
    }

    @Test func `a secret that is replaced signs from then on; a file that only looks new changes nothing`() throws {
        try Service.run(WatchTests.open("one"), .epoll) { service in
            _ = try WatchTests.read(service.get("/qiniu/uptoken"))
            // The same secret in a new file.
            try service.replace("secrets/qiniu", with: Setup.qiniuSecret + "\n")
            let secret = "another-secret-of-the-end-to-end-tests"
            // Nobody believes a file that everybody may read.
            let aside = try Keeper.write(secret + "\n", to: service.folder + "/aside", mode: 0o644)
            #expect(rename(aside, service.folder + "/secrets/qiniu") == 0)
            let log = try service.process.waitForError(holding: "not reloaded")
            #expect(log.contains("chmod 600"))
            #expect(!log.contains("configuration reloaded"))
            _ = try WatchTests.read(service.get("/qiniu/uptoken"))
            // Until it is mended.
            #expect(chmod(service.folder + "/secrets/qiniu", 0o600) == 0)
            try service.waitFor(generation: 2)
            _ = try WatchTests.read(service.get("/qiniu/uptoken"), by: secret)
            #expect(!service.stop().err.contains(secret))
        }
    }

    @Test func `keys of tokens that are replaced are believed from then on, and the old ones no more`() throws {
        let (old, new) = (TestKey(.es256), TestKey(.es256))
        var setup = Setup.tokens
        setup.rest =
            setup.rest.replacing(#""RS256", "PS256", "ES256", "EdDSA""#, with: #""ES256""#) + WatchTests.watching
        setup.files["jwks.json"] = "{\"keys\":[\(old.jwk())]}"
        func token(_ key: TestKey) -> String {
            let claims = "{\"iss\":\"\(Setup.issuer)\",\"aud\":\"uploads\",\"sub\":\"42\",\"exp\":\(now + 3600)}"
            return "Authorization: Bearer \(key.token(header: "{\"alg\":\"ES256\"}", claims: claims))"
        }
        let (first, second) = (token(old), token(new))
        try Service.run(setup, .epoll) { service in
            let path = "/qiniu/uptoken?grant=own"
            // It is remembered.
            for _ in 0..<2 { try service.get(path, first).expectSuccess() }
            try service.get(path, second).expectProblem(401, "unauthenticated")
            try service.replace("jwks.json", with: "{\"keys\":[\(new.jwk())]}")
            try service.waitFor(generation: 2)
            try service.get(path, second).expectSuccess()
            try service.get(path, first).expectProblem(401, "unauthenticated")
        }
    }

    @Test func `a certificate that is replaced is shown to who comes then; who is connected stays`() throws {
        let certificates = try ClientCertificates.shared.get()
        let setup = Setup(
            name: "certificate",
            server: #"tls: { certificates: [{ names: ["localhost"], certificateFile: "t.pem", keyFile: "t.key" }] },"#,
            rest: "grants: {}, \(WatchTests.watching)",
            files: [
                "t.pem": try certificates.text(certificates.good.chain),
                "t.key": try certificates.text(certificates.good.key),
            ])
        try Service.run(setup, .epoll) { service in
            func curl(_ authority: String) throws -> Int32 {
                try CurlTests.curl(["--cacert", authority, "https://localhost:\(service.port)/livez"]).code
            }
            #expect(try curl(certificates.authority) == 0)
            let connection = try HeldConnection(to: service.port, in: service.folder)
            try connection.ask()
            // Between the two replacements key and certificate do not belong together, which may be seen.
            try service.replace("t.key", with: try certificates.text(certificates.stranger.key))
            try service.replace("t.pem", with: try certificates.text(certificates.stranger.chain))
            try service.waitFor(generation: 2)
            #expect(try curl(certificates.strangeAuthority) == 0)
            #expect(try curl(certificates.authority) == 60)
            try connection.ask()
        }
    }

    @Test func `without watching nothing is taken up until somebody asks for it`() throws {
        let setup = { (bucket: String) in
            var setup = WatchTests.open(bucket)
            let unwatched = #"reload: { watch: false, interval: "100ms" },"#
            setup.rest = setup.rest.replacing(WatchTests.watching, with: unwatched)
            return setup
        }
        try Service.run(setup("one"), .epoll) { service in
            try service.reload(setup("two"), .epoll, generation: 2)
            try service.reload(setup("three"), .epoll, generation: 3)
            // Nothing was taken up twice.
            #expect(!service.stop().err.contains("generation=4"))
        }
    }
}

/// A connection by TLS that is kept, through OpenSSL's own client.
private final class HeldConnection {
    private let client: Program
    private let pipe: Int32
    private var answers = 0

    init(to port: UInt16, in folder: String) throws {
        let path = folder + "/requests"
        mkfifo(path, 0o600)
        pipe = open(path, O_RDWR | O_CLOEXEC)
        let command = "openssl s_client -connect 127.0.0.1:\(port) -quiet -no_ign_eof 1>&2"
        client = try Program("/bin/sh", ["-c", "exec \(command)"], input: path)
    }

    deinit {
        _ = client.stop(within: 1)
        close(pipe)
    }

    /// Asks, and waits for the answer.
    func ask() throws {
        answers += 1
        let request = Array("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        guard write(pipe, request, request.count) == request.count else {
            throw Program.Failure(description: "cannot write: error \(errno)")
        }
        let deadline = Date.now.addingTimeInterval(60)
        while try client.waitForError(holding: "HTTP/1.1 200 OK")
            .components(separatedBy: "HTTP/1.1 200 OK").count <= answers
        {
            guard deadline > .now else { throw Program.Failure(description: "no answer \(answers)") }
            _ = try? client.waitForError(holding: "never said", within: 0.05)
        }
    }
}
