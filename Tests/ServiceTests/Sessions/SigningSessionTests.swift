import Bytes
import Testing
import Upstream

@testable import Crypto
@testable import Providers
@testable import Service

/// The key that signs for a grant, as one loop has it.
@Suite struct SigningSessionTests {
    /// What an ask is answered at once: the credential's name and its end.
    private func served(_ session: SigningSession, _ house: SessionHouse) -> STSCredential? {
        guard case .now(.serve(let credential)) = session.ask(for: CacheClient(mark: 1, pays: false), at: house.now)
        else { return nil }
        return credential
    }

    private func refused(_ session: SigningSession, _ house: SessionHouse) -> Bool {
        if case .now(.refuse) = session.ask(for: CacheClient(mark: 1, pays: false), at: house.now) {
            true
        } else {
            false
        }
    }

    /// A session that has been fetched.
    private func fetched(_ house: SessionHouse, loop: Int = 0) throws -> SigningSession {
        let session = SigningSession(try house.session(), in: house.caches[loop])
        guard case .later(let waiter) = session.ask(for: CacheClient(mark: 1, pays: false), at: house.now) else {
            throw SessionHouse.Fault("it is there")
        }
        house.caches[loop].cache.wait(waiter, for: nil, at: house.now) { _ in }
        house.grant(try #require(house.take().first))
        return session
    }

    @Test func `a key is made once for a credential, with its token, and has the credential's halves`() throws {
        let house = try SessionHouse()
        let session = try fetched(house)
        let credential = try #require(served(session, house))
        let key = try session.key(of: credential)
        #expect(key.accessKey.text == "STS.1" && key.securityToken?.text == "token1")
        #expect(key.secret.constantTimeEquals(Secret(Array("secret1".utf8))))
        for milliseconds in [0, 100, 300, 1_000_000] as [Int64] {
            house.advance(milliseconds: milliseconds)
            let again = try session.key(of: try #require(served(session, house)))
            #expect(again === key)
        }
        #expect(house.take().isEmpty)
        #expect(!"\(key)".contains("secret1") && !"\(key)".contains("token1"))
    }

    @Test func `from half of its life on the next is fetched, and signs when it has come`() throws {
        let house = try SessionHouse()
        let session = try fetched(house)
        let old = try #require(served(session, house))
        let first = try session.key(of: old)
        house.advance(milliseconds: 1_900_000)
        #expect(served(session, house) === old)
        house.grant(try #require(house.take().first))
        house.advance(milliseconds: 250)
        let new = try #require(served(session, house))
        let second = try session.key(of: new)
        #expect(new !== old && new.expiresAt > old.expiresAt)
        #expect(second !== first && second.accessKey.text == "STS.2")
    }

    @Test func `R17: in an outage it signs on, and not with less than five minutes left`() throws {
        let house = try SessionHouse()
        let session = try fetched(house)
        let credential = try #require(served(session, house))
        var last: Int64 = .max
        for _ in 0..<3600 {
            house.advance(milliseconds: 1000)
            if let credential = served(session, house) { last = credential.expiresAt - house.now.unixSeconds }
            for call in house.take() { house.fail(call) }
            house.tick()
        }
        #expect((300...330).contains(last))
        #expect(served(session, house) == nil)
        #expect(credential.expiresAt - house.now.unixSeconds <= 0)
    }

    @Test func `nothing signs while the clocks disagree, once what was just served is over`() throws {
        let house = try SessionHouse()
        let session = try fetched(house)
        #expect(served(session, house) != nil)
        house.vendorAhead = 400
        house.advance(milliseconds: 1_900_000)
        _ = session.ask(for: CacheClient(mark: 1, pays: false), at: house.now)
        house.grant(try #require(house.take().first))
        house.advance(milliseconds: 250)
        #expect(refused(session, house))
    }

    @Test func `loops share the session, and each has a key of its own`() throws {
        let house = try SessionHouse(loops: 2)
        let first = try fetched(house)
        let second = SigningSession(try house.session(), in: house.caches[1])
        let credentials = [try #require(served(first, house)), try #require(served(second, house))]
        #expect(credentials[0] === credentials[1])
        let keys = [try first.key(of: credentials[0]), try second.key(of: credentials[1])]
        #expect(keys[0] !== keys[1])
        #expect(house.take().isEmpty)
    }
}
