import Access
import Providers
import Testing

@testable import Configuration

/// A table of `config/README.md`, generated from the descriptions. Its keys are relative to the object that it is about. Fields that
/// grants of several routes share stand in one table.
struct KeyTable: Sendable, CustomTestStringConvertible {
    static let start = "| Key | Type | Default |"
    static let closing = "<!-- end -->"

    let title: String
    let text: String

    var opening: String { "<!-- keys: \(title) -->" }
    var testDescription: String { title }

    private init(_ title: String, _ rows: [KeyRow], tellsRoutes: Bool = false, note: String? = nil) {
        let head =
            tellsRoutes
            ? [KeyTable.start + " Routes | Meaning |", "|---|---|---|---|---|"]
            : [KeyTable.start + " Meaning |", "|---|---|---|---|"]
        let table = rows.isEmpty ? [] : head + rows.flatMap { $0.lines(tellsRoutes: tellsRoutes) }
        self.title = title
        text = ((note.map { rows.isEmpty ? [$0] : [$0, ""] } ?? []) + table).joined(separator: "\n")
    }

    /// One table for the whole file, one for each key of it that is an object, one for what routes share, and one for the credentials
    /// of each provider, for what its routes share, and for the grants of each route.
    static let all: [KeyTable] =
        [KeyTable("the file", Schema.root.descriptions.map { KeyRow($0, named: link(to: $0), showsMembers: false) })]
        + Schema.root.descriptions.compactMap { table(field: $0) }
        + [KeyTable("several routes", SharedFields.ofAll, tellsRoutes: true)]
        + Registry.providers.flatMap { provider in
            [credentials(of: provider), shared(by: provider)].compactMap(\.self) + provider.routes.map(grants(of:))
        }

    private static func table(field: FieldDescription) -> KeyTable? {
        let rows = KeyRow.members(of: field)
        return rows.isEmpty ? nil : KeyTable(field.name, rows)
    }

    /// Its section, where it has one.
    private static func link(to field: FieldDescription) -> String {
        KeyRow.members(of: field).isEmpty ? "`\(field.name)`" : "[`\(field.name)`](#\(field.name.lowercased()))"
    }

    private static func credentials(of provider: ProviderDescription) -> KeyTable? {
        let common = Set(CommonFields.credential.map(\.name))
        let fields = Schema.credential(of: provider).filter { !common.contains($0.name) }
        return fields.isEmpty ? nil : KeyTable("credentials of \(provider.name)", fields.map { KeyRow($0) })
    }

    private static func shared(by provider: ProviderDescription) -> KeyTable? {
        let rows = SharedFields.of(provider)
        return rows.isEmpty ? nil : KeyTable("several routes of \(provider.name)", rows, tellsRoutes: true)
    }

    private static func grants(of route: RouteDescription) -> KeyTable {
        let rows = SharedFields.rows(of: route)
        let notes = [
            note("[Fields of several routes](#fields-of-several-routes)", rows.filter { $0.providers.count > 1 }),
            rows.first { $0.isShared && $0.providers.count == 1 }?.providers.first.flatMap { provider in
                note(
                    "[Fields of several `\(provider)` routes](#fields-of-several-\(provider)-routes)",
                    rows.filter { $0.isShared && $0.providers.count == 1 })
            },
        ].compactMap(\.self)
        return KeyTable(
            route.name, rows.filter { !$0.isShared }, note: notes.isEmpty ? nil : notes.joined(separator: "\n"))
    }

    /// What stands behind the meaning of a key: what can change it, and when it goes.
    static func mark(_ field: FieldDescription) -> String {
        let fixity =
            switch field.fixity {
            case nil: ""
            case .forProcess: " *At start.*"
            case .forService: " *At start, not by SIGUSR2.*"
            }
        let deprecation = field.deprecation.map { " *Deprecated since \($0.since), gone in \($0.end): \($0.instead).*" }
        return fixity + (deprecation ?? "")
    }

    private static func note(_ link: String, _ rows: [KeyRow]) -> String? {
        rows.isEmpty ? nil : "\(link): \(rows.map { "`\($0.name)`" }.joined(separator: ", "))."
    }
}

/// A field as a table shows it, with the fields in it.
private struct KeyRow: Hashable, Sendable {
    let name: String
    private let key, type, standard, meaning: String
    private let members: [KeyRow]

