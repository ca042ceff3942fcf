import Access
import Bytes

/// How a vendor writes the policy that narrows a session to one prefix of one bucket. A session may do what role and policy both
/// allow.
package struct SessionPolicy: Sendable {
    /// The version of the language.
    let version: StaticString
    /// What stands before a bucket where it is a resource.
    let resource: [UInt8]
    /// What the names of storage's own actions begin with, such as `oss:`.
    let service: StaticString
    /// The actions that reach nothing but the object they are about. Left out on purpose: those that change who may reach an
    /// object (ACL, tags, which policies may be about), and those that undo versioning.
    let objectActions: [String]
    /// The action on a bucket by which its keys are listed, and the condition on their prefix.
    let listing: (action: StaticString, prefix: StaticString)
    /// Whether characters beyond ASCII stand as `\uXXXX`.
    let isASCII: Bool

    /// In bytes, of which there are never fewer than of the characters that vendors count.
    package static let maximumLength = 2048

    /// Why there is no policy that says what is meant.
    package enum Fault: Error, Sendable {
        /// A bucket that cannot be one.
        case bucket
        /// A prefix that would be read as a pattern, a variable, or more than itself.
        case prefix
        /// Longer than the vendor takes.
        case tooLong
    }

    /// Writes the policy as compact JSON; when it throws, nothing has been written.
    /// - Parameters:
    ///   - prefix: what all keys meant begin with; nil for the whole bucket (`unscoped`).
    ///   - listPrefix: whether these keys may also be listed.
    package func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, prefix: Span<UInt8>?, listPrefix: Bool,
        into out: inout ByteWriter
    ) throws(Fault) {
        guard BucketRule.admits(bucket) else { throw .bucket }
        if let prefix, !SessionPolicy.isPrefix(prefix) { throw .prefix }
        try write(into: &out) { statements in
            if let prefix {
                statements.add(object: {
                    allow(actions.objectActions, in: &$0) { add(bucket, key: prefix, "*", to: &$0) }
                })
            } else {
                addUnscoped(actions, bucket, to: &statements)
            }
            if listPrefix { statements.add(object: { allowListing(of: bucket, prefix, in: &$0) }) }
        }
    }

    /// Whether a prefix stands for itself in a resource, a condition and a JSON string alike: a key's start (R13) that ends a
    /// segment, without the vendor's `*`, `?` and `$`, quotes and backslashes.
    package static func isPrefix(_ prefix: Span<UInt8>) -> Bool {
        guard ObjectKeyRule.fault(of: prefix) == nil, prefix[prefix.count - 1] == UInt8(ascii: "/") else {
            return false
        }
        return standsForItself(prefix)
    }

    private static func standsForItself(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "$"), UInt8(ascii: "\""), UInt8(ascii: "\\"),
                0x00..<0x20, 0x7F:
                return false
            default: continue
            }
        }
        return true
    }

    // MARK: Sessions that sign here

    /// Writes the policy of a session for one key; when it throws, nothing has been written.
    func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, key: Span<UInt8>, into out: inout ByteWriter
    ) throws(Fault) {
        try write(actions, on: bucket, key, ending: "", into: &out)
    }

    /// Writes the policy of a session for all keys that begin so, be it in the midst of a segment.
    func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, start: Span<UInt8>, into out: inout ByteWriter
    ) throws(Fault) {
        try write(actions, on: bucket, start, ending: "*", into: &out)
    }

    private func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, _ text: Span<UInt8>, ending: StaticString,
        into out: inout ByteWriter
    ) throws(Fault) {
        guard BucketRule.admits(bucket) else { throw .bucket }
        guard SessionPolicy.standsForItself(text) else { throw .prefix }
        try write(into: &out) { statements in
            statements.add(object: {
                allow(actions.objectActions, in: &$0) { add(bucket, key: text, ending, to: &$0) }
            })
        }
    }

    // MARK: Sessions for callers

    private func addUnscoped(_ actions: SessionActions, _ bucket: Span<UInt8>, to statements: inout JSONArray) {
        if !actions.objectActions.isEmpty {
            statements.add(object: { statement in
                allow(actions.objectActions, in: &statement) { resources in
                    add(bucket, to: &resources)
                    add(bucket, key: Span(), "*", to: &resources)
                }
            })
        }
        if !actions.otherActions.isEmpty {
            statements.add(object: { allow(actions.otherActions, in: &$0) { $0.add("*") } })
        }
    }

    /// To list keys is an action on the bucket.
    private func allowListing(
        of bucket: Span<UInt8>, _ prefix: Span<UInt8>?, in statement: inout JSONObject
    ) {
        allow([listing.action.array], in: &statement) { add(bucket, to: &$0) }
        guard let prefix else { return }
        statement.add(
            "Condition",
            object: { condition in
                condition.add(
                    "StringLike",
                    object: { like in
                        like.add(
                            listing.prefix,
                            array: { keys in
                                keys.add(text: { key in
                                    key.append(prefix)
                                    key.append("*")
                                })
                            })
                    })
            })
    }

    // MARK: Statements

    private func write(
        into out: inout ByteWriter, _ statements: (inout JSONArray) -> Void
    ) throws(Fault) {
        let start = out.count
        out.append(object: { policy in
            policy.add("Version", version)
            policy.add("Statement", array: statements)
        })
        if isASCII { out.escapeNonASCII(from: start) }
        guard out.count - start <= SessionPolicy.maximumLength else {
            out.truncate(to: start)
            throw .tooLong
        }
    }

    private func allow(
        _ actions: [[UInt8]], in statement: inout JSONObject, on resources: (inout JSONArray) -> Void
    ) {
        statement.add("Effect", "Allow")
        statement.add("Action", array: { list in for action in actions { list.add(action) } })
        statement.add("Resource", array: resources)
    }

    /// Adds the bucket as a resource.
    private func add(_ bucket: Span<UInt8>, to resources: inout JSONArray) {
        resources.add(text: { text in
            text.append(resource)
            text.append(bucket)
        })
    }

    /// Adds keys of the bucket as a resource.
    /// - Parameter ending: `*` for all keys that begin so.
    private func add(_ bucket: Span<UInt8>, key: Span<UInt8>, _ ending: StaticString, to resources: inout JSONArray) {
        resources.add(text: { text in
            text.append(resource)
            text.append(bucket)
            text.append(UInt8(ascii: "/"))
            text.append(key)
            text.append(ending)
        })
    }
}

extension ByteWriter {
    /// Writes the characters beyond ASCII of a JSON text, from here on, as JSON's escapes.
    fileprivate mutating func escapeNonASCII(from start: Int) {
        let text = bytes.extracting(start..<count).array
        guard text.contains(where: { $0 >= 0x80 }) else { return }
        truncate(to: start)
        for scalar in text.text.unicodeScalars {
            if scalar.isASCII { append(UInt8(scalar.value)) } else { append(jsonEscape: scalar) }
        }
    }
}
