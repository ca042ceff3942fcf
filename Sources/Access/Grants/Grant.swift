import Bytes

/// What somebody may have: a compiled entry of the configuration's `grants`.
package final class Grant: Sendable {
    /// Where the objects are.
    package enum Bucket: Sendable {
        case named([UInt8])
        /// The caller says it (`unscoped`).
        case asked
        /// The route knows no buckets; a domain stands for one, or all of the account is meant.
        case absent
    }

    /// What the credential may reach in the bucket (R13).
    package enum Target: Sendable {
        /// One key that the server chooses.
        case key(KeyTemplate)
        /// Keys that begin so.
        case prefix(KeyTemplate)
        /// Anything (`unscoped`).
        case anything
    }

    /// What a route does when no key is asked for and the grant names only a prefix.
    package enum WithoutKey: Sendable {
        /// The whole prefix is meant.
        case prefix
        /// The parameter of this name is missing.
        case refuse(parameter: String)
    }

    /// How often it may be used.
    package struct Rates: Sendable {
        package let perCaller, perGrant: Rate?

        package init(perCaller: Rate? = nil, perGrant: Rate? = nil) {
            self.perCaller = perCaller
            self.perGrant = perGrant
        }
    }

    /// What bounds a lifetime beside the seconds that the grant names.
    package struct LifetimeBounds: Sendable {
        /// The last moment that the vendor's format can name, in seconds since 1970; nil for none.
        package var lastMoment: Int64?
        /// The fewest seconds that the vendor lets it hold.
        package var least: Int64 = 1
        /// Whether `lifetime` is only the standard, and may give way to the end of the caller's own credential.
        package var mayShrink = false

        package init() {}
    }

    /// A hash of what the configuration says of a grant, as it is written there. It is good within one process.
    package struct Fingerprint: Sendable, Hashable, CustomReflectable {
        private let hash: Int

        package init(_ feed: (inout Hasher) -> Void) {
            var hasher = Hasher()
            feed(&hasher)
            hash = hasher.finalize()
        }

        /// Empty: two texts may mean the same.
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    package let name: [UInt8]
    /// Its index among the configuration's grants.
    package let index: Int
    /// The index of its route in the registry.
    package let route: Int
    /// The index of its credential in the configuration.
    package let credential: Int
    /// Empty where the route gives nothing to anybody.
    package let callers: [CallerSelector]
    /// What must hold of the caller's claims (`where`).
    package let conditions: [ClaimCondition]
    package let bucket: Bucket
    package let target: Target
    package let withoutKey: WithoutKey
    /// The longest key of the vendor, in bytes.
    package let maximumKeyLength: Int
    /// Seconds, when none are asked for.
    package let lifetime: Int64
    /// The most seconds that may be asked for.
    package let maxLifetime: Int64
    /// What else bounds how long it holds.
    let bounds: LifetimeBounds
    package let rates: Rates
    /// What callers are told of its route's fields and its credential's: members of a JSON object.
    package let facts: JSONMembers
    let issuer: any Issuer
    /// What tells it from a grant of its name in another configuration.
    package let fingerprint: Fingerprint
    /// The issuer's answers, kept here so that nobody asks it for every request.
    let callersEnd: CallersEnd
    package let neverEnds: Bool
    let takesObscure: Bool
    package let unenforced: [Enforcement]

    package init(
        name: [UInt8], index: Int, route: Int, credential: Int, callers: [CallerSelector],
        conditions: [ClaimCondition] = [], bucket: Bucket, target: Target, withoutKey: WithoutKey,
        maximumKeyLength: Int = ObjectKeyRule.maximumLength, lifetime: Int64, maxLifetime: Int64,
        bounds: LifetimeBounds = LifetimeBounds(), rates: Rates = Rates(), facts: JSONMembers = .none,
        issuer: any Issuer,
        fingerprint: Fingerprint = Fingerprint { _ in }
    ) {
        self.name = name
        self.index = index
        self.route = route
        self.credential = credential
        self.callers = callers
        self.conditions = conditions
        self.bucket = bucket
        self.target = target
        self.withoutKey = withoutKey
        self.maximumKeyLength = maximumKeyLength
        self.lifetime = lifetime
        self.maxLifetime = maxLifetime
        self.bounds = bounds
        self.rates = rates
        self.facts = facts
        self.issuer = issuer
        self.fingerprint = fingerprint
        callersEnd = issuer.callersEnd
        neverEnds = issuer.neverEnds
        takesObscure = issuer.takesObscure
        unenforced = issuer.unenforced
    }

    /// Whether the caller's claims are those that it asks for.
    func admits(_ claims: CallerClaims) -> Bool {
        for condition in conditions where !condition.holds(for: claims) { return false }
        return true
    }

    /// Whether it admits the caller's identity by its name, and not only anybody who is known.
    func namesCaller(_ caller: Caller) -> Bool {
        let (kind, id) = (caller.principal.kind, caller.principal.id)
        return kind != .anonymous && callers.contains(.identity(kind, id: id))
    }

    /// The claims of its callers that it looks at.
    package var claimNames: [[UInt8]] {
        var templates = issuer.vendorName.map { [$0] } ?? []
        switch target {
        case .key(let template), .prefix(let template): templates.append(template)
        case .anything: break
        }
        return conditions.map(\.name) + templates.flatMap(\.claimNames)
    }
}
