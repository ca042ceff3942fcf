import Access
import Bytes
import Crypto

/// Reads objects of the configuration by their descriptions, and collects everything that is wrong instead of stopping.
struct FieldReader {
    private let text: [UInt8]
    private let folder: String
    private let surroundings: Surroundings
    private var offsets: [String: Int] = [:]
    private(set) var problems: [Problem] = []
    private(set) var warnings: [String] = []
    /// Whether a secret stands in the file itself.
    private(set) var hasInlineSecret = false

    init(_ text: [UInt8], folder: String, _ surroundings: Surroundings) {
        self.text = text
        self.folder = folder
        self.surroundings = surroundings
    }

    // MARK: Problems

    /// Notes a problem at a path that has been read, or at the nearest part of it that has.
    mutating func report(_ path: String, _ reason: String) {
        var known = path[...]
        while offsets[String(known)] == nil, let dot = known.lastIndex(where: { $0 == "." || $0 == "[" }) {
            known = known[..<dot]
        }
        problems.append(Problem(path: path, position: position(offsets[String(known)] ?? 0), reason: reason))
    }

    mutating func report(syntax error: JSONError) {
        problems.append(Problem(path: "", position: position(error.offset), reason: error.reason))
    }

    mutating func note(_ path: String, at offset: Int) { offsets[path] = offset }

    private func position(_ offset: Int) -> TextPosition { TextPosition(of: offset, in: text) }

    // MARK: Objects

    /// Reads an object: every key known, none missing, each value as described; keys that are not given have their standard.
    mutating func read(_ value: JSONValue, _ path: String, by descriptions: [FieldDescription]) -> FieldValues {
        offsets[path] = value.offset
        guard case .object(let members) = value.content else {
            report(path, "must be an object { … }")
            return FieldValues()
        }
        var values = FieldValues()
        for member in members {
            let name = member.name.text
            let memberPath = join(path, name)
            offsets[memberPath] = member.nameOffset
            guard let description = descriptions.first(where: { $0.name.utf8.elementsEqual(member.name) }) else {
                report(memberPath, unknown(name, among: descriptions.map(\.name)))
                continue
            }
            values[description.name] = check(member.value, memberPath, description.kind)
        }
        for description in descriptions where !members.contains(where: { $0.name.elementsEqual(description.name.utf8) })
        {
            if description.isRequired { report(path, "needs \(description.name)") }
            if let standard = standard(of: description) { values[description.name] = standard }
        }
        return values
    }

    private mutating func standard(of description: FieldDescription) -> FieldValues.Value? {
        guard let text = description.standard else {
            // An object that is not given is one with every standard, unless it must hold something.
            guard case .object(let fields) = description.kind, !fields.contains(where: \.isRequired) else { return nil }
            var values = FieldValues()
            for field in fields { values[field.name] = standard(of: field) }
            return .object(values)
        }
        guard let value = try? JSONReader.read(Array(text.utf8), as: .json) else { return nil }
        return check(value, description.name, description.kind)
    }

    func unknown(_ name: String, among known: [String]) -> String {
        if let nearest = NearestName.of(name, among: known) { return "is not known; did you mean \(nearest)?" }
        return "is not known; there are \(known.sorted().joined(separator: ", "))"
    }

    func join(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    // MARK: Values

    private mutating func check(
        _ value: JSONValue, _ path: String, _ kind: FieldDescription.Kind
    ) -> FieldValues.Value? {
        switch kind {
        case .string: return string(value, path).map { .string($0) }
        case .choice(let words):
            if case .string(let bytes) = value.content, words.contains(where: { $0.utf8.elementsEqual(bytes) }) {
                return .string(bytes)
            }
            report(path, "must be \(words.map { "\"\($0)\"" }.joined(separator: " or "))")
        case .boolean:
            if case .boolean(let flag) = value.content { return .boolean(flag) }
            report(path, "must be true or false")
        case .integer(let bounds):
            if case .number(let number) = value.content, let integer = number.integer, bounds.contains(integer) {
                return .integer(integer)
            }
            report(path, "must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
        case .duration(let bounds):
            if case .string(let bytes) = value.content, let time = Units.duration(bytes), bounds.contains(time) {
                return .integer(time)
            }
            let (least, most) = (
                Units.describe(milliseconds: bounds.lowerBound), Units.describe(milliseconds: bounds.upperBound)
            )
            report(path, "must be a duration such as \"10s\", \"15m\" or \"1h\", from \(least) to \(most)")
        case .size(let bounds):
            if let size = size(value), bounds.contains(size) { return .integer(size) }
            let (least, most) = (Units.describe(bytes: bounds.lowerBound), Units.describe(bytes: bounds.upperBound))
            report(path, "must be a size such as \"8KiB\" or a number of bytes, from \(least) to \(most)")
        case .time:
            if case .string(let bytes) = value.content, let time = ISO8601.parse(bytes.span) { return .integer(time) }
            report(path, "must be a time in UTC such as \"2027-01-01T00:00:00Z\"")
        case .template: return template(value, path)
        case .strings: return strings(value, path)
        case .secret: return secret(value, path).map { .secret($0) }
        case .object(let fields): return .object(read(value, path, by: fields))
        case .objects(let fields): return objects(value, path, fields)
        case .members:
            if case .object(let members) = value.content { return .members(members) }
            report(path, "must be an object { name: …, … }")
        }
        return nil
    }

    private mutating func string(_ value: JSONValue, _ path: String) -> [UInt8]? {
        guard case .string(let bytes) = value.content else {
            report(path, "must be a string")
            return nil
        }
        guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            report(path, "must not be empty, nor have control characters")
            return nil
        }
        return bytes
    }

