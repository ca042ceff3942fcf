import Testing

@testable import Access
@testable import Bytes

@Suite struct PolicyTests {
    private let authenticator: Authenticator
    private let anonymous: Caller

    init() throws {
        authenticator = Authenticator(
            .init(
                apiKeys: [
                    try Fixture.key("android", "one"), try Fixture.key("ios", "two", notAfter: Fixture.now + 100),
                    try Fixture.key("banned", "three"),
                ],
                denied: [Principal(.apiKey, id: Array("banned".utf8), subject: Array("banned".utf8))]))
        anonymous = authenticator.anonymous
    }

    private func caller(_ key: String) throws -> Caller {
        let finding = authenticator.identify(apiKey: Array(key.utf8).span, at: Fixture.now)
        guard case .caller(let caller) = finding else {
            Issue.record("\(key) is no key")
            return anonymous
        }
        return caller
    }

    private func policy(_ grants: Grant...) -> Policy { Policy(grants, for: authenticator, routes: 2) }

    @Test func `what is not granted is denied`() throws {
        let none = policy()
        #expect(try Fixture.decide("key=a", by: try caller("one"), none) == .notInGrant(clause: nil))
        #expect(try Fixture.decide("key=a", by: anonymous, none) == .unauthenticated)
        let other = policy(try Fixture.grant("other", route: 1, callers: [.authenticated, .anonymous], prefix: "a/"))
        #expect(try Fixture.decide("key=a/b", by: try caller("one"), other) == .notInGrant(clause: nil))
        #expect(try Fixture.decide("key=a/b", by: anonymous, other) == .unauthenticated)
    }

