import Access
import Audit
import Bytes
import Configuration
import Providers

/// What was issued, before a brake, of what it covers, and holds still: as far as the audit says, which is not verified. A brake takes
/// back nothing that somebody has: only the vendor can, and each credential says how.
package struct IssuedBefore: Sendable {
    /// What was issued with one credential.
    struct Credential: Sendable {
        let name: String
        /// Nil for one that the configuration does not have any more.
        let provider: ProviderDescription?
        let revocations: [Revocation]
        /// How many hold still, with those that never end.
        var count = 0
        /// How many of them never end.
        var endless = 0
        /// When the last of the others ends, in seconds since 1970.
        var until: Int64?

        init(_ name: String, of configuration: Configuration.BrakeTarget) {
            let credential = configuration.credentials.first { $0.name == name }
            self.name = name
            let provider = credential.flatMap { Registry.provider(named: $0.provider) }
            self.provider = provider
            revocations = credential.flatMap { provider?.revocations($0.fields) } ?? []
        }
    }

    /// By their names; where nothing is on record, all that there are.
    private(set) var credentials: [Credential]
    /// Whether there is an audit to tell.
    let isRecorded: Bool
    /// Whether all of it was looked at.
    let isComplete: Bool

    /// - Parameter now: seconds since 1970.
    package init(
        _ subject: Brake.Subject, of configuration: Configuration.BrakeTarget, at now: Int64
    ) throws(AuditFault) {
        guard let file = configuration.auditFile else {
            let names = configuration.credentials.map(\.name)
            let covered = subject.kind == .credential ? [subject.name.text] : names
            credentials = covered.map { Credential($0, of: configuration) }
            (isRecorded, isComplete) = (false, false)
            return
        }
        var found: [String: Credential] = [:]
        if subject.kind == .credential { found[subject.name.text] = Credential(subject.name.text, of: configuration) }
        let search = try AuditSearch(of: file, with: IssuedBefore.sign(of: subject)) { line in
            guard let issued = IssuedLine(line, covered: subject), issued.end.map({ $0 > now }) ?? true else { return }
            var credential = found[issued.credential] ?? Credential(issued.credential, of: configuration)
            credential.count += 1
            if let end = issued.end {
                credential.until = max(end, credential.until ?? end)
            } else {
                credential.endless += 1
            }
            found[issued.credential] = credential
        }
        credentials = found.values.sorted { $0.name < $1.name }
        (isRecorded, isComplete) = (true, search.isComplete)
    }

    /// What each line has in it of what is covered.
    private static func sign(of subject: Brake.Subject) -> [UInt8] {
        let name = subject.name.text
        return switch subject.kind {
        case .all: member("event", "issued")
        case .grant: member("grant", name)
        case .credential: member("credential", name)
        // A subject comes behind it.
        case .issuer: member("principal", "jwt:\(name)/").dropLast()
        case .caller where name.hasPrefix("ticket:"): member("ticket", String(name.dropFirst(7)))
        case .caller: member("principal", name)
        }
    }

    private static func member(_ name: StaticString, _ value: String) -> [UInt8] {
        var out = ByteWriter()
        out.append(members: { $0.add(name, value) })
        return out.array
    }
}

/// What the audit's line of an issued credential says of it.
private struct IssuedLine {
    let credential: String
    /// Seconds since 1970; nil for what never ends.
    let end: Int64?

    /// Nil for any other line, and for what the brake does not cover: a text may stand in another member.
    init?(_ line: [UInt8], covered subject: Brake.Subject) {
        guard let value = try? JSONReader.read(line, as: .json, maximumDepth: 2, maximumValues: 64),
            value["event"]?.text?.text == "issued", let credential = value["credential"]?.text?.text,
            let time = value["time"]?.text.flatMap({ ISO8601.parse($0.span) })
        else { return nil }
        let (name, principal) = (subject.name.text, value["principal"]?.text?.text ?? "")
        let isCovered =
            switch subject.kind {
            case .all: true
            case .grant: value["grant"]?.text?.text == name
            case .credential: credential == name
            case .issuer: principal.hasPrefix("jwt:\(name)/")
            case .caller:
                principal == name || value["ticket"].flatMap(\.text).map { "ticket:\($0.text)" == name } ?? false
            }
        guard isCovered else { return nil }
        self.credential = credential
        if let lifetime = value["lifetime"]?.integer, (0...Brake.lastMoment / 1000).contains(lifetime) {
            end = time + lifetime
        } else {
            end = nil
        }
    }
}

// MARK: - For people and programs

extension IssuedBefore {
    /// Several lines.
    package var text: String {
        var lines: [String] = []
        if !isRecorded {
            lines.append("what was issued before is not known: the configuration has no audit")
        } else if credentials.allSatisfy({ $0.count == 0 }) {
            lines.append("nothing that was issued before is still out, as the audit says")
        } else {
            lines.append("what was issued before is still out, as the audit says:")
        }
        if isRecorded, !isComplete { lines.append("(files of the audit that lie further back were not read)") }
        for credential in credentials {
            let vendor = credential.provider.map { " (\($0.title))" } ?? ", which the configuration does not have"
            lines.append(
                "  credential \(credential.name.visible)\(vendor)\(isRecorded ? ": \(credential.standing)" : "")")
            for revocation in credential.revocations {
                lines.append("    \(revocation.subject.visible): \(revocation.means.visible)")
                lines.append("      ends \(revocation.effect.visible)")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The members of `write`, in order; none of them in the answer to a release.
    static let members = [
        AnswerField("recorded", type: .boolean, "Whether there is an audit that tells what was issued before."),
        AnswerField("complete", type: .boolean, "Whether all of it was looked at."),
        AnswerField(
            "issuedBefore", type: .list, "What was issued before and holds still, by credential.", items: items),
    ]

    private static let items = [
        AnswerField("credential", "The credential's name."),
        AnswerField("provider", "The vendor; null for a credential of the past."),
        AnswerField("count", type: .integer, "How many hold still."),
        AnswerField("endless", type: .integer, "How many of them never end."),
        AnswerField("until", "When the last of the others ends, in UTC; null for none."),
        AnswerField("revocations", type: .list, "What at the vendor ends them: `subject`, `means` and `effect`."),
    ]

    package func write(into json: inout JSONObject) {
        json.add("recorded", isRecorded)
        json.add("complete", isComplete)
        json.add(
            "issuedBefore",
            array: { list in for credential in credentials { list.add(object: { $0.add(credential) }) } })
    }
}

extension IssuedBefore.Credential {
    fileprivate var standing: String {
        guard count > 0 else { return "nothing" }
        let ends = until.map { ", the last until \(ISO8601.write($0).text)" } ?? ""
        return "\(count)\(ends)\(endless > 0 ? "; \(endless) of them never end" : "")"
    }
}

extension JSONObject {
    fileprivate mutating func add(_ credential: IssuedBefore.Credential) {
        add("credential", visible: credential.name)
        add("provider", visible: credential.provider?.name)
        add("count", credential.count)
        add("endless", credential.endless)
        add("until", time: credential.until)
        add(
            "revocations",
            array: { list in
                for revocation in credential.revocations {
                    list.add(object: { json in
                        json.add("subject", visible: revocation.subject)
                        json.add("means", visible: revocation.means)
                        json.add("effect", visible: revocation.effect)
                    })
                }
            })
    }
}
