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
        if let permitted = answer.permitted { tell(permitted, in: &table) }
        lines += table.lines
        for judged in answer.explanation?.grants ?? [] { lines += ["", ""] + text(of: judged, inColour) }
        if answer.permitted != nil {
            lines += section("What is signed", answer.signed.map { ($0.name, $0.value.text) })
            lines += section(
                "Who holds the bearer to it",
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
        AnswerField("permitted", type: .object, "What it would get; null for nothing."),
        AnswerField("grants", type: .list, "The grants that were looked at, and how each of their clauses was judged."),
        AnswerField("signed", type: .list, "What the credential would say."),
        AnswerField("enforcement", type: .list, "Who holds the bearer to what is permitted."),
    ]

    /// One line.
    package var json: String {
        var out = ByteWriter()
        out.append("{\"verdict\":\"")
        out.append(answer.refusal == nil ? "allow" : "deny")
        out.append("\",\"caller\":")
        out.append(quoted: inquiry.caller.written.text)
        out.append(",\"route\":")
        out.append(quoted: inquiry.description.name)
        out.append(",\"at\":\"")
        ISO8601.write(inquiry.time, into: &out)
        out.append("\",\"refusal\":")
        if let refusal = answer.refusal { out.append(refusal) } else { out.append("null") }
        out.append(",\"permitted\":")
        if let permitted = answer.permitted { out.append(permitted) } else { out.append("null") }
        out.append(",\"grants\":")
        out.append(list: answer.explanation?.grants ?? []) { $0.append($1) }
        let isPermitted = answer.permitted != nil
        out.append(",\"signed\":")
        out.append(list: isPermitted ? answer.signed : []) {
            $0.append(members: [("name", $1.name), ("value", $1.value.text)])
        }
        out.append(",\"enforcement\":")
        out.append(list: isPermitted ? answer.enforcement : []) {
            $0.append(members: [("keeper", $1.keeper.rawValue), ("subject", $1.subject), ("means", $1.means)])
        }
        out.append("}")
        return out.array.text
    }
}

extension ByteWriter {
    fileprivate mutating func append<Element>(list: [Element], _ write: (inout ByteWriter, Element) -> Void) {
        append("[")
        for (index, element) in list.enumerated() {
            if index > 0 { append(",") }
            write(&self, element)
        }
        append("]")
    }

    /// An object of texts; null for none.
    fileprivate mutating func append(members: [(name: StaticString, value: String?)]) {
        for (index, member) in members.enumerated() {
            append(index > 0 ? ",\"" : "{\"")
            append(member.name)
            append("\":")
            if let value = member.value { append(quoted: value) } else { append("null") }
        }
        append("}")
    }

    fileprivate mutating func append(_ refusal: Refusal) {
        append("{\"status\":")
        append(decimal: refusal.status)
        append(",\"code\":\"")
        append(refusal.code.text)
        append("\",\"detail\":")
        append(quoted: refusal.detail)
        append("}")
    }

    fileprivate mutating func append(_ permitted: Explanation.Permitted) {
        append("{\"grant\":")
        append(quoted: permitted.grant.name.text)
        append(",\"bucket\":")
        if permitted.bucket.isEmpty { append("null") } else { append(quoted: permitted.bucket.text) }
        append(permitted.extent == .prefix ? ",\"keyPrefix\":" : ",\"key\":")
        if permitted.key.isEmpty { append("null") } else { append(quoted: permitted.key.text) }
        guard let end = permitted.expiresAt else {
            append(",\"expiresAt\":null,\"expiresIn\":null,\"limitedBy\":null,\"bounds\":[]}")
            return
        }
        append(",\"expiresAt\":\"")
        ISO8601.write(end, into: &self)
        append("\",\"expiresIn\":")
        append(decimal: permitted.lifetime)
        append(",\"limitedBy\":\"")
        append(permitted.limitedBy.name)
        append("\",\"bounds\":")
        append(list: permitted.bounds) { out, bound in
            out.append("{\"limit\":\"")
            out.append(bound.limit.name)
            out.append("\",\"seconds\":")
            out.append(decimal: bound.seconds)
            out.append("}")
        }
        append("}")
    }

    fileprivate mutating func append(_ judged: Explanation.Judged) {
        append("{\"name\":")
        append(quoted: judged.grant.name.text)
        append(",\"fits\":")
        append(judged.fits ? "true" : "false")
        append(",\"clauses\":")
        append(list: judged.findings) { out, finding in
            out.append(members: [
                ("clause", finding.clause.rawValue), ("subject", finding.subject),
                ("outcome", finding.outcome.rawValue),
                ("asked", finding.asked?.text), ("granted", finding.granted?.text), ("reason", finding.reason),
            ])
        }
        append("}")
    }
}
