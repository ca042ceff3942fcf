import Foundation
import TestTraits
import Testing

@testable import CountersignClient
@testable import TestService

/// The client, the service and the sandbox, each by its own code, and a proxy that cuts connections.
@Suite("The client, the service and the sandbox", .waiting)
struct SandboxUploadTests {
    /// The service beside a sandbox, which share the secret keys.
    private final class Place: Sendable {
        let folder: String
        let sandbox: RunningSandbox
        let service: Service

        init() throws {
            folder = try Keeper.makeFolder()
            for (path, secret) in [
                ("qiniu/\(Setup.qiniuAccessKey)", Setup.qiniuSecret),
                ("netease/\(Setup.nosAccessKey)", Setup.nosSecret),
                ("alibaba/\(Setup.ossAccessKey)", Setup.ossSecret),
            ] {
                let file = URL(filePath: "\(folder)/keys/\(path)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
                try Keeper.write(secret + "\n", to: file.path)
            }
            sandbox = try RunningSandbox(data: folder)
            service = try Service(SandboxUploadTests.setup(sandbox.port), .epoll)
        }

        deinit {
            service.stop()
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// What the sandbox has under a key.
        func object(_ vendor: String, _ bucket: String, _ key: String) throws -> Data {
            try Data(contentsOf: URL(filePath: "\(folder)/objects/\(vendor)/\(bucket)/\(key)"))
        }
    }

    private static func setup(_ port: UInt16) -> Setup {
        Setup(
            name: "client-sandbox",
            credentials: """
                credentials: {
                    "qiniu": {
                      provider: "qiniu", sandbox: true, accessKey: "\(Setup.qiniuAccessKey)",
                      secretKey: { file: "secrets/qiniu" },
                    },
                    "nos": {
                      provider: "nos", sandbox: true, accessKey: "\(Setup.nosAccessKey)", secretKey: "\(Setup.nosSecret)",
                    },
                    "oss": {
                      provider: "oss", sandbox: true, accessKey: "\(Setup.ossAccessKey)",
                      secretKey: { env: "E2E_OSS_SECRET" }, region: "\(Setup.ossRegion)",
                      endpoint: "http://oss.localhost:\(port)",
                    },
                  }
                """,
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry)] },
                  grants: {
                    "kodo": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"], bucket: "demo-media",
                      keyPrefix: "up/",
                    },
                    "files": {
                      route: "qiniu.files", credential: "qiniu", callers: ["apiKey:alice"], bucket: "demo-media",
                      keyPrefix: "up/", hosts: { rsf: "http://127.0.0.1:\(port)" },
                    },
                    "stat": {
                      route: "qiniu.stat", credential: "qiniu", callers: ["apiKey:alice"], bucket: "demo-media",
                      keyPrefix: "up/", hosts: { rs: "http://127.0.0.1:\(port)" },
                    },
                    "buckets": {
                      route: "qiniu.buckets", credential: "qiniu", callers: ["apiKey:alice"], unscoped: true,
                      hosts: { uc: "http://127.0.0.1:\(port)" },
                    },
                    "little": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"], bucket: "demo-media",
                      keyPrefix: "little/", policy: { fsizeLimit: 9 },
                    },
                    "nos": {
                      route: "nos.token", credential: "nos", callers: ["apiKey:alice"], bucket: "demo-files",
                      keyPrefix: "up/",
                    },
                    "parts": {
                      route: "oss.presigned-url", credential: "oss", callers: ["apiKey:alice"], bucket: "demo-bucket",
                      keyPrefix: "up/", methods: ["GET", "PUT", "POST", "DELETE"],
                      subresources: ["uploads", "uploadId", "partNumber"], contentTypes: ["application/octet-stream"],
                    },
                  },
                """)
    }

    private static let places = [
        UploadVendor.qiniu: "qiniu/demo-media", .nos: "netease/demo-files", .oss: "alibaba/demo-bucket",
    ]
    private static let key = "up/ä b.bin"

    private let place: Place
    private let options: UploadOptions

    init() throws {
        place = try Place()
        options = UploadOptions(
            pieceSize: 1 << 20, endpoint: URL(string: "http://127.0.0.1:\(place.sandbox.port)"))
    }

    private func client(of url: URL? = nil, by time: TimeSource = .continuous) throws -> Countersign {
        let url = try url ?? #require(URL(string: "http://127.0.0.1:\(place.service.port)"))
        return Countersign(
            baseURL: url, credential: .bearer(APIKey.alice.key), options: ClientOptions(), time: time)
    }

    private func expectStored(_ file: TestFile, at vendor: UploadVendor) throws {
        let place = try #require(SandboxUploadTests.places[vendor]).split(separator: "/").map(String.init)
        let isSame = try self.place.object(place[0], place[1], SandboxUploadTests.key) == file.contents
        #expect(isSame, "the sandbox has other bytes than the file")
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss], [0, 1, 100_000])
    func `a small file arrives`(at vendor: UploadVendor, size: Int) async throws {
        let file = try TestFile(size)
        let object = try await client().upload(file.url, to: vendor, key: SandboxUploadTests.key, options: options)
        #expect(object.key == SandboxUploadTests.key)
        try expectStored(file, at: vendor)
    }

    @Test func `the service lists Kodo's objects in the sandbox, and tells what is known of one`() async throws {
        let file = try TestFile(1000)
        _ = try await client().upload(file.url, to: .qiniu, key: SandboxUploadTests.key, options: options)
        func ask(_ target: String) throws -> TestService.JSON {
            let answer = try place.service.get(target, APIKey.alice.bearer)
            answer.expectSuccess()
            return answer.json
        }
        let items = try ask("/qiniu/files")["items"]?.list
        #expect(items?.map { $0["key"] } == [.string(SandboxUploadTests.key)])
        let object = try ask("/qiniu/stat?key=up/%C3%A4%20b.bin")
        #expect(object["fsize"]?.integer == 1000 && object["hash"] == items?.first?["hash"])
        #expect(try ask("/qiniu/buckets").list == ["demo-media"])
        try place.service.get("/qiniu/stat?key=up/none", APIKey.alice.bearer).expectProblem(404, "not_found")
    }

    /// The client's clock stands still, so that it hears from the vendor that a token has ended. The sandbox's clock is put forward
    /// beyond that end, and back when the client asks the service for the next token.
    @Test(arguments: [UploadVendor.qiniu, .nos, .oss])
    func `a large file arrives whole, cut three times, by a token that ends twice`(at vendor: UploadVendor) async throws
    {
        let pieces = RealServiceTests.size
        let proxy = try CuttingProxy(
            to: place.sandbox.port, cutting: [3, 2 * pieces, 3 * pieces].map { ($0 << 20) / 4 + 100_000 })
        let clock = place.folder + "/clock"
        let renewals = Locked(0)
        let service = try CuttingProxy(to: place.service.port) {
            if unlink(clock) == 0 { renewals.update { $0 += 1 } }
        }
        let file = try TestFile(pieces << 20)
        var options = options
        options.endpoint = proxy.url
        let sent = Locked<[Int64]>([])
        let client = try client(of: service.url, by: TimeSource(now: { .zero }, sleep: { _ in }))
        _ = try await client.upload(file.url, to: vendor, key: SandboxUploadTests.key, options: options) { report in
            let count = sent.update { sent in
                sent.append(report.sentBytes)
                return sent.count
            }
            // What the service signs for OSS it signs anew for each piece.
            guard vendor != .oss, count == 3 || count == pieces - 2 else { return }
            #expect(throws: Never.self) { try Keeper.write("86400\n", to: clock) }
        }
        try expectStored(file, at: vendor)
        #expect(proxy.cuts == 3)
        #expect(renewals.value == (vendor == .oss ? 0 : 2))
        #expect(sent.value == (1...pieces).map { Int64($0 << 20) })
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss])
    func `an upload goes on in another process from where the sandbox has it`(at vendor: UploadVendor) async throws {
        let file = try TestFile(5 << 20)
        let last = Locked<UploadCheckpoint?>(nil)
        let options = options
        let task = Task {
            try await client().upload(file.url, to: vendor, key: SandboxUploadTests.key, options: options) { report in
                last.update { $0 = report.checkpoint }
                if report.sentBytes == 2 << 20 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let sent = Locked<[Int64]>([])
        let checkpoint = last.value
        #expect(checkpoint != nil)
        _ = try await client().upload(
            file.url, to: vendor, key: SandboxUploadTests.key, options: options, from: checkpoint
        ) { report in sent.update { $0.append(report.sentBytes) } }
        try expectStored(file, at: vendor)
        #expect(sent.value.first == 2 << 20)
    }

    @Test func `what the sandbox refuses is told by its code`() async throws {
        let file = try TestFile(10)
        let error = await #expect(throws: UploadError.self) {
            try await client().upload(file.url, to: .qiniu, key: "little/a.bin", options: options)
        }
        guard case .vendor(let refusal)? = error?.reason else {
            Issue.record("\(String(describing: error)) is not the vendor's")
            return
        }
        #expect(refusal.status == 413 && refusal.message?.isEmpty == false)
    }
}
