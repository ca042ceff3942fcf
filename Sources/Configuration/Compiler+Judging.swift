import Access
import Bytes
import Providers

/// All that is wrong with an object is said at once, also where a kind is not known or one problem would hide the next.
extension Compiler {
    /// Has `judge` look at fields, again and again without those with which something is wrong, and reports what it finds.
    /// - Parameter isRead: whether nothing is wrong with any field by itself; else what may only follow from that is not told.
    /// - Returns: what `judge` makes of the fields; nil where anything is wrong with them.
    func judgeAll<Result>(
        _ fields: FieldValues, at path: String, isRead: Bool,
        _ judge: (FieldValues) throws(FieldProblem) -> Result
    ) -> Result? {
        var (rest, isWhole) = (fields, isRead)
        while true {
            do throws(FieldProblem) {
                let result = try judge(rest)
                return isWhole ? result : nil
            } catch {
                guard isWhole || !follows(error, at: path) else { return nil }
                reader.report(path + "." + error.path, error.reason)
                isWhole = false
                guard rest.remove(error.path) else { return nil }
            }
        }
    }

    /// Whether a problem may only follow from another of its object: its key is not given or has been complained of, or it speaks
    /// of a key that has been, or that is missing.
    private func follows(_ problem: FieldProblem, at path: String) -> Bool {
        let own = path + "." + problem.path
        guard reader.problems.knows(own), !reader.problems.hasAny(at: own) else { return true }
        let names = reader.problems.names(below: path) + reader.absentNames
        return names.contains { !$0.isEmpty && problem.reason.contains($0) }
    }

    /// Judges a grant whose route is not known: as one of the route that seems to be meant, else as one of any.
    func judgeGrant(
        ofUnknownRoute member: JSONMember, at path: String, _ defaults: GrantDefaults, _ credentials: Credentials,
        _ identities: Identities
    ) {
        guard case .object = member.value.content else { return }
        let name = member.value["route"]?.text?.text
        let rest = member.value.without("route")
        let routes = Registry.routes.map(\.description)
        if let name, let meant = NearestName.of(name, among: routes.map(\.name)),
            let index = routes.firstIndex(where: { $0.name == meant })
        {
            let keys = Schema.grants[index].filter { $0.name != Schema.routeName }
            let problems = reader.problems.count
            let fields = reader.read(defaults.complete(rest, of: index), path, by: keys)
            judge(
                Draft(path: path, route: index, fields: fields, isRead: reader.problems.count == problems), identities)
            checkCredential(fields[Schema.grantFields.credential], path, credentials)
        } else {
            let fields = reader.judge(rest, path, byAnyOf: routes.map(Schema.grant))
            let longest = routes.map(\.request.maximumKeyLength).max() ?? 0
            checkNames(fields, at: path, maximumKeyLength: longest)
            if let names = fields[Schema.callerFields.callers] {
                _ = compileSelectors(names, path + ".callers", identities)
            }
            checkCredential(fields[Schema.grantFields.credential], path, credentials)
        }
    }

    /// Judges a credential whose provider is not known, as one of any.
    func judgeCredential(ofUnknownProvider value: JSONValue, at path: String) {
        guard case .object = value.content else { return }
        _ = reader.judge(value.without("provider"), path, byAnyOf: Registry.providers.map(Schema.credential))
    }

    private func checkCredential(_ name: [UInt8]?, _ path: String, _ credentials: Credentials) {
        guard let name, credentials.isComplete else { return }
        _ = entry(of: name, path + ".credential", credentials)
    }
}
