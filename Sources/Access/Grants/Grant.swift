import Bytes

/// What callers may have: a compiled entry of the configuration's `grants`.
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

    /// Its entry in the configuration.
    package struct Entry: Sendable {
        package let name: [UInt8]
        /// Its index among the configuration's grants.
        package let index: Int
        /// What tells it from a grant of its name in another configuration.
        package let fingerprint: Fingerprint
        /// Equal for grants that differ in name, description, callers, bucket and key at most; nil where that is not known.
        package let terms: Fingerprint?
        /// What it is for, in the operator's words; nil where nobody says.
        package let description: [UInt8]?

        package init(
            _ name: [UInt8], at index: Int, _ fingerprint: Fingerprint = Fingerprint { _ in },
            terms: Fingerprint? = nil, saying description: [UInt8]? = nil
        ) {
            self.name = name
            self.index = index
            self.fingerprint = fingerprint
            self.terms = terms
            self.description = description
        }
    }

    /// Who may use it, when and from where.
    package struct Principals: Sendable {
        /// Empty where the route gives nothing to anybody.
        package let callers: [CallerSelector]
        /// What must hold of the caller's claims (`where`).
        package let conditions: [ClaimCondition]
        package let availability: Availability

        package init(
            _ callers: [CallerSelector], where conditions: [ClaimCondition] = [],
            when availability: Availability = Availability()
        ) {
            self.callers = callers
            self.conditions = conditions
            self.availability = availability
        }
    }

    /// Which objects it is for.
    package struct Resources: Sendable {
        package let bucket: Bucket
        package let target: Target
        package let withoutKey: WithoutKey
        /// The longest key of the vendor, in bytes.
        package let maximumKeyLength: Int

        package init(
            _ target: Target, in bucket: Bucket, withoutKey: WithoutKey,
            maximumKeyLength: Int = ObjectKeyRule.maximumLength
        ) {
            self.bucket = bucket
            self.target = target
            self.withoutKey = withoutKey
            self.maximumKeyLength = maximumKeyLength
        }

        /// Whether it is for one key.
        var isFixed: Bool { if case .key = target { true } else { false } }
    }

    /// How long what it gives is good for.
    package struct Lifetimes: Sendable {
        /// Seconds, when none are asked for.
        package let usual: Int64
        /// The most seconds that may be asked for.
        package let longest: Int64
        /// The fewest seconds that the vendor lets what is issued hold.
        package let least: Int64
        /// Whether `usual` is only the standard, and may give way to the end of the caller's own credential.
        package let mayShrink: Bool
        /// The last moment that the vendor's format can name, in seconds since 1970; nil for none.
        package let lastMoment: Int64?

        package init(
            usual: Int64, longest: Int64, least: Int64 = 1, mayShrink: Bool = false, lastMoment: Int64? = nil
        ) {
            self.usual = usual
            self.longest = longest
            self.least = least
            self.mayShrink = mayShrink
            self.lastMoment = lastMoment
        }
    }

    /// How often it may be used.
    package struct Rates: Sendable {
        package let perCaller, perGrant: Rate?

        package init(perCaller: Rate? = nil, perGrant: Rate? = nil) {
            self.perCaller = perCaller
            self.perGrant = perGrant
        }
    }

    /// What it gives, and how that is made.
    package struct Issuance: Sendable {
        /// The index of its route in the registry.
        package let route: Int
        /// The index of its credential in the configuration.
        package let credential: Int
        let issuer: any Issuer
        /// What callers are told of its route's fields and its credential's: members of a JSON object.
        package let facts: JSONMembers

        package init(by issuer: any Issuer, on route: Int, with credential: Int, facts: JSONMembers = .none) {
            self.route = route
            self.credential = credential
            self.issuer = issuer
            self.facts = facts
        }
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

    package let entry: Entry
    /// Of its name, by a key that no client knows.
    package let hash: UInt64
    package let principals: Principals
    package let resources: Resources
    package let lifetimes: Lifetimes
    package let rates: Rates
    package let issuance: Issuance
    /// The issuer's answers, kept here so that no request has to ask for them.
    let callersEnd: CallersEnd
    package let neverEnds: Bool
    let takesObscure: Bool
    package let unenforced: [Enforcement]

    package init(
        _ entry: Entry, for principals: Principals, of resources: Resources, lasting lifetimes: Lifetimes,
        at rates: Rates = Rates(), _ issuance: Issuance
    ) {
        self.entry = entry
        hash = RateTable.Identity.hash(entry.name)
        self.principals = principals
        self.resources = resources
        self.lifetimes = lifetimes
        self.rates = rates
        self.issuance = issuance
        callersEnd = issuance.issuer.callersEnd
        neverEnds = issuance.issuer.neverEnds
        takesObscure = issuance.issuer.takesObscure
        unenforced = issuance.issuer.unenforced
    }

    /// What it says that is allowed, but hardly meant.
    package var doubts: [String] { issuer.doubts }
    package var name: [UInt8] { entry.name }
    package var index: Int { entry.index }
    package var description: [UInt8]? { entry.description }
    package var callers: [CallerSelector] { principals.callers }
    package var availability: Availability { principals.availability }
    package var route: Int { issuance.route }
    package var credential: Int { issuance.credential }
    var issuer: any Issuer { issuance.issuer }

    /// Whether the caller's claims are those that it asks for.
    func admits(_ claims: CallerClaims) -> Bool {
        for condition in principals.conditions where !condition.holds(for: claims) { return false }
        return true
    }

    /// Whether callers ask for its objects in the way that the ask does: by a key where it has a prefix, by an extension where its
    /// key has one.
    func takesTarget(of ask: borrowing Ask) -> Bool {
        if ask.key != nil { return !resources.isFixed }
        guard ask.hasExtension, case .key(let template) = resources.target else { return !ask.hasExtension }
        return template.usesExtension
    }

    /// Whether it admits the caller's identity by its name, and not only anybody who is known.
    func namesCaller(_ caller: Caller) -> Bool {
        let (kind, id) = (caller.principal.kind, caller.principal.id)
        return kind != .anonymous && callers.contains(.identity(kind, id: id))
    }

    /// How long something may hold that is issued now, so that it ends with the grant.
    ///
    /// Sessions are remembered by their length. So that a grant's last hour does not have one fetched for every second of it, what
    /// the vendor gives for some minutes at least is given for a whole number of times of that, and a minute is left for the call.
    /// - Parameter now: seconds since 1970.
    func rest(at now: Int64) -> Rest {
        let end = min(lifetimes.lastMoment ?? .max, availability.notAfter ?? .max)
        if end == .max { return .endless }
        var rest = end - now
        let least = lifetimes.least
        if least > 1 { rest = (rest - Grant.callTime) / least * least }
        return rest < least ? .tooShort : .lasts(rest)
    }

    /// Why nothing can be issued that ends with the grant.
    func objectionToTime(at now: Int64) -> Objection {
        if let last = lifetimes.lastMoment, now >= last {
            return Objection("lifetime", "the vendor's tokens cannot name a time so late")
        }
        return Objection("notAfter", "the grant ends before the shortest that the vendor issues would")
    }

    /// How much of a grant is left.
    enum Rest {
        case endless
        /// In seconds.
        case lasts(Int64)
        /// For nothing that the vendor issues.
        case tooShort
    }

    /// Seconds that a call for a session may take, with what the clocks differ by.
    private static let callTime: Int64 = 60

    /// The claims of its callers that it looks at.
    package var claimNames: [[UInt8]] {
        var templates = issuer.vendorName.map { [$0] } ?? []
        switch resources.target {
        case .key(let template), .prefix(let template): templates.append(template)
        case .anything: break
        }
        return principals.conditions.map(\.name) + templates.flatMap(\.claimNames)
    }
}
