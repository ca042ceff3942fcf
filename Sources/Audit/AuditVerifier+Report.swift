import Bytes
import Crypto

extension AuditVerifier {
    package var headText: String { Hex.encode(head.bytes.array).text }

    /// For programs: members of an object.
    package borrowing func write(into json: inout JSONObject) {
        json.add("whole", problems.isEmpty)
        json.add("lines", lines)
        if let first { json.add("first", first) } else { json.addNull("first") }
        json.add("last", last)
        json.add("head", headText)
        json.add("unsynced", unsynced)
        json.add("problems", array: { list in for problem in problems { list.add(object: { $0.add(problem) }) } })
        json.add("moreProblems", others)
    }
}

extension JSONObject {
    fileprivate mutating func add(_ problem: AuditVerifier.Problem) {
        add("kind", problem.kind.rawValue)
        add("file", problem.file)
        add("line", problem.line)
        if !problem.numbers.isEmpty {
            add("from", problem.numbers.lowerBound)
            add("to", problem.numbers.upperBound - 1)
        }
        add("reason", problem.reason)
    }
}

extension AuditVerifier.Problem {
    /// What is wrong, for people.
    package var reason: String {
        let which =
            numbers.count == 1
            ? "line \(numbers.lowerBound)" : "lines \(numbers.lowerBound) to \(numbers.upperBound - 1)"
        let (are, have) = numbers.count == 1 ? ("is", "has") : ("are", "have")
        switch kind {
        case .edited:
            return "\(which) \(have) been edited, or chained anew without the key "
                + "(or under an earlier key: give `--key-file` of it as well)"
        case .foreign: return "this is no line of an audit"
        case .removed: return "\(which) \(are) missing before this one"
        case .reordered: return "\(which) \(are) not where \(numbers.count == 1 ? "it was" : "they were") written"
        case .broken: return "\(which) \(are) not what goes on from the line before; a chain begins anew here"
        case .empty: return "there is no line, and an audit of nothing is not whole"
        case .cutOff: return "the end is cut off here: the last line is not whole, or the expected head does not come"
        }
    }
}
