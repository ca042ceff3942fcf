import Access
import Bytes

/// The policy that narrows a session to one prefix of one bucket. A session may do what role and policy both allow.
package enum SessionPolicy {
    /// In bytes, of which there are never fewer than of the characters that the vendor counts.
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
    package static func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, prefix: Span<UInt8>?, listPrefix: Bool,
        into out: inout ByteWriter
    ) throws(Fault) {
        guard BucketRule.admits(bucket) else { throw .bucket }
        if let prefix, !isPrefix(prefix) { throw .prefix }
        try write(into: &out) { statements in
            if let prefix {
                statements.add(object: {
                    allow(actions.objectActions, in: &$0) { $0.add(resource: bucket, key: prefix, "*") }
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
    static func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, key: Span<UInt8>, into out: inout ByteWriter
    ) throws(Fault) {
        try write(actions, on: bucket, key, ending: "", into: &out)
    }

    /// Writes the policy of a session for all keys that begin so, be it in the midst of a segment.
    static func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, start: Span<UInt8>, into out: inout ByteWriter
    ) throws(Fault) {
        try write(actions, on: bucket, start, ending: "*", into: &out)
    }

    private static func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, _ text: Span<UInt8>, ending: StaticString,
        into out: inout ByteWriter
    ) throws(Fault) {
        guard BucketRule.admits(bucket) else { throw .bucket }
        guard standsForItself(text) else { throw .prefix }
        try write(into: &out) { statements in
            statements.add(object: {
                allow(actions.objectActions, in: &$0) { $0.add(resource: bucket, key: text, ending) }
            })
        }
    }

    // MARK: Sessions for callers

    private static func addUnscoped(_ actions: SessionActions, _ bucket: Span<UInt8>, to statements: inout JSONArray) {
        if !actions.objectActions.isEmpty {
            statements.add(object: { statement in
                allow(actions.objectActions, in: &statement) { resources in
                    resources.add(resource: bucket)
                    resources.add(resource: bucket, key: Span(), "*")
                }
            })
        }
        if !actions.otherActions.isEmpty {
            statements.add(object: { allow(actions.otherActions, in: &$0) { $0.add("*") } })
        }
    }

    /// To list keys is an action on the bucket.
    private static func allowListing(
        of bucket: Span<UInt8>, _ prefix: Span<UInt8>?, in statement: inout JSONObject
    ) {
        allow(listing, in: &statement) { $0.add(resource: bucket) }
        guard let prefix else { return }
        statement.add(
            "Condition",
            object: { condition in
                condition.add(
                    "StringLike",
                    object: { like in
                        like.add(
                            "oss:Prefix",
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

    private static let listing = [Array(text: "oss:ListObjects")]

    private static func write(
        into out: inout ByteWriter, _ statements: (inout JSONArray) -> Void
    ) throws(Fault) {
        let start = out.count
        out.append(object: { policy in
            policy.add("Version", "1")
            policy.add("Statement", array: statements)
        })
        guard out.count - start <= maximumLength else {
            out.truncate(to: start)
            throw .tooLong
        }
    }

    private static func allow(
        _ actions: [[UInt8]], in statement: inout JSONObject, on resources: (inout JSONArray) -> Void
    ) {
        statement.add("Effect", "Allow")
        statement.add("Action", array: { list in for action in actions { list.add(action) } })
        statement.add("Resource", array: resources)
    }
}

extension JSONArray {
    /// The bucket as a resource.
    fileprivate mutating func add(resource bucket: Span<UInt8>) {
        add(text: { resource in
            resource.append("acs:oss:*:*:")
            resource.append(bucket)
        })
    }

    /// Keys of the bucket as a resource.
    /// - Parameter ending: `*` for all keys that begin so.
    fileprivate mutating func add(resource bucket: Span<UInt8>, key: Span<UInt8>, _ ending: StaticString) {
        add(text: { resource in
            resource.append("acs:oss:*:*:")
            resource.append(bucket)
            resource.append(UInt8(ascii: "/"))
            resource.append(key)
            resource.append(ending)
        })
    }
}
