import Access
import Bytes

/// What a grant says of the objects that forms upload, whoever the vendor is, and what callers ask of that.
struct FormClauses: Sendable {
    /// In bytes.
    let sizes: ClosedRange<Int64>
    /// Names or patterns; any when it is empty.
    let contentTypes: [[UInt8]]
    /// The grant's type, where it has one alone.
    let onlyType: [UInt8]?
    /// Whether an ask must name the type, since the grant does not tell one.
    private let isTypeNeeded: Bool

    struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let bucket = Parameter.bucket
        let key = Parameter("key", .key(maximumLength: ObjectKeyRule.maximumLength), "The object's whole key.")
        let fileExtension = Parameter.fileExtension
        let keyPrefix = Parameter(
            "keyPrefix", .keyPrefix(maximumLength: ObjectKeyRule.maximumLength),
            "What keys shall begin with, instead of a whole key; ends in /.")
        let maxSize = Parameter(
            "maxSize", .integer(1...BodyClauses.maximumSize), "The largest object, in bytes, if less than the grant's.")
        let contentType: Parameter<Span<UInt8>>

        /// - Parameter aliases: other names of `contentType`.
        init(typeAliases aliases: [String] = []) {
            contentType = Parameter(
                "contentType", aliases: aliases, .text(maximumLength: 128),
                "The object's type, of those that the grant has.")
        }
    }

    struct Fields: FieldGroup {
        let maxSize = Field(
            "maxSize", .size(1...BodyClauses.maximumSize), required: true, told: true, "The largest object.")
        let minSize = Field(
            "minSize", .size(0...BodyClauses.maximumSize), default: 0, told: true, "The smallest object.")
        let contentTypes: Field<[[UInt8]]?>

        /// - Parameter types: what else is to be said of `contentTypes`.
        init(types: String) {
            contentTypes = Field(
                "contentTypes", .strings, told: true, "The types that objects may get, such as image/png\(types)")
        }
    }

    /// - Parameter isTypeNeeded: whether every form names its one type.
    init(_ grant: Settings<Fields>, isTypeNeeded: Bool) throws(FieldProblem) {
        let (least, most) = (Int64(grant.minSize), Int64(grant.maxSize ?? 0))
        guard least <= most else { throw FieldProblem("minSize", "must not be greater than maxSize") }
        sizes = least...most
        let types = grant.contentTypes ?? []
        contentTypes = types
        onlyType = types.count == 1 && types[0].last != UInt8(ascii: "*") ? types[0] : nil
        self.isTypeNeeded = isTypeNeeded && !types.isEmpty && onlyType == nil
    }

    /// Warnings for the operator.
    var doubts: [String] { MediaTypeName.doubt(of: contentTypes).map { ["contentTypes: \($0)"] } ?? [] }

    // MARK: Asking

    static func check(_ ask: borrowing Ask, _ asked: Parameters) throws(AskError) {
        if let prefix = ask[asked.keyPrefix], !prefix.extracting(last: 1).equals("/") {
            throw AskError(.invalid, asked.keyPrefix.name, "must end in /, else users/1 would also admit users/10")
        }
        if let type = ask[asked.contentType], !MediaTypeName.isName(type) {
            throw AskError(.invalid, asked.contentType.name, "must be a type such as image/png, without parameters")
        }
    }

    func objection(to ask: borrowing Ask, _ asked: Parameters) -> Objection? {
        if let size = ask[asked.maxSize] {
            guard size <= sizes.upperBound else {
                return Objection(outside: "maxSize", "must be at most the grant's, in bytes")
            }
            guard size >= sizes.lowerBound else {
                return Objection(outside: "minSize", "maxSize must be at least the grant's minSize, in bytes")
            }
        }
        guard let type = ask[asked.contentType] else {
            return isTypeNeeded ? Objection(outside: "contentTypes", "contentType must name one of the grant's") : nil
        }
        guard contentTypes.isEmpty || contentTypes.contains(where: { MediaTypeName.admits(type, $0) }) else {
            return Objection(outside: "contentTypes", "the type must be one of the grant's")
        }
        return nil
    }
}

extension PostPolicy.Scope {
    /// What a permit is for, of a form that is tightened as the ask says.
    @_lifetime(borrow permit, borrow ask)
    init(
        _ scheme: V4Scheme, _ permit: borrowing Permit, _ ask: borrowing Ask, _ asked: FormClauses.Parameters
    ) throws(IssueError) {
        try self.init(
            scheme, bucket: permit.bucket, key: permit.key, isPrefix: permit.extent == .prefix,
            until: permit.expiresAt)
        if let most = ask[asked.maxSize] { size = most }
        if let type = ask[asked.contentType] { contentType = type }
    }
}
