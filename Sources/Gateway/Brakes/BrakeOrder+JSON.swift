import Access
import Bytes
import Configuration

/// What the body of `POST /brakes` orders: an object of the members of `Schema.BrakeOrder`.
extension BrakeOrder {
    private static let fields = Schema.BrakeOrder()
    private static let members = fields.descriptions.map(\.name)

    /// - Parameter author: who orders it.
    init(reading body: Span<UInt8>, by author: [UInt8]) throws(Refusal) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(body, as: .json, maximumDepth: 1, maximumValues: 16)
        } catch {
            throw Refusal(.invalidParameter, "the body is not proper JSON at byte \(error.offset): \(error.reason)")
        }
        guard case .object(let members) = value.content else {
            throw Refusal(.invalidParameter, "the body must be a JSON object")
        }
        for member in members where !BrakeOrder.members.contains(where: { $0.utf8.elementsEqual(member.name) }) {
            throw Refusal(
                .unknownParameter,
                "there is a member that is not known; there are \(BrakeOrder.members.joined(separator: ", "))")
        }
        func text(_ field: AnyField) throws(Refusal) -> [UInt8]? {
            guard let member = value[field.name] else { return nil }
            guard let text = member.text else { throw Refusal(.invalidParameter, "\(field.name) must be a string") }
            return text
        }
        guard let kind = try text(BrakeOrder.fields.kind).flatMap({ Brake.Kind(rawValue: $0.text) }) else {
            let kinds = Brake.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(.invalidParameter, "kind must be one of: \(kinds)")
        }
        let reason = try text(BrakeOrder.fields.reason) ?? []
        let subject = Brake.Subject(kind, try text(BrakeOrder.fields.name) ?? [])
        let action = try BrakeOrder.action(value, for: text(BrakeOrder.fields.duration))
        do throws(BrakeFault) { try self.init(action, subject, because: reason, by: author) } catch {
            throw Refusal(.invalidParameter, "\(error)")
        }
    }

    private static func action(_ value: JSONValue, for duration: [UInt8]?) throws(Refusal) -> Action {
        let isRelease: Bool
        switch value[fields.release.name]?.content {
        case nil: isRelease = false
        case .boolean(let flag): isRelease = flag
        default: throw Refusal(.invalidParameter, "\(fields.release.name) must be true or false")
        }
        guard let duration else { return isRelease ? .release : .stop(for: nil) }
        guard !isRelease, let milliseconds = Units.duration(duration), durations.contains(milliseconds) else {
            throw Refusal(
                .invalidParameter,
                "\(fields.duration.name) must be \(Units.describe(durations: durations)), and not stand in a release")
        }
        return .stop(for: milliseconds)
    }
}
