import Access
import Bytes

/// What a form may upload without further asking (PostObject). The vendor holds every field of the form to it that has a
/// condition here, and takes all others as they come.
///
/// The type is a condition on the field `x-oss-content-type`: the vendor takes an object's type from it first, then from the
/// Content-Type of the file's part, and from the field `content-type` last.
struct PostPolicy: Sendable {
    /// What one form is for.
    struct Scope: ~Escapable {
        let bucket: Span<UInt8>
        /// The whole object key, or what it begins with.
        let key: Span<UInt8>
        let isPrefix: Bool
        /// Seconds since 1970.
        let deadline: Int64

        /// - Throws: `IssueError.unsignable` for a key in which the vendor would put the file's name.
        @_lifetime(copy bucket, copy key)
        init(bucket: Span<UInt8>, key: Span<UInt8>, isPrefix: Bool, until deadline: Int64) throws(IssueError) {
            guard OSS.isBucket(bucket) else {
                throw .unsignable("a bucket must be 3 to 63 of a-z 0-9 and inner hyphens")
            }
            guard !key.isEmpty, key.count <= OSS.maximumKeyLength, OSSRequest.isText(key) else {
                throw .unsignable("a key must be 1 to 1023 bytes of UTF-8 without control characters")
            }
            for index in key.indices.dropLast() where key[index] == UInt8(ascii: "$") {
                guard key[index + 1] != UInt8(ascii: "{") else { throw .unsignable("a form's key must not have ${") }
            }
            self.bucket = bucket
            self.key = key
            self.isPrefix = isPrefix
            self.deadline = deadline
        }
    }

    /// In bytes.
    private var sizes: ClosedRange<Int64>
    /// The one type that the form has; it is a field of the form then.
    private var contentType: [UInt8]?
    /// What is the same for every form is written once: the condition for the types that a form may give the object.
    private let typeCondition: [UInt8]
    private var fieldConditions: [UInt8]
    private var fieldMembers: [UInt8]

    /// - Parameters:
    ///   - sizes: in bytes.
    ///   - contentTypes: the types that the form may give the object; any when it is empty.
    ///   - fields: what else the form has, such as `success_action_status`, `callback` or `x-oss-forbid-overwrite`.
    init(sizes: ClosedRange<Int64>, contentTypes: [[UInt8]], fields: [NameValue]) {
        self.sizes = sizes
        var text = ByteWriter()
        if !contentTypes.isEmpty {
            text.append(",[\"in\",\"$x-oss-content-type\",[")
            for (index, type) in contentTypes.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                text.append(jsonString: type)
            }
            text.append("]]")
        }
        typeCondition = text.array
        text.reset()
        PostPolicy.writeConditions(fields, into: &text)
        fieldConditions = text.array
        text.reset()
        PostPolicy.writeMembers(fields, into: &text)
        fieldMembers = text.array
    }

    /// The same for objects of at most `size` bytes; nothing changes for more than there may be anyway.
    func limited(to size: Int64) -> PostPolicy {
        var policy = self
        policy.sizes = sizes.clamped(to: sizes.lowerBound...max(sizes.lowerBound, size))
        return policy
    }

    /// The same for objects of one type.
    func limited(to contentType: [UInt8]) -> PostPolicy {
        var policy = self
        policy.contentType = contentType
        return policy
    }

    /// The same with one more field that the form has.
    func adding(_ field: NameValue) -> PostPolicy {
        var policy = self
        var text = ByteWriter()
        PostPolicy.writeConditions([field], into: &text)
        policy.fieldConditions += text.array
        text.reset()
        PostPolicy.writeMembers([field], into: &text)
        policy.fieldMembers += text.array
        return policy
    }

    /// Writes the policy as compact JSON.
    /// - Parameter signed: the fields that version 4 wants a condition for, and a temporary key's token.
    func write(_ scope: borrowing Scope, signed: [NameValue], into out: inout ByteWriter) {
        out.append("{\"expiration\":\"")
        ISO8601.write(scope.deadline, into: &out)
        out.truncate(to: out.count - 1)
        // As in every sample of the vendor's.
        out.append(".000Z\",\"conditions\":[{\"bucket\":")
        out.append(jsonString: scope.bucket)
        out.append(scope.isPrefix ? "},[\"starts-with\",\"$key\"," : "},[\"eq\",\"$key\",")
        out.append(jsonString: scope.key)
        out.append("],[\"content-length-range\",")
        out.append(decimal: sizes.lowerBound)
        out.append(UInt8(ascii: ","))
        out.append(decimal: sizes.upperBound)
        out.append(UInt8(ascii: "]"))
        if let contentType {
            out.append(",{\"x-oss-content-type\":")
            out.append(jsonString: contentType)
            out.append(UInt8(ascii: "}"))
        } else {
            out.append(typeCondition)
        }
        out.append(fieldConditions)
        PostPolicy.writeConditions(signed, into: &out)
        out.append("]}")
    }

    /// Writes the form's fields that the policy has conditions for, as members of a JSON object, each with a comma behind it.
    func writeMembers(_ scope: borrowing Scope, signed: [NameValue], into out: inout ByteWriter) {
        out.append("\"key\":\"")
        out.append(jsonEscaped: scope.key)
        // The vendor puts the name of the file there.
        if scope.isPrefix { out.append("${filename}") }
        out.append("\",")
        if let contentType {
            out.append("\"x-oss-content-type\":")
            out.append(jsonString: contentType)
            out.append(UInt8(ascii: ","))
        }
        out.append(fieldMembers)
        PostPolicy.writeMembers(signed, into: &out)
    }

    private static func writeConditions(_ fields: [NameValue], into out: inout ByteWriter) {
        for field in fields {
            out.append(",{")
            out.append(jsonString: field.name)
            out.append(UInt8(ascii: ":"))
            out.append(jsonString: field.value)
            out.append(UInt8(ascii: "}"))
        }
    }

    private static func writeMembers(_ fields: [NameValue], into out: inout ByteWriter) {
        for field in fields {
            out.append(jsonString: field.name)
            out.append(UInt8(ascii: ":"))
            out.append(jsonString: field.value)
            out.append(UInt8(ascii: ","))
        }
    }
}
