import Bytes
import Testing
import Upstream

@testable import Crypto
@testable import Providers
@testable import Gateway

/// The key that signs for a grant, as one loop has it.
@Suite struct SigningSessionTests {
    /// What an ask is answered at once: the credential's name and its end.
    private func served(_ session: SigningSession, _ fixture: SessionFixture) -> SessionCredential? {
        guard case .now(.serve(let credential)) = session.ask(for: CacheClient(mark: 1, pays: false), at: fixture.now)
        else { return nil }
        return credential
    }

    private func refused(_ session: SigningSession, _ fixture: SessionFixture) -> Bool {
        if case .now(.refuse) = session.ask(for: CacheClient(mark: 1, pays: false), at: fixture.now) {
            true
        } else {
            false
        }
    }

    /// A session that has been fetched.
    private func fetched(_ fixture: SessionFixture, loop: Int = 0) throws -> SigningSession {
        let session = SigningSession(try fixture.session(), in: fixture.caches[loop])
        guard case .later(let waiter) = session.ask(for: CacheClient(mark: 1, pays: false), at: fixture.now) else {
            throw SessionFixture.Fault("it is there")
        }
        fixture.caches[loop].cache.wait(waiter, for: nil, at: fixture.now) { _ in }
        fixture.grant(try #require(fixture.take().first))
        return session
    }

    @Test func `a key is made once for a credential, with its token, and has the credential's halves`() throws {
        let fixture = try SessionFixture()
        let session = try fetched(fixture)
        let credential = try #require(served(session, fixture))
        let key = try session.key(of: credential)
        #expect(key.accessKey.text == "STS.1" && key.securityToken?.text == "token1")
        #expect(key.secret.constantTimeEquals(Secret(Array("secret1".utf8))))
        for milliseconds in [0, 100, 300, 1_000_000] as [Int64] {
            fixture.advance(milliseconds: milliseconds)
            let again = try session.key(of: try #require(served(session, fixture)))
            #expect(again === key)
        }
        #expect(fixture.take().isEmpty)
        #expect(!"\(key)".contains("secret1") && !"\(key)".contains("token1"))
    }

    @Test func `from half of its life on the next is fetched, and signs when it has come`() throws {
        let fixture = try SessionFixture()
        let session = try fetched(fixture)
        let old = try #require(served(session, fixture))
        let first = try session.key(of: old)
        fixture.advance(milliseconds: 1_900_000)
        #expect(served(session, fixture) === old)
        fixture.grant(try #require(fixture.take().first))
        fixture.advance(milliseconds: 250)
        let new = try #require(served(session, fixture))
        let second = try session.key(of: new)
        #expect(new !== old && new.expiresAt > old.expiresAt)
        #expect(second !== first && second.accessKey.text == "STS.2")
    }

    @Test func `R17: in an outage it signs on, and not with less than five minutes left`() throws {
        let fixture = try SessionFixture()
        let session = try fetched(fixture)
        let credential = try #require(served(session, fixture))
        var last: Int64 = .max
        for _ in 0..<3600 {
            fixture.advance(milliseconds: 1000)
            if let credential = served(session, fixture) { last = credential.expiresAt - fixture.now.unixSeconds }
            for call in fixture.take() { fixture.fail(call) }
            fixture.tick()
        }
        #expect((300...330).contains(last))
        #expect(served(session, fixture) == nil)
        #expect(credential.expiresAt - fixture.now.unixSeconds <= 0)
    }

    @Test func `nothing signs while the clocks disagree, once what was just served is over`() throws {
        let fixture = try SessionFixture()
        let session = try fetched(fixture)
        #expect(served(session, fixture) != nil)
        fixture.vendorAhead = 400
        fixture.advance(milliseconds: 1_900_000)
        _ = session.ask(for: CacheClient(mark: 1, pays: false), at: fixture.now)
        fixture.grant(try #require(fixture.take().first))
        fixture.advance(milliseconds: 250)
        #expect(refused(session, fixture))
    }

    @Test func `loops share the session, and each has a key of its own`() throws {
        let fixture = try SessionFixture(loops: 2)
        let first = try fetched(fixture)
        let second = SigningSession(try fixture.session(), in: fixture.caches[1])
        let credentials = [try #require(served(first, fixture)), try #require(served(second, fixture))]
        #expect(credentials[0] === credentials[1])
        let keys = [try first.key(of: credentials[0]), try second.key(of: credentials[1])]
        #expect(keys[0] !== keys[1])
        #expect(fixture.take().isEmpty)
    }
}
