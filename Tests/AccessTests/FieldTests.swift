import Bytes
import Testing

@testable import Access

/// What the configuration says, read by the declarations of its keys.
struct FieldTests {
    private enum Mood: String, CaseIterable {
        case calm, cross
    }

    private enum Level: String, CaseIterable {
        case publicRead = "public-read"
    }

    private struct Inner: FieldGroup {
        let patience = Field("patience", .duration(0...10_000), default: 1_500, "How long it waits.")
    }

    private struct Shared: FieldGroup {
        let name = Field("name", .string, required: true, told: true, "What it is called.")
    }

    private struct Group: FieldGroup {
        let size = Field("size", .size(0...100), default: 7, fixed: .forProcess, "How large it is.")
        let shared = Shared()
        let inner = Field("inner", object: Inner(), "What it holds.")
        let mood = Field("mood", .choice(Mood.self), default: .calm, "How it feels.")
        let level = Field("level", .choice(Level.self), "Who reads it.")
        let rate = Field("rate", default: Rate(30, in: 60_000), "How often.")
        let list = Field("list", .objects(Inner()), default: [], "Several of them.")
    }

    private let group = Group()

    @Test func `the keys of a group are its properties, in their order, with those of groups in it`() {
        let fields = group.descriptions
        #expect(fields.map(\.name) == ["size", "name", "inner", "mood", "level", "rate", "list"])
        #expect(fields.filter(\.isRequired).map(\.name) == ["name"])
        #expect(fields.filter { $0.fixity == .forProcess }.map(\.name) == ["size"])
        #expect(fields.filter(\.isTold).map(\.name) == ["name"])
        guard case .choice(let moods) = fields[3].kind, case .choice(let levels) = fields[4].kind,
            case .object(let inner) = fields[2].kind
        else {
            Issue.record("they are of other kinds")
            return
        }
        #expect(moods == ["calm", "cross"] && levels == ["public-read"] && inner.map(\.name) == ["patience"])
    }

    @Test func `what is not given reads as its default, and what has none as nil`() {
        let empty = Settings(of: group)
        #expect(empty.size == 7 && empty.inner.patience == 1_500 && empty.mood == .calm && empty.list.isEmpty)
        #expect(empty.shared.name == nil && empty.level == nil)
        // Null lifts a rate, and is nothing in the values.
        #expect(empty.rate == nil)
        #expect(empty.checked(\.size) == nil)
    }

    @Test func `what is set is read back, in objects and lists too`() {
        var settings = Settings(of: group)
        var inner = Settings(of: Inner())
        inner.patience = 3
        settings.size = 9
        settings.inner.patience = 20
        settings.mood = .cross
        settings.level = .publicRead
        settings.list = [inner]
        settings.values[group.shared.name] = Array(text: "n")
        #expect(settings.size == 9 && settings.checked(\.size) == 9 && settings.inner.patience == 20)
        #expect(settings.mood == .cross && settings.level == .publicRead && settings.list.map(\.patience) == [3])
        #expect(settings.shared.name == Array(text: "n"))
        settings.level = nil
        #expect(settings.level == nil && settings.checked(\.level) == nil)
    }

    @Test func `a value of another type than the key's reads as if it were not given`() {
        var settings = Settings(of: group)
        settings.values[group.size.description] = .boolean(true)
        settings.values[group.mood.description] = .string(Array(text: "sad"))
        #expect(settings.size == 7 && settings.mood == .calm)
    }
}
