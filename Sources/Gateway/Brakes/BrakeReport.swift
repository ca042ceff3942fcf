import Access
import Bytes
import Providers

/// What the operator has stopped, as people and programs read it.
package struct BrakeReport {
    private let brakes: [Brake]
    private let now: Int64

    /// - Parameter now: seconds since 1970.
    package init(_ list: BrakeList, at now: Int64) {
        brakes = list.brakes
        self.now = now
    }

    /// A line for each that is in force.
    package var text: String {
        let lines = brakes.filter { $0.isInForce(at: now) }.map(\.words)
        return lines.isEmpty ? "nothing is stopped" : lines.joined(separator: "\n")
    }

    /// The members of each in `write`, in order.
    static let members = [
        AnswerField("kind", "What is stopped: `\(Brake.Kind.allCases.map(\.rawValue).joined(separator: "`, `"))`."),
        AnswerField("name", "Its name; empty for `all`."),
        AnswerField("state", "`inForce`, `ended` or `released`."),
        AnswerField("reason", "Why, in the operator's words."), AnswerField("by", "Who has stopped or released it."),
        AnswerField("at", "When, in UTC."), AnswerField("until", "When it ends by itself, in UTC; null for never."),
    ]

    /// All, those too that were released or have ended.
    func write(into list: inout JSONArray) {
        for brake in brakes { list.add(object: { $0.add(told: brake, at: now) }) }
    }

    /// One line.
    package var json: String {
        String(json: { json in json.add("brakes", array: { write(into: &$0) }) })
    }

    /// What has come of an order, as one line.
    /// - Parameters:
    ///   - before: what was issued before it; nil for a release, and where that cannot be told.
    ///   - now: seconds since 1970.
    package static func json(of brake: Brake, after before: IssuedBefore?, at now: Int64) -> String {
        String(json: { json in
            json.add("brake", object: { $0.add(told: brake, at: now) })
            before?.write(into: &json)
        })
    }
}

extension Brake {
    /// One line for people.
    package var words: String {
        let end = until.map { ", until \(ISO8601.write(($0 + 999) / 1000).text)" } ?? ""
        return "\(subject.text), by \(by.text) at \(ISO8601.write(at / 1000).text)\(end): \(reason.text)".visible
    }
}

extension JSONObject {
    /// - Parameter now: seconds since 1970.
    mutating func add(told brake: Brake, at now: Int64) {
        add("kind", brake.subject.kind.rawValue)
        add("name", visible: brake.subject.name.text)
        add("state", brake.isReleased ? "released" : brake.isInForce(at: now) ? "inForce" : "ended")
        add("reason", visible: brake.reason.text)
        add("by", visible: brake.by.text)
        add("at", time: brake.at / 1000)
        add("until", time: brake.until.map { ($0 + 999) / 1000 })
    }
}
