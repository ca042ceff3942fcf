import Access
import Bytes

/// The requests to a vendor that are signed for callers: a request that is not in the table never is (R15).
///
/// A request is judged by its method, by what it is about, and by the names in its query and of its headers. An operation stands
/// here only if its request reaches nothing but the bucket and the key that are judged beside it: none whose target or access list
/// is in a body that is not signed, no copy of another object, no callback.
struct OperationTable: Sendable {
    /// What a request is about, and how much a grant is for; from the least to the most.
    enum Level: Int, Sendable, Comparable {
        case object, bucket, service

        static func < (less: Level, more: Level) -> Bool { less.rawValue < more.rawValue }
    }

    struct Operation: Sendable {
        let method: [UInt8]
        let level: Level
        /// What makes this operation of the method: a request has all of these, and none that make another.
        let subResources: [[UInt8]]
        /// Other names that its query may have.
        private(set) var query: [[UInt8]]
        /// How much a grant must be for to hold the operation; above `Level.object`, that is an `unscoped` one.
        let reach: Level

        init(
            _ method: String, _ level: Level, _ subResources: [String] = [], query: [String] = [],
            reach: Level = .object
        ) {
            self.method = Array(method.utf8)
            self.level = level
            self.subResources = subResources.map { Array($0.utf8) }
            self.query = query.map { Array($0.utf8) }
            self.reach = reach
        }

        /// The same with no other names in its query than these.
        func limited(to names: [[UInt8]]) -> Operation {
            var limited = self
            limited.query.removeAll { !names.contains($0) }
            return limited
        }

        /// Whether a request with these names in its query is this operation.
        func isMeant<Names: RequestNames & ~Escapable>(by names: Names) -> Bool {
            let needed = subResources.span
            for index in needed.indices where !names.contains(needed[index].span) { return false }
            return names.allSatisfy {
                OperationTable.lists($0, among: subResources) || OperationTable.lists($0, among: query)
            }
        }
    }

    /// Headers that are never signed, though `headers` has them.
    struct Refused: Sendable {
        /// What their names begin with, in lower case.
        let prefix: StaticString
        /// Why, with the prefix.
        let reason: StaticString
    }

    let operations: [Operation]
    let refused: [Refused]
    /// In lower case; one that ends in `*` stands for all that begin so. Those of the signature itself are not among them.
    let headers: [[UInt8]]

    init(_ operations: [Operation], headers: [String] = [], refused: [Refused] = []) {
        self.operations = operations
        self.refused = refused
        self.headers = headers.map { Array($0.utf8) }
    }

    var methods: [[UInt8]] { OperationTable.once(operations.map(\.method)) }
    var subResources: [[UInt8]] { OperationTable.once(operations.flatMap(\.subResources)) }
    /// The other names that queries may have.
    var query: [[UInt8]] { OperationTable.once(operations.flatMap(\.query)) }

    /// Why a header of this name, which is in lower case, is never signed; nil for all others.
    static func refusal(of name: Span<UInt8>, by refused: [Refused]) -> StaticString? {
        for header in refused where name.begins(with: header.prefix) { return header.reason }
        return nil
    }

    /// Whether one of `headers` is the header of this name, which is in lower case, or stands for it.
    static func has(_ name: Span<UInt8>, among headers: [[UInt8]]) -> Bool {
        let headers = headers.span
        for index in headers.indices {
            let header = headers[index].span
            guard !header.isEmpty, header[header.count - 1] == UInt8(ascii: "*") else {
                if name.equals(header) { return true }
                continue
            }
            if name.count >= header.count, name.begins(with: header.extracting(0..<header.count - 1)) { return true }
        }
        return false
    }

    /// Whether a name is one of a list.
    static func lists(_ name: Span<UInt8>, among names: [[UInt8]]) -> Bool {
        // A span lends its elements, where an array would have each retained.
        let names = names.span
        for index in names.indices where name.equals(names[index].span) { return true }
        return false
    }

    static func has(_ name: [UInt8], among headers: [[UInt8]]) -> Bool { has(name.span, among: headers) }

    private static func once(_ names: [[UInt8]]) -> [[UInt8]] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension Field where Value == [[UInt8]]? {
    /// What of a vendor's table a grant lets be signed.
    /// - Parameter what: what the names are of, for the documentation.
    static func signed(_ name: String, _ what: String, of names: [[UInt8]], required: Bool = false) -> Field {
        Field(
            name, .strings, required: required, told: true,
            "The \(what) that may be signed, of \(names.map(\.text).joined(separator: ", ")).")
    }
}

/// The names in a request's query, or of its headers, wherever they stand.
protocol RequestNames: ~Escapable {
    func contains(_ name: Span<UInt8>) -> Bool
    func allSatisfy(_ isFine: (Span<UInt8>) -> Bool) -> Bool
}

struct ListedNames: RequestNames {
    let list: [[UInt8]]

    func contains(_ name: Span<UInt8>) -> Bool { OperationTable.lists(name, among: list) }

    func allSatisfy(_ isFine: (Span<UInt8>) -> Bool) -> Bool {
        for name in list where !isFine(name.span) { return false }
        return true
    }
}
