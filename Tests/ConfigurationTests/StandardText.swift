import Access
import Bytes

@testable import Configuration

extension FieldDescription {
    /// The value that holds when the key is not given, as the documentation shows it; nil where there is none.
    var standardText: String? {
        switch (standard, kind) {
        case (.boolean(let flag)?, _): "\(flag)"
        case (.integer(let number)?, .duration): "\"\(Units.ends(durations: number...number).least)\""
        case (.integer(let number)?, .size) where number > 0: "\"\(Units.describe(size: number))\""
        case (.integer(let number)?, _): "\(number)"
        case (.string(let text)?, _): "\"\(text.text)\""
        case (.strings(let list)?, _): FieldDescription.list(list.map(\.text))
        case (.objects(let list)?, _) where list.isEmpty: "[]"
        case (.rate(let rate)?, _): "\"\(rate.count)/\(rate == Rate(rate.count, in: 1000) ? "s" : "min")\""
        default: nil
        }
    }

    private static func list(_ texts: [String]) -> String {
        let quoted = texts.map { "\"\($0)\"" }
        return quoted.count == 1 ? quoted[0] : "[\(quoted.joined(separator: ", "))]"
    }
}
