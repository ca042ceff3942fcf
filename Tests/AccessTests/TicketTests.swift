import Testing

@testable import Access
@testable import Bytes
@testable import Crypto

@Suite("Tickets (R11)")
struct TicketTests {
    private static let secret = Secret([UInt8](repeating: 0x5A, count: 32))
    private let key: TicketKey
    private let signer: TicketSigner

    init() throws {
        key = try TicketKey(Self.secret, maximumLifetime: 3600, denied: [Array("denied-id".utf8)])
        signer = try key.makeSigner()
    }

    private static let claims = CallerClaims([
        (Array("tenant".utf8), .text(Array("t1".utf8))), (Array("groups".utf8), .list([Array("a".utf8), []])),
    ])

    private static func ticket(
        _ id: String = "an-id", subject: String = "42", kind: Principal.Kind = .jwt, until end: Int64 = House.now + 60,
        grant: String = "photos", fixing parameters: [(String, String)] = [("key", "users/42/a.jpg")]
    ) throws -> Ticket {
        let principal = Principal(kind, id: Array("login".utf8), subject: Array(subject.utf8))
        let terms = TicketTerms(
            grant: Array(grant.utf8),
            parameters: parameters.map { TicketTerms.Parameter(name: Array($0.0.utf8), value: Array($0.1.utf8)) })
        return try #require(
            Ticket(Array(id.utf8), for: Caller(principal, index: 1, claims: claims), until: end, terms))
    }

    @Test(arguments: Principal.Kind.allCases.filter { $0 != .anonymous })
    func `what is written is read again, whole`(kind: Principal.Kind) throws {
        let ticket = try Self.ticket(kind: kind)
        let text = try #require(try signer.write(ticket))
        let read = try #require(try signer.read(text.span))
        #expect(read.id == ticket.id && read.principal == ticket.principal && read.endsAt == ticket.endsAt)
        #expect(read.terms.grant == ticket.terms.grant && read.terms.parameters == ticket.terms.parameters)
        #expect(read.claims.text(Array("tenant".utf8)) == Array("t1".utf8))
        let names = text.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        #expect(names, "it needs no escapes in a URL")
    }

    @Test func `no ticket is read with any of its characters changed, left out or doubled`() throws {
        let text = try #require(try signer.write(try Self.ticket()))
        for index in text.indices {
            for other in [UInt8(ascii: "A"), UInt8(ascii: "b"), UInt8(ascii: "-"), UInt8(ascii: "="), 0, 0xFF]
            where other != text[index] {
                var changed = text
                changed[index] = other
                #expect(try signer.read(changed.span) == nil)
            }
            var shorter = text
            shorter.remove(at: index)
            #expect(try signer.read(shorter.span) == nil)
            var longer = text
            longer.insert(text[index], at: index)
            #expect(try signer.read(longer.span) == nil)
        }
        for end in text.indices {
            let start = Array(text[..<end])
            #expect(try signer.read(start.span) == nil)
        }
        let padded = text + [UInt8(ascii: "=")]
        #expect(try signer.read(padded.span) == nil)
    }

    @Test func `another secret knows nothing of it, nor does the secret itself as a key`() throws {
        let text = try #require(try signer.write(try Self.ticket()))
        let other = try TicketKey(Secret([UInt8](repeating: 0x5B, count: 32)), maximumLifetime: 3600, denied: [])
        #expect(try other.makeSigner().read(text.span) == nil)
        let raw = try TicketSigner(HMACKey(.sha256, Self.secret))
        #expect(try raw.read(text.span) == nil)
        let forged = try #require(try raw.write(try Self.ticket()))
        #expect(try signer.read(forged.span) == nil)
    }

    @Test func `no two tickets are written alike`() throws {
        let tickets = [
            try Self.ticket(), try Self.ticket("an-i", subject: "d42"), try Self.ticket(subject: "4"),
            try Self.ticket(kind: .apiKey), try Self.ticket(kind: .certificate),
            try Self.ticket(grant: "photo", fixing: [("skey", "users/42/a.jpg")]),
            try Self.ticket(fixing: [("keyu", "sers/42/a.jpg")]), try Self.ticket(fixing: []),
            try Self.ticket(until: House.now),
        ]
        let texts = try tickets.map { try signer.write($0) }
        #expect(Set(texts).count == tickets.count)
    }

    @Test func `one that no URL could hold is not made`() throws {
        #expect(try signer.write(try Self.ticket(fixing: [("text", String(repeating: "a", count: 4096))])) == nil)
        let long = [UInt8](repeating: UInt8(ascii: "A"), count: TicketSigner.maximumLength + 4)
        #expect(try signer.read(long.span) == nil)
    }

    @Test func `nobody in particular has one, and a ticket makes none`() throws {
        let terms = try Self.ticket().terms
        #expect(Ticket([1], for: Caller(.anonymous, index: 0), until: 1, terms) == nil)
        let bearer = Caller(Principal(.apiKey, id: [97], subject: [97]), index: 1, ticket: terms)
        #expect(Ticket([1], for: bearer, until: 1, terms) == nil)
    }

    // MARK: Who that is

    private func finding(_ ticket: Ticket, denied: Set<Principal> = []) throws -> Authenticator.Finding {
        let authenticator = Authenticator(
            apiKeys: [try House.key("login", "a-key-0123456789")], ticketKey: key, denied: denied)
        let text = try #require(try signer.write(ticket))
        return authenticator.identify(ticket: text.span, by: signer, at: House.now)
    }

    @Test func `its principal is who asks, until it ends, while it is known and not denied (R12)`() throws {
        let ticket = try Self.ticket(kind: .apiKey)
        let caller: Caller? = if case .caller(let caller) = try finding(ticket) { caller } else { nil }
        #expect(caller?.principal == ticket.principal)
        #expect(caller?.endsAt == House.now + 60)
        #expect(caller?.isDenied == false)
        #expect(caller?.ticket?.grant == ticket.terms.grant)
        for refused in [try Self.ticket(kind: .apiKey, until: House.now), try Self.ticket(kind: .jwt)] {
            let isCaller = if case .caller = try finding(refused) { true } else { false }
            #expect(!isCaller)
        }
        for (ticket, denied) in [
            (ticket, Set([ticket.principal])), (try Self.ticket("denied-id", kind: .apiKey), Set<Principal>()),
        ] {
            let isDenied =
                if case .caller(let caller) = try finding(ticket, denied: denied) { caller.isDenied } else {
                    false
                }
            #expect(isDenied)
        }
    }

    @Test func `random bytes are no ticket`() throws {
        var random = SplitMix(seed: 13)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(Ticket(reading: bytes.span) == nil || bytes.first == 1)
            #expect(try signer.read(bytes.span) == nil)
        }
    }
}
