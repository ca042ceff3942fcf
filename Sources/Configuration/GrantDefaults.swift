import Access
import Bytes
import Providers

/// Default values for grants. A key stands whole where it is said: first in the grant, then for its route,
/// then for all grants. Nothing is merged into it.
struct GrantDefaults {
    /// By the route's index in the registry.
    private var members = [[JSONMember]](repeating: [], count: Registry.routes.count)
    /// The indices of the routes that have defaults of their own.
    let routes: Set<Int>

    /// - Parameters:
    ///   - shared: of all grants.
    ///   - routes: of the grants of routes, by the route's index.
    init(_ shared: [JSONMember], routes: [Int: [JSONMember]]) {
        self.routes = Set(routes.keys)
        guard !shared.isEmpty || !routes.isEmpty else { return }
        for (index, fields) in Schema.grants.enumerated() {
            let known = shared.filter { member in fields.contains { $0.name.utf8.elementsEqual(member.name) } }
            members[index] = GrantDefaults.complete(routes[index] ?? [], by: known).filter { !$0.value.isNull }
        }
    }

    /// A grant with the defaults of its route. `null` in the grant takes a default away.
    func complete(_ grant: JSONValue, of route: Int) -> JSONValue {
        let defaults = members[route]
        guard !defaults.isEmpty, case .object(let own) = grant.content else { return grant }
        let kept = own.filter { member in
            !member.value.isNull || !defaults.contains { $0.name == member.name }
        }
        let others = defaults.filter { member in !own.contains { $0.name == member.name } }
        return JSONValue(offset: grant.offset, content: .object(kept + others))
    }

    private static func complete(_ own: [JSONMember], by others: [JSONMember]) -> [JSONMember] {
        own + others.filter { other in !own.contains { $0.name == other.name } }
    }
}

extension JSONValue {
    /// From the name of a member of an object to that of the next one; nil where there is no such member.
    func range(ofMember name: String) -> Range<Int>? {
        guard case .object(let members) = content,
            let index = members.firstIndex(where: { $0.name.elementsEqual(name.utf8) })
        else { return nil }
        return members[index].nameOffset..<(index + 1 < members.count ? members[index + 1].nameOffset : .max)
    }

    var isNull: Bool { if case .null = content { true } else { false } }
}

extension Compiler {
    /// Reads `defaults`: what is wrong there is told once, at the default and not at each grant that has it.
    func compileDefaults(_ fields: Settings<Schema.Defaults>) -> GrantDefaults {
        let shared = fields.grants ?? []
        checkShared(shared, "defaults.grants")
        var routes: [Int: [JSONMember]] = [:]
        for member in fields.routes ?? [] {
            let path = reader.note(member, in: "defaults.routes")
            guard let index = Schema.routeNames.firstIndex(where: { $0.utf8.elementsEqual(member.name) }) else {
                reader.report(path, FieldReader.unknown(member.name.text, among: Schema.routeNames))
                continue
            }
            guard case .object(let members) = member.value.content else {
                reader.report(path, "must be an object { … }")
                continue
            }
            // With null a route has no default where all grants have one.
            let known = members.filter { member in
                !member.value.isNull || !shared.contains { $0.name == member.name }
            }
            _ = reader.read(given: known, path, by: Schema.grants[index].filter { $0.name != Schema.routeName })
            routes[index] = members
        }
        return GrantDefaults(shared, routes: routes)
    }

    private func checkShared(_ members: [JSONMember], _ path: String) {
        var known: [JSONMember] = []
        for member in members {
            let isShared = Schema.sharedGrantFields.contains { $0.name.utf8.elementsEqual(member.name) }
            let owner = Schema.grants.firstIndex { fields in fields.contains { $0.name.utf8.elementsEqual(member.name) }
            }
            guard !isShared, let owner, !member.name.elementsEqual(Schema.routeName.utf8) else {
                known.append(member)
                continue
            }
            let route = Registry.routes[owner].description.name
            reader.report(
                reader.note(member, in: path),
                "is not a key of every route; say it in defaults.routes[\"\(route)\"] or in the grants")
        }
        _ = reader.read(given: known, path, by: Schema.sharedGrantFields)
    }

    /// Defaults of a route that no grant has may be meant for another.
    func warn(ofUnused defaults: GrantDefaults, by grants: [Grant]) {
        for index in defaults.routes.sorted() where !grants.contains(where: { $0.route == index }) {
            let path = "defaults.routes".member(Array(Registry.routes[index].description.name.utf8))
            reader.warnings.append("\(path): no grant is of this route")
        }
    }
}
