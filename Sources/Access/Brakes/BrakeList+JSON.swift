import Bytes

/// Why a text is no list of brakes, or something cannot be stopped or set free.
package struct BrakeFault: Error, CustomStringConvertible, Sendable {
    package let description: String
    /// Whether it is what was ordered that is wrong; else it is the file.
    package let isMistake: Bool

    package init(_ description: String, isMistake: Bool = false) {
        self.description = description
        self.isMistake = isMistake
    }
}

/// The list as a JSON object, as it stands in files and elsewhere:
/// `{"version":1,"brakes":[{"kind":"grant","name":"photos","reason":"…","by":"…","at":1764057600000,"until":null,"released":false}]}`.
/// Times are in milliseconds since 1970. What is read is outside input: one form, bounded, and nothing that is not known.
extension BrakeList {
    /// The longest text that is read, in bytes: what Redis gives in one answer has room for it. Lists that are merged are no longer.
    package static let maximumLength = 4_000_000
    /// The most entries that a text may have, without the one for `all`.
    package static let most = 10_000

    private static let version: Int64 = 1
    private static let members = ["kind", "name", "reason", "by", "at", "until", "released"]

    package init(reading text: Span<UInt8>) throws(BrakeFault) {
        guard text.count <= BrakeList.maximumLength else {
            throw BrakeFault("is longer than \(BrakeList.maximumLength) bytes")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(
                text, as: .json, maximumDepth: 3,
                maximumValues: (BrakeList.members.count + 1) * (BrakeList.most + 1) + 3)
        } catch {
            throw BrakeFault("is not proper JSON at byte \(error.offset): \(error.reason)")
        }
        guard case .object(let members) = value.content, members.count == 2,
            value["version"]?.integer == BrakeList.version, case .array(let entries)? = value["brakes"]?.content
        else { throw BrakeFault("must be {\"version\": \(BrakeList.version), \"brakes\": […]}, and nothing else") }
        guard entries.count <= BrakeList.most + 1 else { throw BrakeFault("has more than \(BrakeList.most) brakes") }
        var brakes: [Brake] = []
        for (index, entry) in entries.enumerated() {
            do throws(BrakeFault) { brakes.append(try Brake(reading: entry)) } catch {
                throw BrakeFault("brakes[\(index)] \(error)")
            }
        }
        self.init(brakes)
        guard self.brakes.count == brakes.count else { throw BrakeFault("has two brakes of the same kind and name") }
        guard counted <= BrakeList.most else { throw BrakeFault("has more than \(BrakeList.most) brakes") }
    }

    /// As one line.
    package var text: [UInt8] { BrakeList.text(of: brakes) }

    /// The bytes of `text`, or somewhat more.
    package var length: Int {
        // Most lists are short, however long their entries are.
        if brakes.count * Brake.longestText <= BrakeList.maximumLength { return brakes.count * Brake.longestText }
        return BrakeList.frame + brakes.reduce(0) { $0 + $1.textLength }
    }

    /// The first of some entries, as many as a text has room for beside one for `all`.
    static func fitting(_ brakes: some Sequence<Brake>) -> [Brake] {
        var length = frame
        return Array(
            brakes.prefix { brake in
                length += brake.textLength
                return length <= maximumLength - Brake.longestStopOfAll
            })
    }

    /// The bytes of a text without entries.
    private static let frame = text(of: []).count

    private static func text(of brakes: [Brake]) -> [UInt8] {
        var out = ByteWriter()
        out.append(object: { json in
            json.add("version", version)
            json.add("brakes", array: { list in for brake in brakes { list.add(object: { $0.add(brake) }) } })
        })
        out.append("\n")
        return out.array
    }
}

extension Brake {
    /// The longest name, in bytes: that of a caller by a token has its subject in it.
    package static let longestName = 1024
    /// The longest reason, in bytes.
    package static let longestReason = 512
    /// The longest name of an author, in bytes.
    package static let longestAuthor = 256
    /// The bytes of an entry of a list, with a comma.
    fileprivate var textLength: Int {
        var out = ByteWriter()
        out.append(object: { $0.add(self) })
        return out.count + 1
    }

    /// At most as many: each byte of a text may be written as two.
    fileprivate static let longestText = 2 * (longestName + longestReason + longestAuthor) + 256

    /// The most bytes of the entry for `all`, which has no name.
    static let longestStopOfAll = 2 * (longestReason + longestAuthor) + 256

    /// The year 9999, in milliseconds since 1970.
    package static let lastMoment: Int64 = 253_402_300_799_999

    /// - Throws: what is wrong, without its name.
    fileprivate init(reading value: JSONValue) throws(BrakeFault) {
        guard case .object(let members) = value.content, members.count == 7,
            let kind = value["kind"]?.text.flatMap({ Kind(rawValue: $0.text) }),
            let name = value["name"]?.text, let reason = value["reason"]?.text, let author = value["by"]?.text,
            let at = value["at"]?.integer, let end = value["until"],
            case .boolean(let isReleased)? = value["released"]?.content
        else {
            throw BrakeFault(
                "must have kind (\(Kind.allCases.map(\.rawValue).joined(separator: ", "))), name, reason, by, at, until and "
                    + "released, and nothing else")
        }
        if let fault = Brake.fault(inNameOf: Subject(kind, name)) { throw BrakeFault(fault) }
        if let fault = Brake.fault(inReason: reason) { throw BrakeFault(fault) }
        guard Brake.isAuthor(author) else {
            throw BrakeFault("by must be 1 to \(Brake.longestAuthor) bytes without control characters")
        }
        let until: Int64?
        switch end.content {
        case .null: until = nil
        case .number(let number): until = number.integer ?? -1
        default: until = -1
        }
        guard (0...Brake.lastMoment).contains(at),
            until.map({ !isReleased && (0...Brake.lastMoment).contains($0) }) ?? true
        else {
            throw BrakeFault(
                "at and until must be milliseconds since 1970, and until null where there is no end and in a release")
        }
        self.init(Subject(kind, name), because: reason, by: author, at: at, until: until, isReleased: isReleased)
    }

    /// Why nothing can have such a name; nil where something can.
    package static func fault(inNameOf subject: Subject) -> String? {
        let name = subject.name
        switch subject.kind {
        case .all: return name.isEmpty ? nil : "name must be empty for all"
        case .caller:
            if isText(name, atMost: longestName), BrakeTable.isCaller(name) { return nil }
            return "name must be a caller: anonymous, apiKey:ID, certificate:ID, jwt:ID/SUBJECT or ticket:ID"
        case .grant, .credential, .issuer:
            return isText(name, atMost: longestName)
                ? nil : "name must be 1 to \(longestName) bytes without control characters"
        }
    }

    /// Why a text is no reason; nil where it is one.
    package static func fault(inReason reason: [UInt8]) -> String? {
        isText(reason, atMost: longestReason)
            ? nil : "reason must be 1 to \(longestReason) bytes without control characters"
    }

    /// Whether a text can be an author's name.
    package static func isAuthor(_ author: [UInt8]) -> Bool { isText(author, atMost: longestAuthor) }

    private static func isText(_ bytes: [UInt8], atMost most: Int) -> Bool {
        (1...most).contains(bytes.count) && !bytes.span.hasControlCharacters
    }
}

extension JSONObject {
    fileprivate mutating func add(_ brake: Brake) {
        add("kind", Array(text: brake.subject.kind.rawValue))
        add("name", brake.subject.name)
        add("reason", brake.reason)
        add("by", brake.by)
        add("at", brake.at)
        if let until = brake.until { add("until", until) } else { addNull("until") }
        add("released", brake.isReleased)
    }
}
