import Bytes
import Inspection

/// An inspection as people and programs read it. What was inspected may be anybody's, so nothing of it reaches a terminal as it
/// is: characters that do not show themselves are written as escapes.
package struct InspectionReport {
    private let inspection: Inspection

    /// Of what was found.
    package init(_ inspection: Inspection) { self.inspection = inspection }

    // MARK: For people

    /// Several lines.
    package func text(inColour: Bool) -> String {
        let width =
            (inspection.facts.map(\.name) + inspection.checks.map(\.name))
            .map { $0.visible.unicodeScalars.count }.filter { $0 <= 32 }.max() ?? 0
        func row(_ name: String, _ value: String) -> String {
            let name = name.visible
            let padding = String(repeating: " ", count: max(0, width - name.unicodeScalars.count))
            return "  \(name)\(padding)  \(value.visible)"
        }
        let colour = inColour ? InspectionReport.colour(of: inspection.verdict) : ""
        let (begin, end) = inColour ? ("\u{1B}[1;\(colour)m", "\u{1B}[0m") : ("", "")
        var lines = ["\(inspection.kind): \(begin)\(inspection.verdict.rawValue)\(end)"]
        lines += inspection.facts.map { row($0.name, $0.value.text) }
        if let end = inspection.endsAt { lines.append(row("ends", ISO8601.write(end).text)) }
        lines.append("")
        for check in inspection.checks {
            let word =
                switch check.outcome {
                case .holds: "ok"
                case .fails: "REFUSED"
                case .open: "not checked"
                }
            let line = row(check.name, check.reason.isEmpty ? word : "\(word): \(check.reason)")
            lines.append(inColour ? "\u{1B}[\(InspectionReport.colour(of: check.outcome))m\(line)\u{1B}[0m" : line)
        }
        return lines.joined(separator: "\n")
    }

    private static func colour(of verdict: Inspection.Verdict) -> String {
        switch verdict {
        case .genuine: "32"
        case .unverified: "33"
        case .refused: "31"
        }
    }

    private static func colour(of outcome: Inspection.Check.Outcome) -> String {
        switch outcome {
        case .holds: "32"
        case .fails: "31"
        case .open: "33"
        }
    }

    // MARK: For programs

    /// One line; what is escaped in text is here, too, as JSON escapes it.
    package var json: String {
        String(json: { $0.add(members) })
    }

    /// The members of `json`.
    var members: JSONMembers {
        JSONMembers { json in
            json.add("kind", inspection.kind)
            json.add("verdict", inspection.verdict.rawValue)
            json.add("expiresAt", time: inspection.endsAt)
            json.add(
                "facts",
                array: { list in
                    for fact in inspection.facts {
                        list.add(object: { json in
                            json.add("name", visible: fact.name)
                            json.add("value", visible: fact.value.text)
                        })
                    }
                })
            json.add(
                "checks",
                array: { list in
                    for check in inspection.checks {
                        list.add(object: { json in
                            json.add("name", visible: check.name)
                            json.add("outcome", check.outcome.rawValue)
                            json.add("reason", visible: check.reason)
                        })
                    }
                })
        }
    }
}
