import Crypto

@testable import Access
@testable import Bytes

/// Callers, grants and asks for the tests of this room, without a configuration.
enum Fixture {
    static let now: Int64 = 1_795_158_947

    static let instant = Instant(unixSeconds: now, nanoseconds: 0)
    static let nonce = Nonce(InlineArray(repeating: 0xAB))

    struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let key = Parameter("key", aliases: ["object"], .key(maximumLength: 1000), "The key.")
        let fileExtension = Parameter.fileExtension
        let expires = Parameter.expires
        let size = Parameter("size", .integer(1...100), "A number.")
        let text = Parameter("text", .text(maximumLength: 10), "A text.")
        let header = Parameter(
            "header", .pairs(separator: UInt8(ascii: ":"), maximumCount: 3, maximumLength: 10), "Some headers.")
        let prefix = Parameter("prefix", .keyPrefix(maximumLength: 1000), "What keys begin with.")
    }

    static let known = Parameters()
    static let parameters = known.descriptions

    /// Objects to asks whose `size` is above a limit; issues nothing.
    struct Limited: TokenIssuer {
        var most: Int64 = 100
        var vendorName: KeyTemplate?
        var callersEnd = CallersEnd.shortens
        var neverEnds = false
        var takesObscure = false
        /// What no key may end with.
        var badEnd: [UInt8]?

        func objection(to ask: borrowing Ask) -> Objection? {
            ask[known.size] ?? 0 > most ? Objection("size", "is too large") : nil
        }

        func objection(toKey key: Span<UInt8>, of ask: borrowing Ask) -> Objection? {
            guard let badEnd, key.count >= badEnd.count, key.extracting(last: badEnd.count).equals(badEnd) else {
                return nil
            }
            return Objection("key", "ends badly")
        }

        func issue(
            _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
            into out: inout ByteWriter, using scratch: inout ByteWriter
        ) throws(IssueError) {}
    }

    static func digest(_ key: String) throws -> Digest { try Digest(.sha256, of: Array(key.utf8).span) }

    static func key(_ id: String, _ key: String, notAfter: Int64? = nil) throws -> Authenticator.APIKey {
        Authenticator.APIKey(id: Array(id.utf8), digest: try digest(key), notAfter: notAfter)
    }

    static func apiKey(_ id: String) -> CallerSelector { .identity(.apiKey, id: Array(id.utf8)) }

    static func grant(
        _ name: String, route: Int = 0, callers: [CallerSelector] = [.anonymous],
        bucket: Grant.Bucket = .named("media"),
        key: String? = nil, prefix: String? = nil, withoutKey: Grant.WithoutKey = .prefix, lifetime: Int64 = 600,
        maxLifetime: Int64 = 3600, lifetimes: Grant.Lifetimes? = nil, maximumKeyLength: Int = 1023,
        lastMoment: Int64? = nil, extensions: [String]? = nil, availability: Availability = Availability(),
        leastLifetime: Int64 = 1,
        issuer: any Issuer = Limited()
    ) throws -> Grant {
        let target: Grant.Target
        if let key {
            let list = extensions.map { $0.map { Array($0.utf8) } }
            target = .key(try KeyTemplate(Array(key.utf8)).limited(to: list))
        } else if let prefix {
            target = .prefix(try KeyTemplate(Array(prefix.utf8)))
        } else {
            target = .anything
        }
        return Grant(
            Grant.Entry(Array(name.utf8), at: 0), for: Grant.Principals(callers, when: availability),
            of: Grant.Resources(target, in: bucket, withoutKey: withoutKey, maximumKeyLength: maximumKeyLength),
            lasting: lifetimes
                ?? Grant.Lifetimes(
                    usual: lifetime, longest: maxLifetime, least: leastLifetime, lastMoment: lastMoment),
            Grant.Issuance(by: issuer, on: route, with: 0))
    }

    /// An ask as a query has it.
    static func ask(_ query: String, from address: IPAddress? = nil) throws -> Ask {
        var ask = Ask(nonce, from: address)
        try ask.parameters.read(form: Array(query.utf8).span)
        try ask.read(by: ParameterList(parameters))
        return ask
    }

    /// How a query was decided, in a form that can be compared.
    enum Outcome: Equatable {
        case permitted(grant: String, bucket: String, key: String, Permit.Extent, lifetime: Int64, by: Permit.Limit)
        case unauthenticated, forbidden
        case ambiguous([String])
        case credentialTooShort(Shortfall)
        case notInGrant(clause: String?)
        case missing(String)
        case obscure(String)
        case tooLong(maximum: Int64)
    }

    static func decide(
        _ query: String, by caller: Caller, _ policy: Policy, route: Int = 0, ends end: Ask.End? = nil,
        aboutService isAboutService: Bool = false, obscure obscurity: AskError? = nil, from address: IPAddress? = nil
    ) throws -> Outcome {
        var ask = try ask(query, from: address)
        ask.end = end
        ask.isAboutService = isAboutService
        ask.obscurity = obscurity
        var workspace = PolicyWorkspace()
        switch policy.decide(ask, on: route, by: caller, at: instant, in: &workspace) {
        case .permitted(let permit):
            return .permitted(
                grant: permit.grant.name.text, bucket: permit.bucket.text, key: permit.key.text, permit.extent,
                lifetime: permit.lifetime, by: permit.limitedBy)
        case .denied(let denial):
            switch denial {
            case .unauthenticated: return .unauthenticated
            case .forbidden: return .forbidden
            case .ambiguous(let names, _): return .ambiguous(names.map(\.text))
            case .credentialTooShort(let shortfall): return .credentialTooShort(shortfall)
            case .notInGrant(let objection): return .notInGrant(clause: objection?.clause.description)
            case .missing(let parameter, _): return .missing(parameter)
            case .obscure(let error): return .obscure(error.parameter)
            case .lifetimeTooLong(let maximum): return .tooLong(maximum: maximum)
            }
        }
    }
}

extension Grant.Bucket {
    static func named(_ name: String) -> Grant.Bucket { .named(Array(name.utf8)) }
}
