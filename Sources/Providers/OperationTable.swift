import Bytes

/// What of a vendor's requests is signed for callers at all: what is not in the table never is (R15).
///
/// A request is judged by its method, by what it is about, and by the names in its query and of its headers. An operation stands
/// here only if whoever has it signed reaches nothing but the bucket and the key that are judged beside it: none whose target or
/// access list is in a body that is not signed, no copy of another object, no callback.
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
        let query: [[UInt8]]
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

        /// Whether a request with these names in its query is this operation.
        func isMeant(by names: [[UInt8]]) -> Bool {
            subResources.allSatisfy(names.contains)
                && names.allSatisfy { subResources.contains($0) || query.contains($0) }
        }
    }

    let operations: [Operation]
    /// In lower case; one that ends in `*` stands for all that begin so. Those of the signature itself are not among them.
    let headers: [[UInt8]]

    init(_ operations: [Operation], headers: [String] = []) {
        self.operations = operations
        self.headers = headers.map { Array($0.utf8) }
    }

    var methods: [[UInt8]] { OperationTable.once(operations.map(\.method)) }
    var subResources: [[UInt8]] { OperationTable.once(operations.flatMap(\.subResources)) }
    /// The other names that queries may have.
    var query: [[UInt8]] { OperationTable.once(operations.flatMap(\.query)) }

    /// Whether one of `headers` is the header of this name, which is in lower case, or stands for it.
    static func has(_ name: [UInt8], among headers: [[UInt8]]) -> Bool {
        headers.contains { header in
            header.last == UInt8(ascii: "*")
                ? name.count >= header.count && name.starts(with: header.dropLast()) : name == header
        }
    }

    private static func once(_ names: [[UInt8]]) -> [[UInt8]] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
