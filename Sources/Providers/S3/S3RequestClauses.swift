import Access
import Bytes

/// What a grant says of requests about one object, whether the service writes them or a client has.
struct S3RequestClauses: Sendable {
    private let rule: OperationRule
    private let body: BodyClauses
    /// Whether a body's size must be signed.
    private let isSizeNeeded: Bool
    private let overwrites: Bool
    /// Clauses that the endpoint's server may not enforce.
    let unenforced: [Enforcement]

    struct Fields: FieldGroup {
        let methods, headers, subresources, query: Field<[[UInt8]]?>
        let contentTypes = Field(
            "contentTypes", .strings, told: true,
            "Content types of uploads. A PUT of an object and the POST that begins an upload in parts must have one of them; `image/*` stands for all that begin with `image/`."
        )
        let maxSize = Field(
            "maxSize", .size(1...BodyClauses.maximumSize), told: true,
            "The longest body of PUT. Its `content-length` must be signed: callers ask with `header=content-length:BYTES`, which need not be in `headers`, or have it in their canonical request."
        )
        let overwrite = Field(
            "overwrite", .boolean, default: false, told: true,
            "Whether an upload may replace an existing object. Without it, `If-None-Match: *` must be signed; the service adds it to the requests that it writes."
        )
        let unenforced = BodyClauses.unenforced

        /// - Parameter table: of the route.
        init(_ table: OperationTable) {
            methods = .signed("methods", "methods", of: table.methods, required: true)
            headers = .signed("headers", "headers", of: table.headers)
            subresources = .signed("subresources", "sub-resources", of: table.subResources)
            query = .signed("query", "other query parameters", of: table.query)
        }
    }

    /// Those of all routes but Iceberg's.
    static let fields = Fields(S3Operations.table)

    /// - Parameter table: of the route.
    init(
        _ grant: Settings<Fields>, _ context: GrantContext, _ table: OperationTable = S3Operations.table
    ) throws(FieldProblem) {
        let subResources = grant.subresources ?? []
        body = try BodyClauses(contentTypes: grant.contentTypes, maxSize: grant.maxSize)
        isSizeNeeded = !subResources.contains { $0.text == "partNumber" }
        try body.checkOwned(grant.unenforced, sizeFault: isSizeNeeded ? nil : "an object in pieces has any")
        rule = try OperationRule(
            table, methods: grant.methods ?? [], subResources: (subResources, "subresources"),
            query: (grant.query ?? [], "query"), headers: grant.headers ?? [], reach: context.reach)
        overwrites = grant.overwrite
        unenforced = rule.names(method: "PUT") ? context.unenforcedByS3Servers : []
    }

    /// Warnings for the operator.
    var doubts: [String] { body.doubts }

    /// Whether a request may only make a new object.
    func mustCreate(_ request: borrowing JudgedRequest) -> Bool { !overwrites && request.endsUpload }

    /// Servers that take an upload's id of no bytes for none would do another operation than the one that is judged.
    private func objection(toValuesOf request: borrowing JudgedRequest) -> Objection? {
        let query = request.query
        var position = 0
        while let pair = query.next(&position) {
            let (name, value) = (query.bytes(pair.name), query.bytes(pair.value ?? 0..<0))
            if value.isEmpty, !name.equals("uploads"), !name.equals("delete") {
                return Objection("subresources", "all but uploads and delete must have a value")
            }
            if name.equals("partNumber"), Decimal.parse(value).map(UppyRequest.partNumbers.contains) != true {
                return Objection("subresources", "partNumber must be from 1 to 10000, in digits")
            }
        }
        return nil
    }

    /// - Parameter addsCondition: whether the service adds If-None-Match where it must be and is not.
    func objection(
        to request: borrowing JudgedRequest, addsCondition: Bool, _ level: OperationTable.Level = .object
    ) -> Objection? {
        let mustCreate = mustCreate(request)
        if mustCreate, !(request.condition?.equals("*") ?? addsCondition) {
            return addsCondition
                ? Objection("overwrite", "if-none-match must be * or left out, since the grant does not overwrite")
                : Objection("overwrite", "if-none-match: * must be signed, since the grant does not overwrite")
        }
        let objection =
            rule.objection(
                to: request.method, level, names: request.query, headers: request.headers,
                beside: { body.admits(header: $0) || mustCreate && $0.equals("if-none-match") })
            ?? objection(toValuesOf: request)
        let puts = request.method.equals("PUT")
        // An upload in parts has its type when it begins.
        let isTyped = puts && !request.has("partNumber") || request.method.equals("POST") && request.has("uploads")
        return objection
            ?? body.objection(to: request, isTyped: isTyped, isSized: puts, isSizeNeeded: isSizeNeeded)
    }
}
