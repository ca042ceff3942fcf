import Foundation
import TestTraits
import Testing

@testable import CountersignClient
@testable import TestService

/// The client and a running service: every route, and uploads to a vendor that cuts connections and ends credentials.
@Suite("The client and the service", .waiting)
struct RealServiceTests {
    private static let setup = Setup(
        name: "client",
        credentials: """
            credentials: {
                "qiniu": { provider: "qiniu", sandbox: true, accessKey: "\(Setup.qiniuAccessKey)", secretKey: { file: "secrets/qiniu" } },
                "nos": {
                  provider: "nos", sandbox: true, accessKey: "\(Setup.nosAccessKey)", secretKey: "\(Setup.nosSecret)",
                  endpoint: "\(Setup.nosEndpoint)",
                },
                "oss": {
                  provider: "oss", sandbox: true, accessKey: "\(Setup.ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" },
                  region: "\(Setup.ossRegion)",
                },
                "sts": { \(RunningSandbox.credential), \(Setup.patient) },
              }
            """,
        rest: """
            authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)] },
              grants: {
                "kodo": { route: "qiniu.uptoken", credential: "qiniu", lifetime: "10m", \(place("demo-media")) },
                "nos": { route: "nos.token", credential: "nos", lifetime: "10m", \(place("demo-files")) },
                "parts": { route: "oss.presigned-url", credential: "oss", \(place("demo-bucket")), \(parts) },
                "requests": { route: "oss.authorization", credential: "oss", \(place("demo-bucket")), \(parts) },
                "links": { route: "nos.presigned-url", credential: "nos", \(place("demo-files")), methods: ["GET"] },
                "site": {
                  route: "qiniu.download-url", credential: "qiniu", callers: ["apiKey:alice"],
                  domain: "media.example.com", keyPrefix: "up/", query: ["imageView2/1/w/120"],
                },
                "strings": {
                  route: "oss.sign", credential: "oss", \(place("demo-bucket")), methods: ["PUT"],
                },
                "forms": {
                  route: "oss.post-policy", credential: "oss", \(place("demo-bucket")), maxSize: "10MiB",
                },
                "sessions": {
                  route: "distribute-token", credential: "sts", \(place("demo-bucket")), actions: ["oss:PutObject"],
                },
              },
            """)

    private static func place(_ bucket: String) -> String {
        "callers: [\"apiKey:alice\"], bucket: \"\(bucket)\", keyPrefix: \"up/\""
    }

    /// What a grant needs for uploads in parts.
    private static let parts = """
        methods: ["GET", "PUT", "POST", "DELETE"], subresources: ["uploads", "uploadId", "partNumber"],
                  contentTypes: ["application/octet-stream"]
        """

    /// In MiB; `scripts/check-all client` has larger files.
    private static let size = ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_UPLOAD"].flatMap { Int($0) } ?? 8

    private let service: Service
    private var url: URL { URL(string: "http://127.0.0.1:\(service.port)") ?? URL(filePath: "/") }

    init() throws { service = try Service.shared(RealServiceTests.setup, .epoll) }

    private func client(_ key: APIKey = .alice) -> Countersign {
        Countersign(baseURL: url, credential: .bearer(key.key))
    }

    @Test func `each route gives what its method says`() async throws {
        let client = client()
        let key = "up/a b.bin"
        let kodo = try await client.uploadToken(for: key)
        #expect(kodo.key == key && kodo.bucket == "demo-media" && kodo.validity.grant == "kodo")
        #expect(try await client.uploadToken().keyPrefix == "up/")
        let nos = try await client.uploadToken(for: key, at: .nos)
        #expect(nos.token.hasPrefix("UPLOAD ") && nos.key == key)
        let session = try await client.stsCredentials()
        #expect(session.accessKeyId.hasPrefix("STS.") && session.scope?.prefix == "up/")
        #expect(session.validity.lifetime.map { $0 > .seconds(800) } == true)
        let put = try await client.presignedURL(
            for: key, method: "PUT", headers: ["content-type": "application/octet-stream"],
            query: ["partNumber": "1", "uploadId": "a+/="])
        #expect(put.headers == ["content-type": "application/octet-stream"] && put.key == key)
        #expect(try await client.presignedURL(for: key, at: .nos).url.host()?.hasSuffix(Setup.nosEndpoint) == true)
        let request = try await client.signedRequest(for: key, method: "DELETE")
        #expect(request.method == "DELETE" && request.headers["Authorization"]?.hasPrefix("OSS4-") == true)
        #expect(try await client.downloadURL(for: key, query: "imageView2/1/w/120").url.host() == "media.example.com")
        let form = try await client.postForm(for: .key(key), maxSize: 1000)
        #expect(form.fields["key"] == key && form.key == key)
        let day = httpDate(Int64(client.now.timeIntervalSince1970))
        let signature = try await client.signature(over: "PUT\n\n\n\(day)\n/demo-bucket/up/a.bin")
        #expect(signature.authorization == "OSS \(Setup.ossAccessKey):\(signature.signature)")
    }

