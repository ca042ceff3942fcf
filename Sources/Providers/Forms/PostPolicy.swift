import Access
import Bytes

/// What a form may upload without further asking (PostObject). The vendor holds every field of the form to it that has a
/// condition here.
struct PostPolicy: Sendable {
    /// What one form is for.
    struct Scope: ~Escapable {
        let bucket: Span<UInt8>
        /// The whole object key, or what it begins with.
        let key: Span<UInt8>
        let isPrefix: Bool
        /// Seconds since 1970.
        let deadline: Int64
        /// The largest object in bytes, where less is asked for than the policy allows.
        var size = Int64.max
        /// The type that is asked for; empty where none is.
        var contentType: Span<UInt8>

        /// - Throws: `IssueError.unsignable` for a key in which the vendor would put the file's name.
        @_lifetime(copy bucket, copy key)
        init(
            _ scheme: V4Scheme, bucket: Span<UInt8>, key: Span<UInt8>, isPrefix: Bool, until deadline: Int64
        ) throws(IssueError) {
            guard scheme.isBucket(bucket) else {
                throw .unsignable(
                    "a bucket must be 3 to 63 of a-z 0-9 and inner hyphens, or dots where only the path names it")
            }
            guard !key.isEmpty, key.count <= ObjectKeyRule.maximumLength, ObjectRequest.isText(key) else {
                throw .unsignable("a key must be 1 to 1023 bytes of UTF-8 without control characters")
            }
            for index in key.indices.dropLast() where key[index] == UInt8(ascii: "$") {
                guard key[index + 1] != UInt8(ascii: "{") else { throw .unsignable("a form's key must not have ${") }
            }
            self.bucket = bucket
            self.key = key
            self.isPrefix = isPrefix
            self.deadline = deadline
            contentType = key.extracting(0..<0)
        }
    }

    /// What the form may say of the object's type.
    enum Types: Sendable {
        /// No condition: the vendor takes any.
        case free
        /// Any, by a condition: for a vendor that takes no field without one.
        case any
        /// It is a field of the form then.
        case one([UInt8])
        case among([[UInt8]])
    }

    /// In bytes.
    private let sizes: ClosedRange<Int64>
    /// In which of the form's fields the type is.
    private let typeName: [UInt8]
    private var types: Types
    private var fields: [NameValue]
    /// The same as members of a form, written once.
    private var fieldMembers: JSONMembers

    /// - Parameters:
    ///   - sizes: in bytes.
    ///   - typeName: the name of the form's field that tells the type.
    ///   - fields: what else the form has, such as `success_action_status`.
    init(sizes: ClosedRange<Int64>, typeName: [UInt8], types: Types, fields: [NameValue]) {
        self.sizes = sizes
        self.typeName = typeName
        self.types = types
        self.fields = fields
        fieldMembers = PostPolicy.members(fields)
    }

    private static func members(_ fields: [NameValue]) -> JSONMembers {
        JSONMembers { form in for field in fields { form.add(named: field.name, field.value) } }
    }

    /// The same for objects of one type.
    func limited(to contentType: [UInt8]) -> PostPolicy {
        var policy = self
        policy.types = .one(contentType)
        return policy
    }

    /// The same with one more field that the form has.
    func adding(_ field: NameValue) -> PostPolicy {
        var policy = self
        policy.fields.append(field)
        policy.fieldMembers = PostPolicy.members(policy.fields)
        return policy
    }

    /// Writes the policy as compact JSON.
    func write(_ scope: borrowing Scope, signed: SignatureFields, into out: inout ByteWriter) {
        out.append(object: { policy in
            policy.add(
                "expiration",
                text: { time in
                    ISO8601.write(scope.deadline, into: &time)
                    time.truncate(to: time.count - 1)
                    // As in every sample of the vendor's.
                    time.append(".000Z")
                })
            policy.add("conditions", array: { add(scope, signed: signed, to: &$0) })
        })
    }

    private func add(_ scope: borrowing Scope, signed: SignatureFields, to conditions: inout JSONArray) {
        conditions.add(object: { $0.add("bucket", scope.bucket) })
        conditions.add(array: { condition in
            condition.add(scope.isPrefix ? "starts-with" : "eq")
            condition.add("$key")
            condition.add(scope.key)
        })
        conditions.add(array: { condition in
            condition.add("content-length-range")
            condition.add(sizes.lowerBound)
            condition.add(max(sizes.lowerBound, min(sizes.upperBound, scope.size)))
        })
        if scope.contentType.isEmpty {
            addTypeCondition(to: &conditions)
        } else {
            conditions.add(object: { $0.add(named: typeName.span, scope.contentType) })
        }
        for field in fields { conditions.add(object: { $0.add(named: field.name, field.value) }) }
        signed.add { field in conditions.add(object: field) }
    }

    private func addTypeCondition(to conditions: inout JSONArray) {
        switch types {
        case .free: break
        case .any: addTypeCondition("starts-with", to: &conditions) { $0.add("") }
        case .one(let type): conditions.add(object: { $0.add(named: typeName, type) })
        case .among(let list):
            addTypeCondition("in", to: &conditions) { condition in
                condition.add(array: { types in for type in list { types.add(type) } })
            }
        }
    }

    private func addTypeCondition(
        _ operation: String, to conditions: inout JSONArray, _ addValue: (inout JSONArray) -> Void
    ) {
        conditions.add(array: { condition in
            condition.add(operation)
            condition.add(text: { name in
                name.append(UInt8(ascii: "$"))
                name.append(typeName)
            })
            addValue(&condition)
        })
    }

    /// Adds the form's fields that the policy has conditions for.
    func addFields(_ scope: borrowing Scope, signed: SignatureFields, to form: inout JSONObject) {
        form.add(
            "key",
            text: { key in
                key.append(scope.key)
                // The vendor puts the name of the file there.
                if scope.isPrefix { key.append("${filename}") }
            })
        if !scope.contentType.isEmpty {
            form.add(named: typeName.span, scope.contentType)
        } else if case .one(let type) = types {
            form.add(named: typeName, type)
        }
        form.add(fieldMembers)
        signed.add { field in field(&form) }
    }
}
