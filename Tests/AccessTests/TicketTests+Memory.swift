import TestKeys
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto

/// Tickets that are remembered.
extension TicketTests {
    @Test func `one that is remembered is the same caller, while it and the credential of its maker hold`() throws {
        let end = Fixture.now + 30
        let authenticator = Authenticator(
            .init(
                apiKeys: [try Fixture.key("login", Self.apiKey, notAfter: end)], rememberedTokens: 8, ticketKey: key))
        var memory = authenticator.makeMemory()
        let text = try #require(try signer.write(try Self.ticket(kind: .apiKey, mark: mark())))
        func asks(at moment: Int64) -> Caller? {
            caller(authenticator.identify(ticket: text.span, by: signer, at: moment, remembering: &memory))
        }
        let first = try #require(asks(at: Fixture.now))
        #expect(memory.count == 1)
        for moment in [Fixture.now, end - 1] { #expect(asks(at: moment) === first) }
        for moment in [end, Fixture.now + 60] { #expect(asks(at: moment) == nil) }
        #expect(asks(at: Fixture.now) === first)
        for index in text.indices {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "x") ? UInt8(ascii: "y") : UInt8(ascii: "x")
            let finding = authenticator.identify(
                ticket: changed.span, by: signer, at: Fixture.now, remembering: &memory)
            #expect(caller(finding) == nil)
        }
        #expect(memory.count == 1)
    }

    @Test func `R12: a denied ticket, or one of a denied caller, is known as denied each time and not remembered`()
        throws
    {
        let ticket = try Self.ticket(kind: .apiKey, mark: mark())
        let named = try Self.ticket("denied-id", kind: .apiKey, mark: mark())
        for (ticket, denied) in [(ticket, Set([ticket.principal])), (named, Set<Principal>())] {
            let text = try #require(try signer.write(ticket))
            let authenticator = Authenticator(
                .init(
                    apiKeys: [try Fixture.key("login", Self.apiKey)], rememberedTokens: 8, ticketKey: key,
                    denied: denied))
            var memory = authenticator.makeMemory()
            for _ in 0..<3 {
                let finding = authenticator.identify(
                    ticket: text.span, by: signer, at: Fixture.now, remembering: &memory)
                #expect(caller(finding)?.isDenied == true)
            }
            #expect(memory.count == 0)
        }
    }

    @Test func `a remembered ticket ends at its own end, and the refusal says so`() throws {
        let authenticator = Authenticator(
            .init(apiKeys: [try Fixture.key("login", Self.apiKey)], rememberedTokens: 8, ticketKey: key))
        var memory = authenticator.makeMemory()
        let text = try #require(try signer.write(try Self.ticket(kind: .apiKey, mark: mark())))
        func finding(at moment: Int64) -> Authenticator.Finding {
            authenticator.identify(ticket: text.span, by: signer, at: moment, remembering: &memory)
        }
        #expect(caller(finding(at: Fixture.now)) != nil && caller(finding(at: Fixture.now + 59)) != nil)
        for _ in 0..<2 {
            guard case .refused(let reason, nil) = finding(at: Fixture.now + 60) else {
                Issue.record("it is not refused")
                return
            }
            #expect(reason.description == "the ticket has ended")
        }
    }

    @Test func `many tickets take no token's slot, and one whose uses are counted takes none`() throws {
        let issuerKey = try TokenFixture.key(.hs256)
        let authenticator = Authenticator(
            .init(
                apiKeys: [try Fixture.key("login", Self.apiKey)],
                issuers: [try TokenFixture.entry([.init(id: nil, try TokenFixture.verifier(issuerKey))], [.hs256])],
                rememberedTokens: 4, ticketKey: key))
        var memory = authenticator.makeMemory()
        func ask(_ id: String, uses: TicketUses? = nil) throws {
            let made = try Self.ticket(id, kind: .apiKey, mark: mark())
            let ticket = try #require(
                Ticket(
                    made.id, for: Caller(made.principal, index: 1), until: made.endsAt, made.terms, mark: made.mark,
                    uses: uses))
            let text = try #require(try signer.write(ticket))
            #expect(
                caller(authenticator.identify(ticket: text.span, by: signer, at: Fixture.now, remembering: &memory))
                    != nil)
        }
        try ask("counted", uses: TicketUses(1, epoch: [1]))
        #expect(memory.count == 0)
        let tokens = (1...3).map { issuerKey.token(claims: TokenFixture.claims(["sub": "\"\($0)\""])) }
        let callers = tokens.map { caller(authenticator.finding($0, &memory)) }
        for number in 0..<40 { try ask("ticket-\(number)") }
        for (token, known) in zip(tokens, callers) {
            #expect(known != nil && caller(authenticator.finding(token, &memory)) === known)
        }
        #expect(memory.count == 4)
    }

    @Test func `a remembered ticket is no bearer credential, and a remembered token no ticket`() throws {
        let issuerKey = try TokenFixture.key(.hs256)
        let authenticator = Authenticator(
            .init(
                apiKeys: [try Fixture.key("login", Self.apiKey)],
                issuers: [try TokenFixture.entry([.init(id: nil, try TokenFixture.verifier(issuerKey))], [.hs256])],
                rememberedTokens: 8, ticketKey: key))
        var memory = authenticator.makeMemory()
        let ticket = try #require(try signer.write(try Self.ticket(kind: .apiKey, mark: mark())))
        let token = issuerKey.token(claims: TokenFixture.claims())
        func asks(byTicket text: [UInt8]) -> Caller? {
            caller(authenticator.identify(ticket: text.span, by: signer, at: Fixture.now, remembering: &memory))
        }
        for _ in 0..<2 {
            #expect(asks(byTicket: ticket) != nil && caller(authenticator.finding(token, &memory)) != nil)
            #expect(memory.count == 2)
            #expect(asks(byTicket: Array(token.utf8)) == nil)
            #expect(caller(authenticator.finding(ticket.text, &memory)) == nil)
        }
    }

    @Test func `R19: one that is remembered ends when the key of its maker's token is gone, or cannot be told`() throws
    {
        let (one, two) = (TestKey(.eddsa), TestKey(.eddsa))
        let url = "https://id.example.com/keys"
        let text = try #require(try signer.write(try Self.ticket(mark: signer.mark(of: Self.proof(one, source: url)))))
        let authenticator = Authenticator(
            .init(apiKeys: [], issuers: [try Self.issuer(one, source: url)], rememberedTokens: 8, ticketKey: key))
        var memory = authenticator.makeMemory()
        func asks(_ keys: [TestKey], until end: Int64 = Fixture.now + 60, areOther: Bool = true) throws -> Caller? {
            let set = JWTKeySet(try keys.map { JWTKeySet.Key(try TokenFixture.verifier($0)) })
            memory.take(set, of: 0, areOther: areOther, until: end)
            return caller(authenticator.identify(ticket: text.span, by: signer, at: Fixture.now, remembering: &memory))
        }
        let first = try #require(try asks([one]))
        #expect(memory.count == 1)
        #expect(try asks([two, one]) === first)
        #expect(try asks([one], until: Fixture.now, areOther: false) == nil)
        #expect(try asks([two]) == nil)
        #expect(try asks([one]) === first)
    }
}