    @Test func `a refusal tells the clause, the parameter and the request`() async throws {
        await #expect { try await client().uploadToken(for: "private/a") } throws: {
            guard case CountersignError.notInGrant(let problem) = $0 else { return false }
            return problem.clause == "keyPrefix" && problem.requestId != nil && problem.status == 403
        }
        await #expect {
            try await client().uploadToken(options: RequestOptions(parameters: ["kez": "a"]))
        } throws: {
            if case CountersignError.unknownParameter(let problem) = $0 { problem.parameter == "kez" } else { false }
        }
        await #expect { try await client().stsCredentials(options: RequestOptions(lifetime: 60)) } throws: {
            if case CountersignError.invalidParameter(let problem) = $0 {
                problem.parameter == "expires"
            } else {
                false
            }
        }
        await #expect {
            try await Countersign(baseURL: url, credential: .bearer("wrong")).uploadToken(for: "up/a")
        } throws: { if case CountersignError.unauthenticated = $0 { true } else { false } }
        await #expect { try await client(.bob).uploadToken(for: "up/a") } throws: {
            if case CountersignError.notInGrant = $0 { true } else { false }
        }
        await #expect { try await client().signature(over: "nonsense") } throws: {
            if case CountersignError.unreadableStringToSign = $0 { true } else { false }
        }
    }

    /// The client renews a token in time, or hears from the vendor that it has ended.
    @Test(arguments: [UploadVendor.qiniu, .nos, .oss], [true, false])
    func `a large file arrives whole, cut three times, by a token that ends twice`(
        to kind: UploadVendor, renewsInTime: Bool
    ) async throws {
        let vendor = try FakeVendor()
        let pieces = RealServiceTests.size
        vendor.state.update { $0.cutBodies = [2, pieces / 2, pieces] }
        let file = try TestFile(pieces << 20)
        let options = UploadOptions(pieceSize: 1 << 20, endpoint: vendor.url)
        let time = TestTime()
        let sent = Locked<[Int64]>([])
        let client = Countersign(
            baseURL: url, credential: .bearer(APIKey.alice.key), options: ClientOptions(), time: time.source)
        let object = try await client.upload(file.url, to: kind, key: "up/ä b.bin", options: options) { report in
            let count = sent.update { sent in
                sent.append(report.sentBytes)
                return sent.count
            }
            guard count == 3 || count == pieces - 2 else { return }
            vendor.state.update { $0.endedCredentials = $0.usedCredentials }
            // A token of the same second would be the same.
            Thread.sleep(until: Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down) + 1.001))
            if renewsInTime { time.pass(.seconds(590)) }
        }
        #expect(object.key == "up/ä b.bin")
        let isSame = try vendor.state.value.objects["up/ä b.bin"] == file.contents
        #expect(isSame, "the vendor has other bytes than the file, or none")
        #expect(sent.value == (1...pieces).map { Int64($0 << 20) })
        #expect(vendor.requests.filter { $0.hasPrefix("cut") }.count == 3)
        // Each request to OSS is signed by itself.
        guard kind != .oss else { return }
        #expect(vendor.state.value.usedCredentials.count == 3)
        #expect(vendor.state.value.refusedCredentials == (renewsInTime ? 0 : 2))
    }
}
