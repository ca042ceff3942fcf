import Access
import Bytes
import Crypto

/// Reads objects of the configuration by their descriptions, and collects everything that is wrong instead of stopping.
struct FieldReader {
    let folder: String
    let environment: Environment
    var problems: ProblemList
    var warnings: [String] = []
    /// Whether secrets are read from where they are said to be; else they are left out.
    var readsSecrets = true
    /// The keys that are missing, and what unknown ones seem to be meant for, wherever they stand.
    private(set) var absentNames: Set<String> = []
    /// The deprecated keys that are given, each once.
    private(set) var deprecated: [DeprecatedKey] = []
    /// The first secret that stands in the file itself.
    var inlineSecret: String?

    /// - Parameter folder: where relative paths begin.
    init(_ text: [UInt8], folder: String, _ environment: Environment) {
        self.folder = folder
        self.environment = environment
        problems = ProblemList(in: text)
    }

    // MARK: Problems

    /// Notes a problem at a path that has been read, or at the nearest part of it that has.
    ///
    /// Who reads a value is given its path as a closure: a path is made where something is wrong, and most texts are right.
    mutating func report(_ path: String, _ reason: @autoclosure () -> String) { problems.add(path, reason) }

    mutating func report(syntax error: JSONError, in text: [UInt8]) {
        problems.add("", at: error.offset) { SyntaxHint(error, in: text).text }
    }

    /// What to say of a name that is none of the known ones.
    static func unknown(_ name: String, among known: [String]) -> String {
        unknown(meaning: NearestName.of(name, among: known), among: known)
    }

    private static func unknown(meaning nearest: String?, among known: [String]) -> String {
        if let nearest { return "is not known; did you mean \(nearest)?" }
        return (1...40).contains(known.count) ? "is not known; there are \(list(known.sorted()))" : "is not known"
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }

    // MARK: Paths

    /// The path of an element of a list; of the list itself where its one element stands without brackets.
    mutating func join(_ path: String, _ index: Int) -> String {
        let element = path.element(index)
        return problems.knows(element) ? element : path
    }

    /// Notes where a member is, and returns its path.
    mutating func note(_ member: JSONMember, in path: String) -> String {
        let memberPath = path.member(member.name)
        problems.note(memberPath, at: member.nameOffset)
        return memberPath
    }

    /// Notes a key that is given, if it is deprecated.
    private mutating func note(_ description: FieldDescription, at path: @autoclosure () -> String) {
        guard let deprecation = description.deprecation else { return }
        let key = DeprecatedKey(path: path(), deprecation)
        if !deprecated.contains(key) { deprecated.append(key) }
    }

    // MARK: Objects

    /// Reads an object: every key known, none missing, each value as described. Keys that are not given have their
    /// standard.
    mutating func read(_ value: JSONValue, _ path: String, by descriptions: [FieldDescription]) -> FieldValues {
        guard let members = members(value, path) else { return FieldValues() }
        var (values, isGiven) = read(given: members, path, by: descriptions)
        for index in descriptions.indices where !isGiven[index] {
            if descriptions[index].isRequired {
                absentNames.insert(descriptions[index].name)
                report(path, "needs \(descriptions[index].name)")
            }
            if let absent = descriptions[index].absent { values[descriptions[index]] = absent }
        }
        return values
    }

    /// Reads the members that are given, and nothing that is not.
    /// - Returns: their values, and for each description whether it is given. What an unknown key seems to be meant for is given, if
    ///   not understood.
    mutating func read(
        given members: [JSONMember], _ path: String, by descriptions: [FieldDescription]
    ) -> (values: FieldValues, isGiven: [Bool]) {
        var values = FieldValues(capacity: descriptions.count)
        var isGiven = [Bool](repeating: false, count: descriptions.count)
        problems.note(members, of: path)
        for member in members {
            let name = member.name
            guard let index = descriptions.firstIndex(where: { $0.nameBytes == name }) else {
                let names = descriptions.map(\.name)
                let nearest = problems.isFull ? nil : NearestName.of(name.text, among: names)
                if let nearest {
                    absentNames.insert(nearest)
                    if let index = names.firstIndex(of: nearest) { isGiven[index] = true }
                }
                report(path.member(name), FieldReader.unknown(meaning: nearest, among: names))
                continue
            }
            isGiven[index] = true
            note(descriptions[index], at: path.member(name))
            values[descriptions[index]] = check(member.value, path.member(name), descriptions[index].kind)
        }
        return (values, isGiven)
    }

