import Access
import HTTP

extension FieldKind where Value == Limits {
    /// An object of the limits that the configuration sets.
    static var limits: Self {
        let fields = Limits.configured.map { (limit: $0, description: description(of: $0)) }
        return Self(
            form: .object(fields.map(\.description)),
            read: { stored in
                guard case .object(let values) = stored else { return nil }
                var limits = Limits()
                for (limit, description) in fields {
                    if case .integer(let value)? = values[description] { limit.set(value, in: &limits) }
                }
                return limits
            },
            store: { limits in
                var values = FieldValues()
                for (limit, description) in fields { values[description] = .integer(limit[limits]) }
                return .object(values)
            })
    }

    private static func description(of limit: Limit) -> FieldDescription {
        let standard = limit[Limits()]
        return switch limit.unit {
        case .bytes:
            Field(limit.name, .size(limit.bounds), default: Int(standard), limit.summary).description
        case .count:
            Field(limit.name, .integer(limit.bounds), default: Int(standard), limit.summary).description
        case .milliseconds:
            Field(limit.name, .duration(limit.bounds), default: standard, limit.summary).description
        }
    }
}
