import Access
import Bytes
import Inspection
import Providers

/// Why an inquiry was decided as it was, as people and programs read it. What was asked may be anybody's, so nothing of it
/// reaches a terminal as it is.
package struct ExplanationReport {
    private let answer: Explainer.Answer

    /// Of what came of an inquiry.
    package init(_ answer: Explainer.Answer) { self.answer = answer }

    private var inquiry: Inquiry { answer.inquiry }

    // MARK: For people

    /// Several lines.
    package func text(inColour: Bool) -> String {
        let verdict = answer.refusal == nil ? "allowed" : "refused"
        var lines = [
            "\(inquiry.description.name) for \(shown(inquiry.caller.written)): "
                + coloured(verdict, answer.refusal == nil ? .good : .bad, inColour)
        ]
        var table = Table()
        table.row("at", ISO8601.write(inquiry.time).text)
        if let refusal = answer.refusal {
            table.row("code", "\(refusal.code.text) (HTTP \(refusal.status))")
            table.row("reason", refusal.detail)
        }
        if let brake = answer.brake { table.row("stopped", brake.words) }
        if let permitted = answer.permitted { tell(permitted, in: &table) }
        lines += table.lines
        for judged in answer.explanation?.grants ?? [] { lines += ["", ""] + text(of: judged, inColour) }
        if answer.permitted != nil {
            lines += section("What is signed", answer.signed.map { ($0.name, $0.value.text) })
            lines += section(
                "Who enforces it",
                answer.enforcement.map { ($0.keeper.rawValue, "\($0.subject): \($0.means)") })
        }
        return lines.joined(separator: "\n").replacing("\n\n\n", with: "\n\n")
    }

    private func tell(_ permitted: Explanation.Permitted, in table: inout Table) {
        table.row("grant", permitted.grant.name.text)
        if !permitted.bucket.isEmpty { table.row("bucket", permitted.bucket.text) }
        if !permitted.key.isEmpty {
            table.row(permitted.extent == .prefix ? "key prefix" : "key", permitted.key.text)
        }
        // An answer of the vendor's own does not end.
        guard !inquiry.description.answer.token.isEmpty else { return }
        guard let end = permitted.expiresAt else { return table.row("ends", "never") }
        table.row("ends", "\(ISO8601.write(end).text), in \(permitted.lifetime) s")
        table.row("limited by", permitted.limitedBy.name.description)
        let bounds = permitted.bounds.map { "\($0.limit.name) \($0.seconds) s" }
        table.row("of", bounds.joined(separator: ", "))
    }

    private func text(of judged: Explanation.Judged, _ inColour: Bool) -> [String] {
        let hasWon = judged.grant === answer.permitted?.grant
        let (word, tone): (String, Table.Tone) =
            hasWon ? ("wins", .good) : judged.fits ? ("fits, too", .odd) : ("does not admit it", .bad)
        var table = Table()
        if let description = judged.grant.description { table.row("description", description.text) }
        for finding in judged.findings {
            let (word, tone): (String, Table.Tone) =
                switch finding.outcome {
                case .holds: ("ok", .good)
                case .fails: ("REFUSED", .bad)
                case .open: ("not reached", .odd)
                }
            table.row(finding.subject, ExplanationReport.words(finding, word), inColour ? tone : nil)
        }
        return ["grant \(shown(judged.grant.name)): \(coloured(word, tone, inColour))"] + table.lines
    }

    private static func words(_ finding: Explanation.Finding, _ outcome: String) -> String {
        var words = outcome
        if !finding.reason.isEmpty { words += ": \(finding.reason)" }
        if let asked = finding.asked { words += "; asked: \(asked.text)" }
        if let granted = finding.granted { words += "; granted: \(granted.text)" }
        return words
    }

    private func section(_ title: String, _ rows: [(String, String)]) -> [String] {
        guard !rows.isEmpty else { return [] }
        var table = Table()
        for (name, value) in rows { table.row(name, value) }
        return ["", title] + table.lines
    }

    private func shown(_ text: [UInt8]) -> String { text.text.visible }

    private func coloured(_ text: String, _ tone: Table.Tone, _ inColour: Bool) -> String {
        inColour ? "\u{1B}[1;\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }

    // MARK: For programs

    /// The members of `json`, in order.
    static let members = [
        AnswerField("verdict", "`allow` or `deny`."), AnswerField("caller", "Who asks."),
        AnswerField("route", "What is asked for."), AnswerField("at", "When it is asked."),
        AnswerField("refusal", type: .object, "What the caller would be told; null where it would get something."),
        AnswerField("brake", type: .object, "What the operator has stopped, if that is why; else null."),
        AnswerField("permitted", type: .object, "What it would get; null for nothing."),
        AnswerField("grants", type: .list, "The grants that were looked at, and how each of their clauses was judged."),
        AnswerField("signed", type: .list, "What the credential would say."),
        AnswerField("enforcement", type: .list, "Who enforces what is permitted: `vendor`, `service` or `nobody`."),
    ]

    /// One line.
    package var json: String {
        var out = ByteWriter()
        let isPermitted = answer.permitted != nil
        out.append(object: { json in
            json.add("verdict", answer.refusal == nil ? "allow" : "deny")
            json.add("caller", visible: inquiry.caller.written.text)
            json.add("route", visible: inquiry.description.name)
            json.add("at", time: inquiry.time)
            if let refusal = answer.refusal {
                json.add("refusal", object: { $0.add(refusal) })
            } else {
                json.addNull("refusal")
            }
            if let brake = answer.brake {
                json.add("brake", object: { $0.add(told: brake, at: inquiry.time) })
            } else {
                json.addNull("brake")
            }
            if let permitted = answer.permitted {
                json.add("permitted", object: { $0.add(permitted) })
            } else {
                json.addNull("permitted")
            }
            json.add(
                "grants",
                array: { list in
                    for judged in answer.explanation?.grants ?? [] { list.add(object: { $0.add(judged) }) }
                })
            json.add(
                "signed",
                array: { list in
                    for fact in isPermitted ? answer.signed : [] {
                        list.add(object: { json in
                            json.add("name", visible: fact.name)
                            json.add("value", visible: fact.value.text)
                        })
                    }
                })
            json.add(
                "enforcement",
                array: { list in
                    for held in isPermitted ? answer.enforcement : [] {
                        list.add(object: { json in
                            json.add("keeper", visible: held.keeper.rawValue)
                            json.add("subject", visible: held.subject)
                            json.add("means", visible: held.means)
                        })
                    }
                })
        })
        return out.array.text
    }
}

extension JSONObject {
    fileprivate mutating func add(_ refusal: Refusal) {
        add("status", refusal.status)
        add("code", refusal.code.text)
        add("detail", visible: refusal.detail)
    }

    fileprivate mutating func add(_ permitted: Explanation.Permitted) {
        add("grant", visible: permitted.grant.name.text)
        add("bucket", visible: permitted.bucket.isEmpty ? nil : permitted.bucket.text)
        add(
            permitted.extent == .prefix ? "keyPrefix" : "key", visible: permitted.key.isEmpty ? nil : permitted.key.text
        )
        let end = permitted.expiresAt
        add("expiresAt", time: end)
        if end != nil {
            add("expiresIn", permitted.lifetime)
            add("limitedBy", permitted.limitedBy.name)
        } else {
            addNull("expiresIn")
            addNull("limitedBy")
        }
        add(
            "bounds",
            array: { list in
                for bound in end == nil ? [] : permitted.bounds {
                    list.add(object: { json in
                        json.add("limit", bound.limit.name)
                        json.add("seconds", bound.seconds)
                    })
                }
            })
    }

    fileprivate mutating func add(_ judged: Explanation.Judged) {
        add("name", visible: judged.grant.name.text)
        if let description = judged.grant.description { add("description", visible: description.text) }
        add("fits", judged.fits)
        add(
            "clauses",
            array: { list in
                for finding in judged.findings {
                    list.add(object: { json in
                        json.add("clause", visible: finding.clause.rawValue)
                        json.add("subject", visible: finding.subject)
                        json.add("outcome", visible: finding.outcome.rawValue)
                        json.add("asked", visible: finding.asked?.text)
                        json.add("granted", visible: finding.granted?.text)
                        json.add("reason", visible: finding.reason)
                    })
                }
            })
    }
}