    /// Judges an object that may be any of several kinds: each key known to one of them, each value as one of them has it.
    /// - Parameter kinds: the keys of each.
    /// - Returns: what could be read.
    mutating func judge(_ value: JSONValue, _ path: String, byAnyOf kinds: [[FieldDescription]]) -> FieldValues {
        var values = FieldValues()
        for member in members(value, path) ?? [] {
            let memberPath = note(member, in: path)
            let known = kinds.flatMap { $0 }
            let candidates = known.filter { $0.name.utf8.elementsEqual(member.name) }
            guard let first = candidates.first else {
                report(memberPath, FieldReader.unknown(member.name.text, among: Array(Set(known.map(\.name)))))
                continue
            }
            var readings = candidates.lazy.map { [self] candidate in
                var reader = self
                let value = reader.check(member.value, memberPath, candidate.kind)
                return (reader: reader, description: candidate, value: value)
            }.makeIterator()
            var taken = readings.next()
            while let reading = taken, reading.reader.problems.count > problems.count { taken = readings.next() }
            if let taken {
                self = taken.reader
                note(taken.description, at: memberPath)
                values[taken.description] = taken.value
            } else {
                _ = check(member.value, memberPath, first.kind)
            }
        }
        return values
    }

    /// The same of a group's keys.
    mutating func read<Group: FieldGroup>(_ value: JSONValue, _ path: String, _ group: Group) -> Settings<Group> {
        Settings(read(value, path, by: group.descriptions), of: group)
    }

    /// Reads the key of an object that says by which descriptions to read the rest: its index among the known words.
    mutating func kind(_ name: String, of value: JSONValue, _ path: String, among known: [String]) -> Int? {
        guard let members = members(value, path) else { return nil }
        guard let member = members.first(where: { $0.name.elementsEqual(name.utf8) }) else {
            report(path, "needs \(name), one of \(FieldReader.list(known))")
            return nil
        }
        problems.note([member], of: path)
        return word(member.value, path.member(member.name), among: known)
    }

    /// Reads one of the known words: its index among them.
    mutating func word(_ value: JSONValue, _ path: @autoclosure () -> String, among known: [String]) -> Int? {
        guard let value = resolved(value, path()) else { return nil }
        guard case .string(let name) = value.content else {
            report(path(), "must be one of \(FieldReader.list(known))")
            return nil
        }
        if let index = known.firstIndex(where: { $0.utf8.elementsEqual(name) }) { return index }
        report(path(), FieldReader.unknown(name.text, among: known))
        return nil
    }

    private mutating func members(_ value: JSONValue, _ path: String) -> [JSONMember]? {
        if case .object(let members) = value.content { return members }
        report(path, "must be an object { … }")
        return nil
    }

    // MARK: Values