    /// - Parameters:
    ///   - path: what stands before its name.
    ///   - key: what stands in the first column; nil for the name.
    init(_ field: FieldDescription, below path: String = "", named key: String? = nil, showsMembers: Bool = true) {
        let name = path + field.name
        self.name = name
        self.key = key ?? "`\(name)`"
        type = field.kind.words
        standard = field.isRequired ? "required" : field.standardText.map { "`\($0)`" } ?? "–"
        meaning = field.summary.replacing("|", with: "\\|") + KeyTable.mark(field)
        members =
            switch field.kind {
            case .object(let fields) where showsMembers: fields.map { KeyRow($0, below: name + ".") }
            case .objects(let fields) where showsMembers: fields.map { KeyRow($0, below: name + "[].") }
            default: []
            }
    }

    func lines(tellsRoutes: Bool) -> [String] { lines(tellsRoutes ? " \(routeNames) |" : "") }

    private func lines(_ routes: String) -> [String] {
        ["| \(key) | \(type) | \(standard) |\(routes) \(meaning) |"] + members.flatMap { $0.lines(routes) }
    }

    private var routeNames: String { routes.map { "`\($0.name)`" }.joined(separator: ", ") }

    /// Whether grants of several routes have it.
    var isShared: Bool { routes.count > 1 }

    /// The names of those whose routes have it.
    var providers: Set<String> {
        let names = Set(routes.map(\.name))
        return Set(Registry.providers.filter { $0.routes.contains { names.contains($0.name) } }.map(\.name))
    }

    private var routes: [RouteDescription] {
        Registry.routes.map(\.description).filter { SharedFields.rows(of: $0).contains(self) }
    }

    /// The keys of the object, or the objects, that a key of the file holds.
    static func members(of field: FieldDescription) -> [KeyRow] {
        switch (field.kind, field.name) {
        case (.object(let fields), _), (.objects(let fields), _): fields.map { KeyRow($0) }
        case (.members, "credentials"): CommonFields.credential.map { KeyRow($0) }
        case (.members, "grants"): CommonFields.grant.map { KeyRow($0) }
        default: []
        }
    }
}

extension FieldDescription.Kind {
    /// How a table calls it.
    fileprivate var words: String {
        switch self {
        case .string, .vendorText: "text"
        case .choice(let words): words.map { "`\"\($0)\"`" }.joined(separator: " or ")
        case .boolean: "`true` or `false`"
        case .integer(let bounds): Units.describe(bounds)
        case .duration(let bounds):
            "duration, \(Units.ends(durations: bounds).least) to \(Units.ends(durations: bounds).most)"
        case .days(let bounds): "whole days, \(bounds.lowerBound)d to \(bounds.upperBound)d, or a number of days"
        case .size(let bounds): "size, \(Units.range(ofSizes: bounds))"
        case .secret: "[secret](#secrets)"
        case .rate: "[rate](#ratelimit)"
        case .time: "time"
        case .template: "[template](#templates)"
        case .strings: "list of texts, or one text"
        case .object: "object"
        case .objects: "list of objects"
        case .members: "object, its keys your own"
        case .json(let length): "object, its keys your own, \(length) bytes at most"
        }
    }
}

/// Fields that grants of several routes have, alike in every word.
private enum SharedFields {
    /// Those that routes of several providers have.
    static let ofAll = distinct.filter { $0.providers.count > 1 }

    /// Those that only routes of one provider have.
    static func of(_ provider: ProviderDescription) -> [KeyRow] { distinct.filter { $0.providers == [provider.name] } }

    /// What grants of a route hold beside what those of all routes do.
    static func rows(of route: RouteDescription) -> [KeyRow] { byRoute[route.name] ?? [] }

    private static let distinct: [KeyRow] = {
        var rows: [KeyRow] = []
        for row in Registry.routes.flatMap({ SharedFields.rows(of: $0.description) })
        where row.isShared && !rows.contains(row) { rows.append(row) }
        return rows
    }()

    private static let byRoute: [String: [KeyRow]] = {
        let common = Set(CommonFields.grant.map(\.name))
        let rows = Registry.routes.map { route in
            let fields = Schema.grant(of: route.description).filter { !common.contains($0.name) }
            return (route.description.name, fields.map { KeyRow($0) })
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }()
}

/// What belongs to no route and no provider.
private enum CommonFields {
    /// What grants of all routes may hold that have callers.
    static let grant: [FieldDescription] = {
        let routes = Registry.routes.filter(\.description.grant.hasCallers).map { route in
            Schema.grant(of: route.description).filter { field in
                !route.description.grant.fields.contains { $0.name == field.name }
            }
        }
        return (routes.first ?? []).filter { field in routes.allSatisfy { $0.contains { $0.name == field.name } } }
    }()

    /// What credentials may hold that is not their provider's own.
    static let credential: [FieldDescription] = {
        guard let provider = Registry.providers.first else { return [] }
        return Schema.credential(of: provider).filter { field in
            !provider.credentialFields.contains { $0.name == field.name }
        }
    }()
}
