import Foundation
import TestTraits
import Testing

@testable import CountersignClient

/// What the client keeps, and for how long.
@Suite(.waiting) struct CredentialTests {
    private let time = TestTime()
    private let service: FakeService
    private let client: Countersign

    init() throws {
        service = try FakeService()
        client = service.client(time)
    }

    @Test func `a token is asked for once and kept until a minute before its end`() async throws {
        let first = try await client.uploadToken(for: "photos/a.jpg")
        time.pass(.seconds(535))
        #expect(try await client.uploadToken(for: "photos/a.jpg") == first)
        time.pass(.seconds(6))
        #expect(try await client.uploadToken(for: "photos/a.jpg").token == "AK:2")
        #expect(service.requests.count == 2)
    }

    @Test func `a token of a short life is renewed after three quarters of it`() async throws {
        service.state.update { $0.lifetime = 40 }
        _ = try await client.uploadToken(for: "photos/a.jpg")
        time.pass(.seconds(29))
        #expect(try await client.uploadToken(for: "photos/a.jpg").token == "AK:1")
        time.pass(.seconds(2))
        #expect(try await client.uploadToken(for: "photos/a.jpg").token == "AK:2")
    }

    @Test func `tasks that want the same at the same time make one request`() async throws {
        let gate = DispatchSemaphore(value: 0)
        service.state.update { $0.gate = gate }
        let client = client
        let tasks = (0..<20).map { _ in Task { try await client.stsCredentials() } }
        while service.requests.isEmpty { await Task.yield() }
        gate.signal()
        for task in tasks { #expect(try await task.value.accessKeyId == "STS.1") }
        #expect(service.requests.count == 1)
    }

    @Test func `a task that is cancelled takes nothing from those that wait beside it`() async throws {
        let gate = DispatchSemaphore(value: 0)
        service.state.update { $0.gate = gate }
        let client = client
        let first = Task { try await client.stsCredentials() }
        while service.requests.isEmpty { await Task.yield() }
        let second = Task { try await client.stsCredentials() }
        first.cancel()
        gate.signal()
        #expect(try await second.value.accessKeyId == "STS.1")
        await #expect(throws: CancellationError.self) { try await first.value }
    }

    @Test(arguments: [31_536_000.0, -31_536_000.0])
    func `a device whose clock is a year wrong keeps a token as long as others`(
        ahead: Double
    ) async throws {
        service.state.update { $0.ahead = ahead }
        let token = try await client.uploadToken(for: "photos/a.jpg")
        time.pass(.seconds(535))
        _ = try await client.uploadToken(for: "photos/a.jpg")
        #expect(service.requests.count == 1)
        #expect(abs(token.validity.serverTime.timeIntervalSinceNow) > 30_000_000)
        #expect(client.now == token.validity.serverTime + 535)
        time.pass(.seconds(10))
        _ = try await client.uploadToken(for: "photos/a.jpg")
        #expect(service.requests.count == 2)
    }

    @Test(arguments: [31_536_000.0, -31_536_000.0])
    func `a temporary key is kept by the answer's own date`(ahead: Double) async throws {
        service.state.update { $0.ahead = ahead }
        let key = try await client.stsCredentials()
        #expect(key.validity.grant == nil && key.validity.lifetime == .seconds(600))
        time.pass(.seconds(535))
        #expect(try await client.stsCredentials() == key)
        time.pass(.seconds(6))
        #expect(try await client.stsCredentials().accessKeyId == "STS.2")
    }

    @Test func `a token that cannot be renewed early is used until its end`() async throws {
        _ = try await client.uploadToken(for: "photos/a.jpg")
        time.pass(.seconds(545))
        let overloaded = FakeService.refusal("overloaded", status: 503, retryAfter: "600")
        service.state.update { $0.refusals = [overloaded, overloaded] }
        #expect(try await client.uploadToken(for: "photos/a.jpg").token == "AK:1")
        time.pass(.seconds(60))
        await #expect(throws: CountersignError.self) { try await client.uploadToken(for: "photos/a.jpg") }
    }

    @Test func `a token whose key the service chose is not kept, and one for a prefix is`() async throws {
        service.state.update { $0.ownKey = "avatars/#.jpg" }
        #expect(try await client.uploadToken().key == "avatars/1.jpg")
        #expect(try await client.uploadToken().key == "avatars/2.jpg")
        service.state.update { $0.ownKey = nil }
        #expect(try await client.uploadToken().keyPrefix == "photos/")
        #expect(try await client.uploadToken().token == "AK:3")
    }

    @Test func `questions that differ in anything have credentials of their own`() async throws {
        _ = try await client.uploadToken(for: "a")
        _ = try await client.uploadToken(for: "a", at: .nos)
        _ = try await client.uploadToken(for: "a", options: RequestOptions(grant: "g"))
        _ = try await client.uploadToken(for: "a", options: RequestOptions(lifetime: 60))
        #expect(service.requests.count == 4)
    }

    @Test func `no more credentials are kept than there is room for`() async throws {
        for number in 0...CredentialKeeper.room {
            _ = try await client.uploadToken(for: "\(number)")
            time.pass(.milliseconds(1))
        }
        _ = try await client.uploadToken(for: "\(CredentialKeeper.room)")
        #expect(service.requests.count == CredentialKeeper.room + 1)
        _ = try await client.uploadToken(for: "0")
        #expect(service.requests.count == CredentialKeeper.room + 2)
    }

    @Test func `no description tells a secret`() async throws {
        service.state.update { $0.ownKey = "a" }
        let token = try await client.uploadToken()
        let credentials = try await client.stsCredentials()
        let url = try await client.presignedURL(for: "a")
        for value in [token, credentials, url, CallerCredential.bearer("caller-key")] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("AK:1") && !text.contains("signature") && !text.contains("caller-key"))
                #expect(!text.contains("\"t\"") && !text.contains("\"s\""))
            }
        }
    }
}
