import TestKeys
import Testing

@testable import Access
@testable import Bytes

/// Claims that are compared: texts, whole numbers, booleans, and lists of these.
@Suite struct ClaimValueTests {
    private static func claims(_ value: String) throws -> CallerClaims {
        let object = try JSONReader.read(Array("{\"c\":\(value)}".utf8), as: .json)
        guard case .object(let members) = object.content else { return .none }
        return CallerClaims(members, named: [Array("c".utf8)])
    }

    private static func holds(_ values: [ClaimValue], for claim: String) throws -> Bool {
        ClaimCondition(name: Array("c".utf8), values: values).holds(for: try claims(claim))
    }

    @Test(arguments: [
        ("3", true), ("[1,3]", true), ("-0", false), ("30", false), ("\"3\"", false), ("3.0", false), ("3e0", false),
        ("true", false), ("[3.0]", false), ("[3,null]", false), ("[[3]]", false), ("null", false), ("{\"3\":3}", false),
        ("[]", false),
    ])
    func `a number is the same whole number, as it is written, and nothing that looks like it`(
        claim: String, isEqual: Bool
    ) throws {
        #expect(try Self.holds([.integer(3)], for: claim) == isEqual, "\(claim)")
        #expect(try Self.holds([.text(Array("x".utf8)), .integer(3)], for: claim) == isEqual, "\(claim)")
    }

    @Test func `large numbers are not rounded`() throws {
        #expect(try Self.holds([.integer(9_007_199_254_740_993)], for: "9007199254740993"))
        #expect(try !Self.holds([.integer(9_007_199_254_740_993)], for: "9007199254740992"))
        #expect(try Self.holds([.integer(.max), .integer(.min)], for: "9223372036854775807"))
        #expect(try Self.holds([.integer(.max), .integer(.min)], for: "-9223372036854775808"))
        for beyond in ["9223372036854775808", "1e30", "18446744073709551616"] {
            #expect(try !Self.holds([.integer(.max), .integer(0)], for: beyond))
        }
    }

    @Test(arguments: [
        ("true", true), ("[false,true]", true), ("false", false), ("1", false), ("\"true\"", false), ("null", false),
    ])
    func `a boolean is the same boolean, and no number or text`(claim: String, isEqual: Bool) throws {
        #expect(try Self.holds([.boolean(true)], for: claim) == isEqual, "\(claim)")
    }

    @Test func `a ticket keeps them as they are`() throws {
        let values: [CallerClaims.Value] = [
            .single(.integer(.min)), .single(.integer(-1)), .single(.boolean(true)), .single(.boolean(false)),
            .single(.text([])), .list([.integer(3), .boolean(false), .text(Array("a".utf8)), .integer(.max)]),
            .list([]),
        ]
        let claims = CallerClaims(values.enumerated().map { (Array("c\($0.offset)".utf8), $0.element) })
        let caller = Caller(Principal(.jwt, id: [1], subject: [2]), index: 1, claims: claims)
        let terms = TicketTerms(grant: [3], parameters: [])
        let ticket = try #require(Ticket([4], for: caller, until: 5, terms, mark: [6]))
        var out = ByteWriter()
        ticket.write(into: &out)
        let written = Ticket(reading: out.bytes)
        let read = try #require(written)
        #expect("\(read.claims.entries)" == "\(claims.entries)")
        // No shorter text is a ticket, and no kind of value that there is not.
        for end in 0..<out.count { #expect(Ticket(reading: out.bytes.extracting(0..<end)) == nil) }
    }

    @Test func `explain tells a value of another type from another value`() throws {
        let grant = Grant(
            Grant.Entry([1], at: 0),
            for: Grant.Principals(
                [.anonymous],
                where: [
                    ClaimCondition(name: Array("level".utf8), values: [.integer(3)]),
                    ClaimCondition(name: Array("staff".utf8), values: [.boolean(true)]),
                ]), of: Grant.Resources(.anything, in: .named("b"), withoutKey: .prefix),
            lasting: Grant.Lifetimes(usual: 1, longest: 1), Grant.Issuance(by: Fixture.Limited(), on: 0, with: 0))
        let policy = Policy([grant], for: Authenticator(.init()), routes: 1)
        let claims = CallerClaims([
            (Array("level".utf8), .single(.text(Array("3".utf8)))), (Array("staff".utf8), .single(.boolean(false))),
        ])
        var workspace = PolicyWorkspace()
        let explanation = policy.explain(
            try Fixture.ask(""), on: 0, by: Caller(.anonymous, index: 0, claims: claims), at: Fixture.instant,
            in: &workspace)
        let reasons = try #require(explanation.grants.first).findings.filter { $0.clause == .conditions }.map {
            "\($0.asked?.text ?? "-")/\($0.granted?.text ?? "-"): \($0.reason)"
        }
        #expect(
            reasons == [
                "3/3: the caller's claim is of another type than this text, number, true or false",
                "false/true: the caller's claim is none of these",
            ])
    }
}