    private func size(_ value: JSONValue) -> Int64? {
        switch value.content {
        case .string(let bytes): Units.size(bytes)
        case .number(let number): number.integer
        case .null, .boolean, .array, .object: nil
        }
    }

    private mutating func template(_ value: JSONValue, _ path: String) -> FieldValues.Value? {
        guard let bytes = string(value, path) else { return nil }
        do throws(KeyTemplate.Fault) {
            return .template(try KeyTemplate(bytes))
        } catch {
            report(path, error.reason)
            return nil
        }
    }

    private mutating func strings(_ value: JSONValue, _ path: String) -> FieldValues.Value? {
        guard case .array(let elements) = value.content else {
            if case .string = value.content { return string(value, path).map { .strings([$0]) } }
            report(path, "must be a list of strings")
            return nil
        }
        var list: [[UInt8]] = []
        for (index, element) in elements.enumerated() {
            offsets["\(path)[\(index)]"] = element.offset
            if let bytes = string(element, "\(path)[\(index)]") { list.append(bytes) }
        }
        return .strings(list)
    }

    private mutating func objects(
        _ value: JSONValue, _ path: String, _ fields: [FieldDescription]
    ) -> FieldValues.Value? {
        guard case .array(let elements) = value.content else {
            report(path, "must be a list of objects")
            return nil
        }
        var list: [FieldValues] = []
        for (index, element) in elements.enumerated() { list.append(read(element, "\(path)[\(index)]", by: fields)) }
        return .objects(list)
    }

    // MARK: Secrets

    private static let source = "must be a string, { env: \"NAME\" } or { file: \"PATH\" }"

    private mutating func secret(_ value: JSONValue, _ path: String) -> Secret? {
        switch value.content {
        case .string(let bytes) where !bytes.isEmpty:
            hasInlineSecret = true
            return Secret(bytes)
        case .object(let members) where members.count == 1:
            guard case .string(let bytes) = members[0].value.content, !bytes.isEmpty else { break }
            if members[0].name.elementsEqual("env".utf8) { return secret(fromVariable: bytes.text, path) }
            if members[0].name.elementsEqual("file".utf8) { return secret(fromFile: bytes.text, path) }
        case .string, .object, .null, .boolean, .number, .array: break
        }
        report(path, FieldReader.source)
        return nil
    }

    private mutating func secret(fromVariable name: String, _ path: String) -> Secret? {
        guard let value = surroundings.variable(name), !value.isEmpty else {
            report(path, "the environment variable \(name) is not set, or empty")
            return nil
        }
        return Secret(Array(value.utf8))
    }

    private mutating func secret(fromFile name: String, _ path: String) -> Secret? {
        let place = name.hasPrefix("/") ? name : folder + "/" + name
        guard let file = surroundings.file(place) else {
            report(path, "the file \(place) cannot be read")
            return nil
        }
        if file.isWorldReadable {
            // The orchestrators mount secrets there, readable by all of the container.
            guard ["/run/secrets/", "/var/run/secrets/"].contains(where: place.hasPrefix) && !place.contains("/../")
            else {
                report(path, "anybody on this machine can read \(place); chmod 600 it")
                return nil
            }
            warnings.append("\(path): anybody in this container can read \(place)")
        }
        var bytes = file.bytes
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else {
            report(path, "the file \(place) is empty")
            return nil
        }
        return Secret(bytes)
    }
}
