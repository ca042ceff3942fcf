/// One operation that is measured, under a name of its own.
struct Row: Sendable {
    let name: String
    /// Nanoseconds that it should not take longer than; nil where nothing is said.
    let slowest: Double?
    /// Makes what the operation needs, which is not measured, and gives the operation.
    let prepare: @Sendable (Workbench) throws -> Operation

    /// It is to be called again and again, and throws when it has not done what it should.
    typealias Operation = () throws -> Void

    /// All that there are, in the order of the report.
    static let all = Chapter.all.flatMap(\.rows)

    init(_ name: String, slowest: Double? = nil, _ prepare: @escaping @Sendable (Workbench) throws -> Operation) {
        self.name = name
        self.slowest = slowest
        self.prepare = prepare
    }
}

/// An operation that cannot be measured, or has not done what it should.
struct RowError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The rows of a room or a provider, with what a service's configuration must hold for them.
struct Chapter: Sendable {
    /// Members of the configuration's `credentials` and `grants`, each ended by a comma.
    var credentials = ""
    var grants = ""
    let rows: [Row]

    static let all = [
        counter, bytes, crypto, http, access, tokens, qiniu, nos, oss, ossForms, ossCallback, sts, s3, awsSTS, service,
    ]
}
