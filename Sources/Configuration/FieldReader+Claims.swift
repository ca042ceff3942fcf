import Access
import Bytes

extension FieldReader {
    /// The values of a condition, of which one must be the claim: a text, a whole number, true or false, or a list of these; nil
    /// when one of them will not do.
    mutating func claimValues(_ value: JSONValue, _ path: String) -> [ClaimValue]? {
        guard case .array(let elements) = value.content else { return claimValue(value, path).map { [$0] } }
        if elements.isEmpty { report(path, "must name at least one value") }
        var values: [ClaimValue] = []
        problems.note(elements, of: path)
        for (index, element) in elements.enumerated() {
            let elementPath = path.element(index)
            guard let value = claimValue(element, elementPath) else { continue }
            guard !values.contains(value) else {
                report(elementPath, "is in the list already")
                continue
            }
            values.append(value)
        }
        return values.count == elements.count ? values : nil
    }

    private mutating func claimValue(_ value: JSONValue, _ path: String) -> ClaimValue? {
        guard let value = resolved(value, path) else { return nil }
        switch value.content {
        case .string: return literal(value, path).map { .text($0) }
        case .boolean(let flag): return .boolean(flag)
        case .number:
            if let integer = value.integer { return .integer(integer) }
            report(
                path, "must be a whole number of at most 64 bits, without fraction and exponent, to be compared exactly"
            )
        case .null, .array, .object:
            report(path, "must be a string, a whole number, true or false, or a list of these")
        }
        return nil
    }
}
