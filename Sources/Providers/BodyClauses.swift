import Access
import Bytes

/// What a grant says of the bodies of signed requests: their types and their size. The vendor holds a client to the headers that
/// are signed.
struct BodyClauses: Sendable {
    /// Nil where any will do that the grant's headers admit.
    private let contentTypes: [[UInt8]]?
    /// The most bytes of a body; nil where there is no such clause.
    let maxSize: Int64?

    /// The longest body of one request that vendors take, in bytes.
    static let maximumSize: Int64 = 5 << 30

    static let contentTypes = Field(
        "contentTypes", .strings, told: true,
        "Content types of uploads. PUT and POST must have one of them; `image/*` stands for all that begin with `image/`."
    )

    static let unenforced = Field(
        "unenforced", .strings, "Clauses of the grant that the vendor cannot enforce (R18): maxSize.")

    init(contentTypes: [[UInt8]]?, maxSize: Int?) throws(FieldProblem) {
        guard contentTypes.map({ !$0.isEmpty && $0.allSatisfy(MediaTypeName.isPattern) }) ?? true else {
            throw FieldProblem("contentTypes", "must be at least one, such as image/png or image/*, in lower case")
        }
        self.contentTypes = contentTypes
        self.maxSize = maxSize.map { Int64($0) }
    }

    /// Warnings for the operator.
    var doubts: [String] { contentTypes.flatMap(MediaTypeName.doubt(of:)).map { ["contentTypes: \($0)"] } ?? [] }

    /// Checks that a grant owns which of its clauses the vendor does not enforce (R18).
    /// - Parameters:
    ///   - names: what it lists under `unenforced`.
    ///   - fault: why the size is not enforced; nil where it is.
    func checkOwned(_ names: [[UInt8]]?, sizeFault fault: String?) throws(FieldProblem) {
        let names = names ?? []
        guard names.allSatisfy({ $0.text == "maxSize" }), names.isEmpty || maxSize != nil && fault != nil else {
            throw FieldProblem("unenforced", "must name clauses of the grant that are not enforced, of maxSize")
        }
        if let fault, maxSize != nil, names.isEmpty {
            throw FieldProblem("maxSize", "cannot be enforced: \(fault); or list it under unenforced (R18)")
        }
    }

    /// Whether a header may be signed though the grant's `headers` do not name it.
    func admits(header name: Span<UInt8>) -> Bool {
        // It binds the body, and nothing else.
        if name.equals("content-md5") { return true }
        return contentTypes != nil && name.equals("content-type") || maxSize != nil && name.equals("content-length")
    }

    /// - Parameters:
    ///   - isTyped: whether the request gives an object its type.
    ///   - isSized: whether its body's size is the grant's matter.
    ///   - isSizeNeeded: whether that size must be signed where the grant limits it.
    func objection(
        to request: borrowing JudgedRequest, isTyped: Bool, isSized: Bool, isSizeNeeded: Bool
    ) -> Objection? {
        if let objection = objection(toType: request.contentType, isNeeded: isTyped) { return objection }
        guard let maxSize, isSized else { return nil }
        guard let length = request.contentLength else {
            return isSizeNeeded
                ? Objection(
                    outside: "maxSize",
                    "the length must be signed: ask with header=content-length:BYTES, of at most the grant's maxSize")
                : nil
        }
        return length <= maxSize ? nil : Objection(outside: "maxSize", "the body must have at most so many bytes")
    }

    /// - Parameter isNeeded: whether an object gets its type so.
    func objection(toType type: Span<UInt8>?, isNeeded: Bool) -> Objection? {
        guard let contentTypes, isNeeded || type != nil else { return nil }
        guard let type, contentTypes.contains(where: { MediaTypeName.admits(type, $0) }) else {
            return Objection(outside: "contentTypes", "the content type must be one of the grant's")
        }
        return nil
    }
}