    private mutating func check(
        _ value: JSONValue, _ path: @autoclosure () -> String, _ kind: FieldDescription.Kind
    ) -> FieldValues.Value? {
        guard let value = kind.isText ? resolved(value, path()) : value else { return nil }
        switch kind {
        case .string:
            guard let text = string(value, path()) else { return nil }
            // An operator that writes ${caller.id} where it is not filled in expects a bound that is not there.
            if FieldReader.hasPlaceholder(text) {
                report(path(), "must not contain ${, since nothing is filled in here")
            }
            return .string(text)
        case .vendorText: return string(value, path()).map { .string($0) }
        case .choice(let words):
            if case .string(let bytes) = value.content, words.contains(where: { $0.utf8.elementsEqual(bytes) }) {
                return .string(bytes)
            }
            report(path(), "must be \(words.map { "\"\($0)\"" }.joined(separator: " or "))")
        case .boolean:
            if let flag = boolean(value, path()) { return .boolean(flag) }
        case .integer(let bounds):
            if case .number(let number) = value.content, let integer = number.integer, bounds.contains(integer) {
                return .integer(integer)
            }
            report(path(), "must be \(Units.describe(bounds))")
        case .duration(let bounds):
            if let time = duration(value), bounds.contains(time), !Units.isSplit(time, within: bounds) {
                return .integer(time)
            }
            report(path(), "must be \(Units.describe(durations: bounds))")
        case .size(let bounds):
            if let size = size(value), bounds.contains(size) { return .integer(size) }
            report(path(), "must be \(Units.describe(sizes: bounds))\(Units.hint(forSize: value.text))")
        case .days(let bounds):
            if let days = days(value), bounds.contains(days) { return .integer(days) }
            report(path(), "must be \(Units.describe(days: bounds))")
        case .rate:
            if case .null = value.content { return nil }
            if case .string(let bytes) = value.content, let rate = Units.rate(bytes) { return .rate(rate) }
            report(path(), "must be \(Units.rateForm), or null for none")
        case .time:
            if case .string(let bytes) = value.content, let time = ISO8601.parse(bytes.span) { return .integer(time) }
            report(path(), "must be a time in UTC such as \"2027-01-01T00:00:00Z\"")
        case .template: return template(value, path())
        case .strings: return strings(value, path()).map { .strings($0) }
        case .secret: return readsSecrets ? secret(value, path()).map { .secret($0) } : nil
        case .object(let fields): return .object(read(value, path(), by: fields))
        case .objects(let fields): return objects(value, path(), fields)
        case .json(let length): return json(value, path(), maximumLength: length)
        case .members:
            if case .object(let members) = value.content { return .members(members) }
            report(path(), "must be an object { name: …, … }")
        }
        return nil
    }

    /// A text, or that of an environment variable.
    mutating func string(_ value: JSONValue, _ path: @autoclosure () -> String) -> [UInt8]? {
        resolved(value, path()).flatMap { literal($0, path()) }
    }

    /// A text that stands in the file.
    mutating func literal(_ value: JSONValue, _ path: @autoclosure () -> String) -> [UInt8]? {
        guard case .string(let bytes) = value.content else {
            report(path(), "must be a string")
            return nil
        }
        guard CharacterRule.isText(bytes) else {
            report(path(), "must not be empty, nor have control characters")
            return nil
        }
        if let placeholder = CharacterRule.placeholder(in: bytes) {
            report(path(), "put your own value in place of \(placeholder)")
            return nil
        }
        return bytes
    }

    /// Whether there is something in a text that looks like a placeholder of a template.
    static func hasPlaceholder(_ text: [UInt8]) -> Bool {
        zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: "$") && $1 == UInt8(ascii: "{") }
    }

    private func duration(_ value: JSONValue) -> Int64? {
        if case .string(let bytes) = value.content { Units.duration(bytes) } else { nil }
    }

    private func size(_ value: JSONValue) -> Int64? {
        switch value.content {
        case .string(let bytes): Units.size(bytes)
        case .number(let number): number.integer
        case .null, .boolean, .array, .object: nil
        }
    }

    private func days(_ value: JSONValue) -> Int64? {
        switch value.content {
        case .string(let bytes): Units.days(bytes)
        case .number(let number): number.integer
        case .null, .boolean, .array, .object: nil
        }
    }

    private mutating func template(_ value: JSONValue, _ path: @autoclosure () -> String) -> FieldValues.Value? {
        guard let bytes = string(value, path()) else { return nil }
        do throws(KeyTemplate.Fault) {
            return .template(try KeyTemplate(bytes))
        } catch {
            report(path(), error.reason)
            return nil
        }
    }

    /// A list of different texts; nil when one of them will not do, so that the others keep their indices.
    mutating func strings(_ value: JSONValue, _ path: @autoclosure () -> String) -> [[UInt8]]? {
        guard let value = resolved(value, path()) else { return nil }
        guard case .array(let elements) = value.content else {
            if case .string = value.content { return literal(value, path()).map { [$0] } }
            report(path(), "must be a list of strings\(FieldReader.example(instead: value, path()))")
            return nil
        }
        var list: [[UInt8]] = []
        var known: Set<[UInt8]> = []
        if !elements.isEmpty { problems.note(elements, of: path()) }
        for (index, element) in elements.enumerated() {
            guard let bytes = string(element, path().element(index)) else { continue }
            guard known.insert(bytes).inserted else {
                report(path().element(index), "is in the list already")
                continue
            }
            list.append(bytes)
        }
        return list.count == elements.count ? list : nil
    }

    /// What to write for a port alone, where an address belongs.
    private static func example(instead value: JSONValue, _ path: String) -> String {
        guard path.hasSuffix("listen"), let port = value.integer, (0...65_535).contains(port) else { return "" }
        return "; write [\"127.0.0.1:\(port)\"]"
    }

    private mutating func objects(
        _ value: JSONValue, _ path: String, _ fields: [FieldDescription]
    ) -> FieldValues.Value? {
        guard case .array(let elements) = value.content else {
            report(path, "must be a list of objects")
            return nil
        }
        var list: [FieldValues] = []
        problems.note(elements, of: path)
        for (index, element) in elements.enumerated() {
            list.append(read(element, path.element(index), by: fields))
        }
        return .objects(list)
    }
}