    @Test func `R4: the one grant whose every clause fits wins`() throws {
        let policy = policy(
            try Fixture.grant("photos", prefix: "photos/"), try Fixture.grant("films", prefix: "films/"),
            try Fixture.grant("elsewhere", bucket: .named("attic"), prefix: "photos/"))
        #expect(
            try Fixture.decide("key=films/a&bucket=media", by: anonymous, policy)
                == .permitted(
                    grant: "films", bucket: "media", key: "films/a", .object, lifetime: 600, by: .grant))
        #expect(try Fixture.decide("key=photos/a", by: anonymous, policy) == .ambiguous(["photos", "elsewhere"]))
        #expect(
            try Fixture.decide("key=photos/a&grant=elsewhere", by: anonymous, policy)
                == .permitted(grant: "elsewhere", bucket: "attic", key: "photos/a", .object, lifetime: 600, by: .grant))
        #expect(try Fixture.decide("key=music/a", by: anonymous, policy) == .notInGrant(clause: "keyPrefix"))
        #expect(try Fixture.decide("key=photos/a&bucket=no", by: anonymous, policy) == .notInGrant(clause: "bucket"))
    }

    @Test func `an ask that no grant admits is told of the grant that takes what it asks for`() throws {
        for names in [["avatar", "gallery"], ["gallery", "avatar"]] {
            let grants = try names.map { name in
                try name == "avatar"
                    ? Fixture.grant(name, key: "avatars/me.${ext}", extensions: ["jpg"])
                    : Fixture.grant(name, prefix: "gallery/")
            }
            let policy = policy(grants[0], grants[1])
            #expect(
                try Fixture.decide("key=elsewhere/a.jpg", by: anonymous, policy) == .notInGrant(clause: "keyPrefix"))
            let ask = try Fixture.ask("ext=exe")
            var workspace = PolicyWorkspace()
            guard
                case .denied(.notInGrant(let objection?)) = policy.decide(
                    ask, on: 0, by: anonymous, at: Fixture.instant, in: &workspace)
            else {
                Issue.record("ext=exe is not told why it is refused")
                return
            }
            #expect(objection.words == "the extension is not one that the grant admits")
        }
    }

    @Test func `what nobody can tell is given only by a grant that takes it, and judged by that`() throws {
        let fault = AskError(.unreadableStringToSign, "text", "does not say")
        let strict = policy(try Fixture.grant("strict", prefix: "a/"))
        for query in ["key=a/b", "key=b", "size=1", "key=a/b&grant=none"] {
            #expect(try Fixture.decide(query, by: anonymous, strict, obscure: fault) == .obscure("text"))
        }
        let both = policy(
            try Fixture.grant("strict", prefix: "a/"),
            try Fixture.grant("trusting", prefix: "a/", issuer: Fixture.Limited(takesObscure: true)))
        #expect(
            try Fixture.decide("key=a/b", by: anonymous, both, obscure: fault)
                == .permitted(grant: "trusting", bucket: "media", key: "a/b", .object, lifetime: 600, by: .grant))
        #expect(try Fixture.decide("key=b", by: anonymous, both, obscure: fault) == .notInGrant(clause: "keyPrefix"))
        #expect(try Fixture.decide("key=a/b", by: anonymous, both) == .ambiguous(["strict", "trusting"]))
    }

    @Test func `R4: a foreign grant and one that does not exist answer alike`() throws {
        let policy = policy(
            try Fixture.grant("open", callers: [.authenticated], prefix: "a/"),
            try Fixture.grant("private", callers: [Fixture.apiKey("ios")], prefix: "b/"))
        let android = try caller("one")
        #expect(try Fixture.decide("key=b/x&grant=private", by: android, policy) == .notInGrant(clause: nil))
        #expect(try Fixture.decide("key=b/x&grant=nothing", by: android, policy) == .notInGrant(clause: nil))
    }

    @Test func `the objection that is told is that of the grant that came nearest`() throws {
        let policy = policy(
            try Fixture.grant("near", prefix: "a/", issuer: Fixture.Limited(most: 5)),
            try Fixture.grant("far", bucket: .named("attic"), prefix: "b/"))
        #expect(try Fixture.decide("key=a/x&size=9", by: anonymous, policy) == .notInGrant(clause: "size"))
        #expect(try Fixture.decide("key=c/x&bucket=attic", by: anonymous, policy) == .notInGrant(clause: "keyPrefix"))
    }

    @Test func `R5: the credential ends at the earliest, and it says by whom`() throws {
        let policy = policy(try Fixture.grant("photos", callers: [.authenticated], prefix: "p/"))
        let (android, ios) = (try caller("one"), try caller("two"))
        func outcome(_ lifetime: Int64, _ limit: Permit.Limit) -> Fixture.Outcome {
            .permitted(grant: "photos", bucket: "media", key: "p/a", .object, lifetime: lifetime, by: limit)
        }
        #expect(try Fixture.decide("key=p/a", by: android, policy) == outcome(600, .grant))
        #expect(try Fixture.decide("key=p/a&expires=60", by: android, policy) == outcome(60, .requested))
        #expect(try Fixture.decide("key=p/a&expires=3600", by: android, policy) == outcome(3600, .requested))
        #expect(try Fixture.decide("key=p/a&expires=3601", by: android, policy) == .tooLong(maximum: 3600))
        #expect(try Fixture.decide("key=p/a", by: ios, policy) == outcome(100, .caller))
        #expect(try Fixture.decide("key=p/a&expires=99", by: ios, policy) == outcome(99, .requested))
        #expect(try Fixture.decide("key=p/a&expires=101", by: ios, policy) == outcome(100, .caller))
    }

    @Test func `R4: the lifetime asked for is a clause in choosing the grant`() throws {
        let policy = policy(
            try Fixture.grant("short", prefix: "p/", lifetime: 60, maxLifetime: 600),
            try Fixture.grant("long", prefix: "p/", lifetime: 60, maxLifetime: 3600))
        #expect(
            try Fixture.decide("key=p/a&expires=3000", by: anonymous, policy)
                == .permitted(grant: "long", bucket: "media", key: "p/a", .object, lifetime: 3000, by: .requested))
        #expect(try Fixture.decide("key=p/a&expires=300", by: anonymous, policy) == .ambiguous(["short", "long"]))
        #expect(try Fixture.decide("key=p/a&expires=4000", by: anonymous, policy) == .tooLong(maximum: 3600))
    }

    @Test func `R5: nothing ends later than the vendor can say, and nothing is issued after that`() throws {
        let soon = policy(try Fixture.grant("photos", prefix: "p/", lastMoment: Fixture.now + 50))
        #expect(
            try Fixture.decide("key=p/a", by: anonymous, soon)
                == .permitted(grant: "photos", bucket: "media", key: "p/a", .object, lifetime: 50, by: .grant))
        let past = policy(try Fixture.grant("photos", prefix: "p/", lastMoment: Fixture.now))
        #expect(try Fixture.decide("key=p/a", by: anonymous, past) == .notInGrant(clause: "lifetime"))
    }

    @Test func `R5: what cannot be shortened must not outlive the caller's credential`() throws {
        let policy = policy(try Fixture.grant("photos", callers: [.authenticated], prefix: "p/"))
        let ios = try caller("two")
        let soon = Fixture.Outcome.permitted(
            grant: "photos", bucket: "media", key: "p/a", .object, lifetime: 100, by: .requested)
        #expect(
            try Fixture.decide("key=p/a", by: ios, policy, ends: .binding(Fixture.now + 101))
                == tooShort(needed: 101, .earlierEnd))
        #expect(try Fixture.decide("key=p/a", by: ios, policy, ends: .binding(Fixture.now + 100)) == soon)
    }

    /// The outcome for the caller whose key has 100 seconds left.
    private func tooShort(needed: Int64?, _ remedy: Shortfall.Remedy) -> Fixture.Outcome {
        .credentialTooShort(Shortfall(left: 100, needed: needed, remedy: remedy))
    }

    @Test(arguments: [CallersEnd.shortens, .denies])
    func `R17: what ends when the vendor says is not for callers who end before`(_ callersEnd: CallersEnd) throws {
        let issuer = Fixture.Limited(callersEnd: callersEnd)
        let policy = policy(try Fixture.grant("photos", callers: [.authenticated], prefix: "p/", issuer: issuer))
        func decide(_ key: String, seconds: Int64) throws -> Fixture.Outcome {
            try Fixture.decide("key=p/a", by: try caller(key), policy, ends: .fixed(Fixture.now + seconds))
        }
        func outcome(_ lifetime: Int64) -> Fixture.Outcome {
            .permitted(grant: "photos", bucket: "media", key: "p/a", .object, lifetime: lifetime, by: .requested)
        }
        #expect(try decide("two", seconds: 900) == tooShort(needed: 900, .outliveCaller))
        #expect(try decide("two", seconds: 101) == tooShort(needed: 101, .outliveCaller))
        #expect(try decide("two", seconds: 100) == outcome(100))
        #expect(try decide("one", seconds: 900) == outcome(900))
    }

    @Test func `R17: where a caller's end is ignored, what ends when the vendor says outlives it, and a URL does not`()
        throws
    {
        let issuer = Fixture.Limited(callersEnd: .ignored)
        let policy = policy(try Fixture.grant("photos", callers: [.authenticated], prefix: "p/", issuer: issuer))
        let ios = try caller("two")
        #expect(
            try Fixture.decide("key=p/a", by: ios, policy, ends: .fixed(Fixture.now + 900))
                == .permitted(grant: "photos", bucket: "media", key: "p/a", .object, lifetime: 900, by: .requested))
        #expect(
            try Fixture.decide("key=p/a", by: ios, policy, ends: .binding(Fixture.now + 101))
                == tooShort(needed: 101, .earlierEnd))
    }

    @Test func `R17: where a caller's end denies, nothing is issued that would outlive it`() throws {
        let policy = policy(
            try Fixture.grant(
                "session", callers: [.authenticated], prefix: "p/", lifetime: 101,
                issuer: Fixture.Limited(callersEnd: .denies)))
        let (android, ios) = (try caller("one"), try caller("two"))
        func outcome(_ lifetime: Int64, _ limit: Permit.Limit) -> Fixture.Outcome {
            .permitted(grant: "session", bucket: "media", key: "p/", .prefix, lifetime: lifetime, by: limit)
        }
        let denied = tooShort(needed: 101, .lesserLifetime(least: 1))
        #expect(try Fixture.decide("", by: ios, policy) == denied)
        #expect(try Fixture.decide("expires=101", by: ios, policy) == denied)
        #expect(try Fixture.decide("expires=100", by: ios, policy) == outcome(100, .requested))
        #expect(try Fixture.decide("", by: android, policy) == outcome(101, .grant))
    }

    @Test func `R17: a grant without a lifetime of its own gives what fits, if that is as much as the vendor gives`()
        throws
    {
        func decide(_ query: String, left: Int64, least: Int64 = 900) throws -> Fixture.Outcome {
            let policy = policy(
                try Fixture.grant(
                    "session", callers: [.authenticated], prefix: "p/",
                    lifetimes: Grant.Lifetimes(usual: 3600, longest: 3600, least: least, mayShrink: true),
                    issuer: Fixture.Limited(callersEnd: .denies)))
            let known = try caller("one")
            let caller = Caller(
                known.principal, index: known.index, by: .init(endsAt: Fixture.now + left))
            return try Fixture.decide(query, by: caller, policy)
        }
        func outcome(_ lifetime: Int64, _ limit: Permit.Limit) -> Fixture.Outcome {
            .permitted(grant: "session", bucket: "media", key: "p/", .prefix, lifetime: lifetime, by: limit)
        }
        // In steps of five minutes, so that sessions can be remembered.
        #expect(try decide("", left: 1799) == outcome(1500, .caller))
        #expect(try decide("", left: 1199) == outcome(900, .caller))
        #expect(try decide("", left: 900) == outcome(900, .caller))
        #expect(try decide("", left: 3600) == outcome(3600, .grant))
        #expect(
            try decide("", left: 899)
                == .credentialTooShort(Shortfall(left: 899, needed: 3600, remedy: .lesserLifetime(least: 900))))
        #expect(try decide("expires=1700", left: 1799) == outcome(1700, .requested))
        #expect(
            try decide("expires=1800", left: 1799)
                == .credentialTooShort(Shortfall(left: 1799, needed: 1800, remedy: .lesserLifetime(least: 900))))
    }

    @Test func `R17: where a caller's end is ignored, what is issued outlives it`() throws {
        let policy = policy(
            try Fixture.grant(
                "session", callers: [.authenticated], prefix: "p/", issuer: Fixture.Limited(callersEnd: .ignored)))
        let ios = try caller("two")
        func outcome(_ lifetime: Int64, _ limit: Permit.Limit) -> Fixture.Outcome {
            .permitted(grant: "session", bucket: "media", key: "p/", .prefix, lifetime: lifetime, by: limit)
        }
        #expect(try Fixture.decide("", by: ios, policy) == outcome(600, .grant))
        #expect(try Fixture.decide("expires=3600", by: ios, policy) == outcome(3600, .requested))
        #expect(try Fixture.decide("expires=99", by: ios, policy) == outcome(99, .requested))
    }

    @Test func `R5: every end that can count has a name`() {
        let limits: [Permit.Limit] = [.requested, .grant, .caller, .credential]
        #expect(limits.map(\.name.description) == ["requested", "grant", "caller", "credential"])
    }

    @Test func `R12: a denied caller gets nothing`() throws {
        let policy = policy(try Fixture.grant("photos", callers: [.authenticated, .anonymous], prefix: "p/"))
        #expect(try Fixture.decide("key=p/a", by: try caller("three"), policy) == .forbidden)
    }

    @Test func `R13: with a fixed key the server chooses`() throws {
        let policy = policy(try Fixture.grant("logo", key: "img/logo.png"))
        let logo = Fixture.Outcome.permitted(
            grant: "logo", bucket: "media", key: "img/logo.png", .object, lifetime: 600, by: .grant)
        #expect(try Fixture.decide("", by: anonymous, policy) == logo)
        #expect(try Fixture.decide("key=img/logo.png", by: anonymous, policy) == logo)
        #expect(try Fixture.decide("key=img/logo.jpg", by: anonymous, policy) == .notInGrant(clause: "key"))
    }

    @Test func `R13: with a prefix a key begins with it, and without a key the prefix is meant or a key is missing`()
        throws
    {
        let upload = policy(try Fixture.grant("photos", prefix: "p/"))
        #expect(
            try Fixture.decide("", by: anonymous, upload)
                == .permitted(grant: "photos", bucket: "media", key: "p/", .prefix, lifetime: 600, by: .grant))
        #expect(try Fixture.decide("key=p", by: anonymous, upload) == .notInGrant(clause: "keyPrefix"))
        #expect(try Fixture.decide("key=P/a", by: anonymous, upload) == .notInGrant(clause: "keyPrefix"))
        let single = policy(try Fixture.grant("photos", prefix: "p/", withoutKey: .refuse(parameter: "object")))
        #expect(try Fixture.decide("", by: anonymous, single) == .missing("object"))
    }

    @Test func `R13: an unscoped grant leaves bucket and key to the caller`() throws {
        let policy = policy(try Fixture.grant("all", bucket: .asked))
        #expect(try Fixture.decide("key=a", by: anonymous, policy) == .missing("bucket"))
        #expect(
            try Fixture.decide("key=a&bucket=b", by: anonymous, policy)
                == .permitted(grant: "all", bucket: "b", key: "a", .object, lifetime: 600, by: .grant))
        #expect(
            try Fixture.decide("bucket=b", by: anonymous, policy)
                == .permitted(grant: "all", bucket: "b", key: "", .bucket, lifetime: 600, by: .grant))
    }

    @Test func `R13: a prefix that is asked for is the grant's or begins with it`() throws {
        func decide(_ query: String, _ grant: Grant) throws -> Fixture.Outcome {
            try Fixture.decide(query, by: anonymous, policy(grant))
        }
        func all(_ prefix: String) -> Fixture.Outcome {
            .permitted(grant: "photos", bucket: "media", key: prefix, .prefix, lifetime: 600, by: .grant)
        }
        let grant = try Fixture.grant("photos", prefix: "p/")
        for prefix in ["p/", "p/a", "p/a/"] { #expect(try decide("prefix=\(prefix)", grant) == all(prefix)) }
        for prefix in ["p", "q/", "P/", "pp/"] {
            #expect(try decide("prefix=\(prefix)", grant) == .notInGrant(clause: "keyPrefix"))
        }
        #expect(try decide("prefix=q/", try Fixture.grant("photos")) == all("q/"))
        for prefix in ["p", "p/a", "p/a/b"] {
            #expect(
                try decide("prefix=\(prefix)", try Fixture.grant("photos", key: "p/a")) == .notInGrant(clause: "key"))
        }
    }

    @Test func `R5: what never ends is not for callers whose own credential does`() throws {
        let issuer = Fixture.Limited(neverEnds: true)
        let policy = policy(try Fixture.grant("legacy", callers: [.authenticated], prefix: "p/", issuer: issuer))
        let permitted = Fixture.Outcome.permitted(
            grant: "legacy", bucket: "media", key: "p/a", .object, lifetime: 900, by: .requested)
        let end = Ask.End.fixed(Fixture.now + 900)
        #expect(try Fixture.decide("key=p/a", by: try caller("one"), policy, ends: end) == permitted)
        let denied = tooShort(needed: nil, .endlessCredential)
        #expect(try Fixture.decide("key=p/a", by: try caller("two"), policy, ends: end) == denied)
        #expect(try Fixture.decide("key=p/a", by: try caller("two"), policy) == denied)
    }

    @Test func `R13: where the route knows no buckets, keys are judged all the same`() throws {
        let policy = policy(
            try Fixture.grant("site", bucket: .absent, prefix: "p/", withoutKey: .refuse(parameter: "key")))
        #expect(
            try Fixture.decide("key=p/a", by: anonymous, policy)
                == .permitted(grant: "site", bucket: "", key: "p/a", .object, lifetime: 600, by: .grant))
        #expect(try Fixture.decide("key=q/a", by: anonymous, policy) == .notInGrant(clause: "keyPrefix"))
        #expect(try Fixture.decide("", by: anonymous, policy) == .missing("key"))
    }

    @Test func `R13: what is of the whole account is only for grants of no part of it`() throws {
        let whole = [
            try Fixture.grant("all", bucket: .asked), try Fixture.grant("all", bucket: .absent),
            try Fixture.grant("all", bucket: .absent, withoutKey: .refuse(parameter: "key")),
        ]
        for grant in whole {
            #expect(
                try Fixture.decide("", by: anonymous, policy(grant), aboutService: true)
                    == .permitted(grant: "all", bucket: "", key: "", .service, lifetime: 600, by: .grant))
        }
        let parts = [
            try Fixture.grant("part"), try Fixture.grant("part", prefix: "p/"), try Fixture.grant("part", key: "a"),
            try Fixture.grant("part", bucket: .asked, prefix: "p/"),
            try Fixture.grant("part", bucket: .absent, key: "a"),
        ]
        for grant in parts {
            #expect(
                try Fixture.decide("", by: anonymous, policy(grant), aboutService: true)
                    == .notInGrant(clause: "unscoped"))
        }
        #expect(
            try Fixture.decide(
                "size=9", by: anonymous,
                policy(try Fixture.grant("all", bucket: .asked, issuer: Fixture.Limited(most: 5))),
                aboutService: true)
                == .notInGrant(clause: "size"))
    }

    @Test func `R13: a rendered key that is longer than the vendor allows is refused`() throws {
        let policy = policy(
            try Fixture.grant(
                "own", callers: [Fixture.apiKey("android")], key: "u/${caller.id}/x", maximumKeyLength: 10))
        #expect(try Fixture.decide("", by: try caller("one"), policy) == .notInGrant(clause: "key"))
    }

    @Test func `R13: an issuer's rule of a key is asked of the key that is signed, and not of the one asked for`()
        throws
    {
        let issuer = Fixture.Limited(badEnd: Array("p-mp4".utf8))
        let policy = policy(try Fixture.grant("clip", key: "v/clip-${ext}", issuer: issuer))
        #expect(try Fixture.decide("ext=mp4", by: anonymous, policy) == .notInGrant(clause: "key"))
        #expect(
            try Fixture.decide("ext=mp3", by: anonymous, policy)
                == .permitted(grant: "clip", bucket: "media", key: "v/clip-mp3", .object, lifetime: 600, by: .grant))
    }

    @Test func `R14: templates are filled in for the caller`() throws {
        let policy = policy(
            try Fixture.grant("own", callers: [Fixture.apiKey("android")], prefix: "u/${caller.id}/"),
            try Fixture.grant("any", callers: [.authenticated], bucket: .named("attic"), prefix: "u/${caller.source}/"))
        let android = try caller("one")
        #expect(
            try Fixture.decide("key=u/android/a&bucket=media", by: android, policy)
                == .permitted(
                    grant: "own", bucket: "media", key: "u/android/a", .object, lifetime: 600, by: .grant))
        #expect(try Fixture.decide("key=u/ios/a&bucket=media", by: android, policy) == .notInGrant(clause: "keyPrefix"))
        #expect(
            try Fixture.decide("bucket=attic", by: android, policy)
                == .permitted(
                    grant: "any", bucket: "attic", key: "u/apiKey-android/", .prefix, lifetime: 600, by: .grant))
    }

    @Test func `R14: the extension is asked for by itself, and is one of the grant's list`() throws {
        let policy = policy(try Fixture.grant("avatar", key: "avatar-${uuid}.${ext}", extensions: ["png", "jpg"]))
        #expect(
            try Fixture.decide("ext=png", by: anonymous, policy)
                == .permitted(
                    grant: "avatar", bucket: "media", key: "avatar-abababab-abab-4bab-abab-abababababab.png", .object,
                    lifetime: 600, by: .grant))
        #expect(try Fixture.decide("", by: anonymous, policy) == .missing("ext"))
        #expect(try Fixture.decide("ext=gif", by: anonymous, policy) == .notInGrant(clause: "key"))
        for name in ["", "PNG", ".png", "a/b", "pngpngpng"] {
            #expect(throws: AskError.self, "\(name)") { _ = try Fixture.ask("ext=\(name)") }
        }
    }

    @Test func `R13: a key that is asked for and is not the grant's is another's`() throws {
        let policy = policy(
            try Fixture.grant("avatar", key: "avatars/7/me.${ext}"), try Fixture.grant("own", prefix: "a/7/"))
        func outcome(_ grant: String, _ key: String, _ extent: Permit.Extent = .object) -> Fixture.Outcome {
            .permitted(grant: grant, bucket: "media", key: key, extent, lifetime: 600, by: .grant)
        }
        #expect(try Fixture.decide("key=a/7/x.jpg", by: anonymous, policy) == outcome("own", "a/7/x.jpg"))
        #expect(
            try Fixture.decide("key=avatars/7/me.jpg", by: anonymous, policy) == outcome("avatar", "avatars/7/me.jpg"))
        #expect(try Fixture.decide("ext=jpg", by: anonymous, policy) == outcome("avatar", "avatars/7/me.jpg"))
        #expect(try Fixture.decide("", by: anonymous, policy) == outcome("own", "a/7/", .prefix))
        for query in ["key=b/9/x.jpg", "key=avatars/7/me.jpg&ext=png", "key=a/7/x.jpg&ext=jpg", "key=avatars/7/me"] {
            guard case .notInGrant = try Fixture.decide(query, by: anonymous, policy) else {
                Issue.record("\(query)")
                continue
            }
        }
    }

    @Test func `a caller is found among many grants by its own`() throws {
        var grants: [Grant] = []
        for index in 0..<1000 {
            grants.append(try Fixture.grant("g\(index)", callers: [Fixture.apiKey("ios")], prefix: "p\(index)/"))
        }
        grants.append(try Fixture.grant("mine", callers: [Fixture.apiKey("android")], prefix: "p7/"))
        let policy = Policy(grants, for: authenticator, routes: 1)
        #expect(
            try Fixture.decide("key=p7/a", by: try caller("one"), policy)
                == .permitted(grant: "mine", bucket: "media", key: "p7/a", .object, lifetime: 600, by: .grant))
    }
}
