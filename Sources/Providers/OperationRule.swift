import Access
import Bytes

/// What a grant gives of its vendor's table: some methods, some sub-resources, some headers.
struct OperationRule: Sendable {
    let operations: [OperationTable.Operation]
    private let headers: [[UInt8]]
    /// Headers that are never signed, whatever `headers` says.
    private let refused: [OperationTable.Refused]
    /// The field in which the grant names sub-resources.
    private let field: StaticString
    /// The field in which it names other query parameters.
    private let queryField: StaticString
    /// The query names that the table has and the grant does not give.
    private let withheld: [[UInt8]]

    /// - Parameters:
    ///   - subResources: those that the grant names, and in which field.
    ///   - query: the other query names that the grant lists, and in which field; nil for all that the table has.
    ///   - reach: how much the grant is for.
    init(
        _ table: OperationTable, methods: [[UInt8]], subResources: (names: [[UInt8]], field: StaticString),
        query asked: (names: [[UInt8]], field: StaticString)? = nil, headers: [[UInt8]], reach: OperationTable.Level
    ) throws(FieldProblem) {
        let (names, field) = subResources
        let (query, queryField) = (asked?.names, asked?.field ?? field)
        guard !methods.isEmpty, methods.allSatisfy(table.methods.contains) else {
            throw FieldProblem("methods", "must be of \(OperationRule.list(table.methods)), at least one")
        }
        guard names.allSatisfy(table.subResources.contains) else {
            throw OperationRule.unknown(field.description, table.subResources)
        }
        if let query, !query.allSatisfy(table.query.contains) {
            throw OperationRule.unknown(queryField.description, table.query)
        }
        for name in headers {
            if let reason = OperationTable.refusal(of: name.span, by: table.refused) {
                throw FieldProblem("headers", reason.description)
            }
        }
        guard headers.allSatisfy({ OperationRule.isHeader($0) && OperationTable.has($0, among: table.headers) }) else {
            throw OperationRule.unknown("headers", table.headers)
        }
        let named = table.operations.filter {
            methods.contains($0.method) && $0.subResources.allSatisfy(names.contains)
        }
        var operations = named.filter { $0.reach <= reach }
        for name in names where !operations.contains(where: { $0.subResources.contains(name) }) {
            guard let beyond = named.first(where: { $0.subResources.contains(name) }) else {
                throw FieldProblem(field.description, "\(name.text) needs another method, or another name beside it")
            }
            let without = beyond.reach == .service ? ", and no bucket" : ""
            throw FieldProblem(field.description, "\(name.text) needs unscoped: true\(without)")
        }
        for method in methods where !operations.contains(where: { $0.method == method }) {
            throw FieldProblem("methods", "\(method.text) is signed only for what \(field) does not name")
        }
        for name in query ?? [] where !operations.contains(where: { $0.query.contains(name) }) {
            throw FieldProblem(
                queryField.description, "\(name.text) needs another method, or another sub-resource beside it")
        }
        if let query { operations = operations.map { $0.limited(to: query) } }
        self.operations = operations
        self.headers = headers
        refused = table.refused
        self.field = field
        self.queryField = queryField
        withheld = query.map { given in table.query.filter { !given.contains($0) } } ?? []
    }

    /// What of a request the grant does not admit; nil when it admits all of it.
    /// - Parameters:
    ///   - names: of its query, and what else tells which operation it is.
    ///   - headers: the names of those that are signed beside the signature's own, in lower case.
    func objection(
        to method: [UInt8], _ level: OperationTable.Level, names: [[UInt8]], headers asked: [[UInt8]]
    ) -> Objection? {
        objection(to: method.span, level, names: ListedNames(list: names), headers: ListedNames(list: asked))
    }

    /// Whether anything by this method is admitted.
    func names(method: StaticString) -> Bool { operations.contains { $0.method.span.equals(method) } }

    /// The same of names wherever they stand; it allocates nothing.
    /// - Parameter isAdmitted: whether a header may be signed though the grant does not name it.
    func objection<Names: RequestNames & ~Escapable, Headers: RequestNames & ~Escapable>(
        to method: Span<UInt8>, _ level: OperationTable.Level, names: Names, headers asked: Headers,
        beside isAdmitted: (Span<UInt8>) -> Bool = { _ in false }
    ) -> Objection? {
        var hasMethod = false
        var isMeant = false
        // A span lends its elements, where an array would have each retained.
        let operations = operations.span
        for index in operations.indices
        where operations[index].level == level && method.equals(operations[index].method) {
            hasMethod = true
            if operations[index].isMeant(by: names) { isMeant = true }
        }
        guard hasMethod else { return Objection(outside: "methods", "the method must be one of the grant's") }
        guard isMeant else {
            for name in withheld where names.contains(name.span) {
                return Objection(queryField, "the grant does not list a query parameter that is asked for")
            }
            return Objection(field, "the grant does not name this operation, or there is none")
        }
        if let reason = refusal(of: asked) { return Objection("headers", reason) }
        guard asked.allSatisfy({ isAdmitted($0) || OperationTable.has($0, among: headers) }) else {
            return headers.isEmpty
                ? Objection("headers", "the grant lists none that may be signed")
                : Objection(outside: "headers", "the headers must be among the grant's")
        }
        return nil
    }

    /// Why a header among these is never signed; nil if all may be.
    private func refusal<Headers: RequestNames & ~Escapable>(of headers: Headers) -> StaticString? {
        if refused.isEmpty { return nil }
        var reason: StaticString?
        _ = headers.allSatisfy { name in
            reason = OperationTable.refusal(of: name, by: refused)
            return reason == nil
        }
        return reason
    }

    /// Lower-case letters, digits and hyphens, and a `*` at the end.
    private static func isHeader(_ name: [UInt8]) -> Bool {
        ByteSet.lowercaseLabel.contains(all: name.last == UInt8(ascii: "*") ? name.dropLast() : name[...])
    }

    private static func unknown(_ field: String, _ known: [[UInt8]]) -> FieldProblem {
        FieldProblem(field, "must be of \(list(known)); nothing else is signed for callers (R15)")
    }

    private static func list(_ names: [[UInt8]]) -> String { names.map(\.text).joined(separator: ", ") }
}

extension GrantContext {
    /// How much the grant is for.
    var reach: OperationTable.Level {
        guard case .anything = target else { return .object }
        return bucket == nil ? .service : .bucket
    }
}
