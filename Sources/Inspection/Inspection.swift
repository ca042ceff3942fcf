import Access
import Bytes
import Crypto
import Providers

/// A report on a token, a URL, a request or a form: what it says, and whether the vendor would take it.
///
/// Facts and reasons may hold anything that was inspected, so reports escape them. Neither a signature nor a secret
/// is ever among them: what a signature should have been would be one to use.
package struct Inspection: Sendable {
    /// What the thing says of itself; the text of an integer is decimal, of other JSON it is JSON.
    package struct Fact: Sendable, Equatable {
        package let name: String
        package let value: [UInt8]
    }

    /// One of the things that the vendor looks at.
    package struct Check: Sendable, Equatable {
        package enum Outcome: String, Sendable {
            case holds, fails
            /// It cannot be told here.
            case open
        }

        package let name: String
        package let outcome: Outcome
        /// Why, and what would be right; empty where there is nothing to add.
        package let reason: String
    }

    package enum Verdict: String, Sendable {
        /// All that the vendor looks at holds, the signature first.
        case genuine
        /// Nothing that can be told here speaks against it.
        case unverified
        /// The vendor would not take it.
        case refused
    }

    /// What it is, for people: `Qiniu upload token`.
    package let kind: String
    package private(set) var facts: [Fact] = []
    package private(set) var checks: [Check] = []
    /// When it ends, in seconds since 1970; nil for what does not, or does not say.
    package private(set) var endsAt: Int64?

    package init(_ kind: String) { self.kind = kind }

    package var verdict: Verdict {
        if checks.contains(where: { $0.outcome == .fails }) { return .refused }
        let isSigned = checks.contains { $0.name == "signature" }
        return isSigned && checks.allSatisfy { $0.outcome == .holds } ? .genuine : .unverified
    }

    // MARK: Noting

    package mutating func tell(_ name: String, _ value: [UInt8]) { facts.append(Fact(name: name, value: value)) }

    package mutating func tell(_ name: String, _ value: String) { tell(name, Array(value.utf8)) }

    /// - Parameter value: a string is told as it is, anything else as JSON.
    package mutating func tell(_ name: String, _ value: JSONValue) {
        if case .string(let text) = value.content { return tell(name, text) }
        var out = ByteWriter()
        out.append(json: value)
        tell(name, out.array)
    }

    package mutating func holds(_ name: String, _ reason: String = "") { note(name, .holds, reason) }

    package mutating func fails(_ name: String, _ reason: String) { note(name, .fails, reason) }

    package mutating func leavesOpen(_ name: String, _ reason: String) { note(name, .open, reason) }

    private mutating func note(_ name: String, _ outcome: Check.Outcome, _ reason: String) {
        checks.append(Check(name: name, outcome: outcome, reason: reason))
    }
}

// MARK: - Time

extension Inspection {
    /// Notes when it ends, and whether it has.
    /// - Parameter leeway: for how many seconds more it is taken.
    package mutating func ends(at end: Int64, now: Int64, leeway: Int64 = 0) {
        endsAt = end
        let (last, overflow) = end.addingReportingOverflow(leeway)
        if end > now {
            holds("expiry", "it ends in \(TimeSpan.words(from: now, to: end))")
        } else if overflow || last > now {
            holds("expiry", "it has ended, but for the leeway of \(leeway) s")
        } else {
            fails("expiry", "it ended \(TimeSpan.words(from: end, to: now)) ago")
        }
    }

    /// Notes a dated request, which vendors take for a while around its date.
    mutating func isDated(at date: Int64, tolerance: Int64, now: Int64) {
        tell("date", ISO8601.write(date))
        let (end, overflow) = date.addingReportingOverflow(tolerance)
        ends(at: overflow ? .max : end, now: now)
        begins(at: date, tolerance: tolerance, now: now)
    }

    /// Notes a request that says when it was made in a field of the vendor's or in Date; false, having noted why, where it
    /// does not.
    @discardableResult
    mutating func isDated(
        _ request: InspectedRequest, by own: StaticString, tolerance: Int64, now: Int64
    ) -> Bool {
        guard let moment = (request.field(own) ?? request.field("date")).flatMap({ HTTPDate.parse($0.span) }) else {
            fails("date", "Date or \(own) must be such as Sun, 06 Nov 1994 08:49:37 GMT")
            return false
        }
        isDated(at: moment, tolerance: tolerance, now: now)
        return true
    }

    /// Notes what is signed for later only if it is.
    mutating func begins(at start: Int64, tolerance: Int64, now: Int64) {
        let (ahead, overflow) = start.subtractingReportingOverflow(now)
        guard overflow ? start > now : ahead > tolerance else { return }
        fails("date", "it begins in \(TimeSpan.words(from: now, to: start)) only")
    }
}

// MARK: - Keys and signatures

extension Inspection {
    /// The configured key that this access key names, having noted whether there is one.
    /// - Parameter token: whether a temporary key's token comes with it, whose secret nobody here has.
    mutating func key(
        _ accessKey: [UInt8], of keyring: Keyring, isTemporary token: Bool = false
    ) -> Keyring.Entry? {
        tell("access key", accessKey)
        guard let entries = keyring.entries else {
            leavesOpen("signature", "no configuration was given to check it by")
            return nil
        }
        if let entry = entries.first(where: { $0.key.accessKey == accessKey }) {
            holds("access key", "it is that of the credential \(entry.credential)")
            return entry
        }
        if token {
            leavesOpen("signature", "it is by a temporary key, whose secret only its holder and the vendor have")
        } else {
            fails("access key", "no credential of the configuration has it")
        }
        return nil
    }

    /// Notes whether a signature is the right one.
    /// - Parameters:
    ///   - claimed: the signature as it stands in what is inspected.
    ///   - computed: what it is by the configured key; any of several is right.
    mutating func isSigned(_ claimed: [UInt8], as computed: [[UInt8]], otherwise reason: String) {
        let secret = Secret(claimed)
        let matches = computed.map { secret.constantTimeEquals(Secret($0)) }
        if matches.contains(true) { holds("signature") } else { fails("signature", reason) }
    }

    /// Notes that no signature could be made to compare with.
    mutating func isUnsignable(_ error: IssueError) {
        switch error {
        case .unsignable(let reason): fails("form", reason.description)
        case .deadlineTooLate: fails("expiry", "the vendor's format cannot hold a time so late")
        case .crypto, .nothingToSign: leavesOpen("signature", "it cannot be computed here")
        }
    }
}

// MARK: - Answers of the service

extension Inspection {
    /// Notes where the answer that it stood in says something else.
    package mutating func compare(with answer: JSONValue) {
        for (member, name) in [("bucket", "bucket"), ("key", "key"), ("object", "key"), ("keyPrefix", "key prefix")] {
            guard case .string(let said)? = answer[member]?.content,
                let fact = facts.first(where: { $0.name == name }), fact.value != said
            else { continue }
            fails("answer", "\(member) beside it is not what is signed")
        }
    }
}
