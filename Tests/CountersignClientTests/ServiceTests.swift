import Foundation
import TestTraits
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import CountersignClient

/// What the client asks the service, and what it makes of the answers.
@Suite(.waiting) struct ServiceTests {
    private let time = TestTime()
    private let service: FakeService
    private let client: Countersign

    init() throws {
        service = try FakeService()
        client = service.client(time)
    }

    // MARK: Questions

    @Test func `all parameters are in the body, and the credential in its field`() async throws {
        let options = RequestOptions(
            grant: "g", bucket: "media", fileExtension: "jpg", lifetime: 60, parameters: ["fsizeLimit": "10"])
        _ = try await client.uploadToken(for: "photos/ä+&b.jpg", options: options)
        let request = try #require(service.requests.first)
        #expect(request.method == "POST" && request.target == "/qiniu/uptoken")
        #expect(request.fields["authorization"] == "Bearer caller-key")
        #expect(
            request.form == [
                "grant": "g", "bucket": "media", "ext": "jpg", "expires": "60", "fsizeLimit": "10",
                "key": "photos/ä+&b.jpg",
            ])
    }

    @Test func `each method asks its route and reads the answer`() async throws {
        #expect(try await client.uploadToken(for: "a", at: .nos).token == "UPLOAD 1")
        #expect(try await client.stsCredentials(keyPrefix: "photos/").scope?.prefix == "photos/")
        let url = try await client.presignedURL(
            for: "a", method: "PUT", headers: ["content-type": "image/png"], query: ["uploads": "", "partNumber": "1"])
        #expect(url.method == "PUT" && url.headers == ["content-type": "image/png"])
        #expect(url.url.query()?.contains("partNumber=1&uploads&signature") == true)
        #expect(url.urlRequest.value(forHTTPHeaderField: "Content-Type") == "image/png")
        _ = try await client.presignedURL(for: "a", at: .nos)
        _ = try await client.signedRequest(for: "a", method: "DELETE")
        #expect(try await client.downloadURL(for: "a", query: "imageView2/1/w/120").method == "GET")
        #expect(try await client.signature(over: "PUT\n\n", version: .v4(canonicalRequest: "r")).signature == "c2ln")
        #expect(try await client.postForm(for: .prefix("forms/"), maxSize: 10).fields["policy"] == "p")
        #expect(
            service.requests.map(\.path) == [
                "/nos/token", "/distribute-token.json", "/oss/presigned-url", "/nos/presigned-url",
                "/oss/authorization", "/qiniu/download-url", "/oss/sign", "/oss/post-policy",
            ])
        #expect(service.requests[0].form == ["object": "a"])
        #expect(service.requests[6].form == ["contentToSign": "PUT\n\n", "version": "v4", "canonicalRequest": "r"])
    }

    @Test func `an API key goes into its own field, and nobody's credential into none`() async throws {
        _ = try await service.client(time, .apiKey("k")).uploadToken(for: "a")
        _ = try await service.client(time, .anonymous).uploadToken(for: "a")
        #expect(service.requests.map { $0.fields["x-api-key"] } == ["k", nil])
        #expect(service.requests.allSatisfy { $0.fields["authorization"] == nil })
    }

    @Test func `a credential that would begin another field is not sent`() async throws {
        await #expect {
            try await service.client(time, .bearer("a\r\nX-Other: b")).uploadToken(for: "a")
        } throws: { if case CountersignError.unusableCredential = $0 { true } else { false } }
        #expect(service.requests.isEmpty)
    }

    @Test func `a bearer token that is refused is renewed once`() async throws {
        let asked = Locked<[Bool]>([])
        let refusal = FakeService.refusal("unauthenticated", status: 401)
        service.state.update { $0.refusals = [refusal, refusal] }
        let credential = CallerCredential.bearer { wasRefused in
            asked.update { $0.append(wasRefused) }
            return wasRefused ? "new" : "old"
        }
        let client = service.client(time, credential)
        await #expect { try await client.uploadToken(for: "a") } throws: {
            if case CountersignError.unauthenticated = $0 { true } else { false }
        }
        #expect(asked.value == [false, true])
        #expect(service.requests.map { $0.fields["authorization"] } == ["Bearer old", "Bearer new"])
        service.state.update { $0.refusals = [refusal] }
        #expect(try await client.uploadToken(for: "a").token == "AK:4")
    }

    // MARK: Refusals

    /// The errors that the reference lists, with their statuses.
    static let codes: [String: Int] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/api.md")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let errors = text.components(separatedBy: "\n## Errors\n").last ?? ""
        var codes: [String: Int] = [:]
        for match in errors.matches(of: #/### ([a-z_]+)\n\nStatus: ([0-9]+) /#) {
            codes[String(match.output.1)] = Int(match.output.2)
        }
        return codes
    }()

    @Test func `the reference has errors to try`() { #expect(ServiceTests.codes.count >= 24) }

    @Test(arguments: codes.keys.sorted())
    func `each refusal of the reference is a case of its own, with all that is said`(
        code: String
    ) async throws {
        let status = try #require(ServiceTests.codes[code])
        let refusal = FakeService.refusal(code, status: status, clause: "keyPrefix", parameter: "key")
        service.state.update { $0.refusals = Array(repeating: refusal, count: 5) }
        let error = await #expect(throws: CountersignError.self) { try await client.stsCredentials() }
        let problem = try #require(error?.problem)
        #expect(problem.status == status && problem.code == code && problem.detail == "the reason")
        #expect(problem.clause == "keyPrefix" && problem.parameter == "key" && problem.requestId == "r-1")
        // The case has the code's name.
        let name = try #require(error.flatMap { Mirror(reflecting: $0).children.first?.label })
        #expect(name.replacing(#/[A-Z]/#) { "_" + $0.output.lowercased() } == code)
    }

    @Test func `a code of a later version is an error, too`() async throws {
        service.state.update { $0.refusals = [FakeService.refusal("too_purple", status: 403)] }
        await #expect { try await client.stsCredentials() } throws: {
            if case CountersignError.other(let problem) = $0 { problem.code == "too_purple" } else { false }
        }
    }

    @Test func `an answer that is not the service's is told as such`() async throws {
        service.state.update { $0.refusals = [.json("<html>", status: 403, fields: ["X-Request-Id": "p-1"])] }
        await #expect { try await client.stsCredentials() } throws: {
            if case CountersignError.unreadableAnswer(403, "p-1") = $0 { true } else { false }
        }
        service.state.update { $0.refusals = [.json("{\"AccessKeyId\":1}")] }
        await #expect { try await client.stsCredentials() } throws: {
            if case CountersignError.unreadableAnswer(200, _) = $0 { true } else { false }
        }
    }

    @Test func `a redirection is not followed`() async throws {
        let other = try FakeService()
        service.state.update {
            $0.refusals = [.json("", status: 307, fields: ["Location": other.url.absoluteString + "/qiniu/uptoken"])]
        }
        await #expect(throws: CountersignError.self) { try await client.uploadToken(for: "a") }
        #expect(other.requests.isEmpty)
    }

    @Test func `an answer that never ends is not read`() async throws {
        service.state.update {
            $0.refusals = [Reply(body: Data(count: Transport.longestAnswer + 1))]
        }
        let client = service.client(time, retry: RetryPolicy(attempts: 1))
        await #expect { try await client.uploadToken(for: "a") } throws: {
            if case CountersignError.unreachable(Transport.Failure.answerTooLong) = $0 { true } else { false }
        }
    }

    // MARK: Attempts

    @Test(arguments: [
        ("rate_limited", 429), ("upstream_unavailable", 503), ("audit_unavailable", 503), ("overloaded", 503),
    ])
    func `what is refused for the moment is asked again after Retry-After`(code: String, status: Int) async throws {
        service.state.update {
            $0.refusals = [
                FakeService.refusal(code, status: status, retryAfter: "7"),
                FakeService.refusal(code, status: status, retryAfter: "11"),
            ]
        }
        #expect(try await client.stsCredentials().accessKeyId == "STS.3")
        #expect(time.waits == [.seconds(7), .seconds(11)])
    }

    @Test func `nobody is waited for longer than the policy says`() async throws {
        service.state.update { $0.refusals = [FakeService.refusal("rate_limited", status: 429, retryAfter: "61")] }
        let error = await #expect(throws: CountersignError.self) { try await client.stsCredentials() }
        #expect(error?.problem?.retryAfter == .seconds(61))
        #expect(time.waits.isEmpty && service.requests.count == 1)
    }

    @Test func `attempts are bounded, and waits grow`() async throws {
        let refusal = FakeService.refusal("overloaded", status: 503)
        service.state.update { $0.refusals = Array(repeating: refusal, count: 9) }
        await #expect(throws: CountersignError.self) { try await client.stsCredentials() }
        #expect(service.requests.count == 5)
        let bounds = [0.5, 1, 2, 4].map { Duration.seconds($0) }
        #expect(time.waits.count == 4 && zip(time.waits, bounds).allSatisfy { $0 <= $1 && $0 >= $1 / 2 })
    }

    @Test func `a connection that is cut is made again`() async throws {
        service.state.update { $0.refusals = [.cut, .cut, .cut] }
        #expect(try await client.stsCredentials().accessKeyId == "STS.4")
        #expect(time.waits.count == 3)
    }

    @Test func `a service that is not there is told after all attempts`() async throws {
        let nowhere = try LoopbackServer { _ in .cut }
        let client = Countersign(
            baseURL: nowhere.url, credential: .anonymous, options: ClientOptions(retry: RetryPolicy(attempts: 3)),
            time: time.source)
        await #expect { try await client.stsCredentials() } throws: {
            if case CountersignError.unreachable = $0 { true } else { false }
        }
        #expect(time.waits.count == 2)
    }

    // MARK: Errors

    @Test func `an error of the connection does not tell the query of a signed URL`() async throws {
        // Nobody listens at port 1.
        let url = try #require(URL(string: "http://user:pass@127.0.0.1:1/photos/a?Signature=s3cret&Expires=1#s3cret"))
        let error = await #expect(throws: (any Error).self) {
            _ = try await Transport(timeout: 5).send(URLRequest(url: url))
        }
        let thrown = try #require(error)
        #expect((thrown as NSError).domain == NSURLErrorDomain)
        for text in [
            "\(thrown)", String(reflecting: thrown), "\((thrown as NSError).userInfo)", thrown.localizedDescription,
        ] {
            #expect(!text.contains("s3cret") && !text.contains("pass"), "\(text)")
        }
    }

    @Test func `no value of an error's userInfo tells the query, and no error below`() throws {
        let url = "https://media.example.com/a?Signature=s3cret"
        let below = NSError(domain: "below", code: 1, userInfo: ["url": url, NSLocalizedDescriptionKey: url])
        let values: [String: Any] = [
            "NSErrorFailingURLStringKey": url, NSLocalizedDescriptionKey: "cannot get \(url)",
            NSUnderlyingErrorKey: below,
            NSURLErrorFailingURLErrorKey: try #require(URL(string: url)),
            "_NSURLErrorRelatedURLSessionTaskErrorKey": [url],
        ]
        for domain in [NSURLErrorDomain, "other"] {
            let told = Transport.withoutSecrets(NSError(domain: domain, code: -1004, userInfo: values))
            #expect((told as NSError).code == -1004)
            for text in ["\(told)", "\((told as NSError).userInfo)", "\(CountersignError.unreachable(told))"] {
                #expect(!text.contains("s3cret"), "\(text)")
            }
        }
    }
}
