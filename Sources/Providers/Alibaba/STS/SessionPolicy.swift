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
        let start = out.count
        if let prefix, !isPrefix(prefix) { throw .prefix }
        out.append("{\"Version\":\"1\",\"Statement\":[")
        if let prefix {
            writeScoped(actions, bucket, prefix, listPrefix, into: &out)
        } else {
            writeUnscoped(actions, bucket, listPrefix, into: &out)
        }
        out.append("]}")
        guard out.count - start <= maximumLength else {
            out.truncate(to: start)
            throw .tooLong
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
        try write(actions, on: bucket, key, ending: "\"", into: &out)
    }

    /// Writes the policy of a session for all keys that begin so, be it in the midst of a segment.
    static func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, start: Span<UInt8>, into out: inout ByteWriter
    ) throws(Fault) {
        try write(actions, on: bucket, start, ending: "*\"", into: &out)
    }

    private static func write(
        _ actions: SessionActions, on bucket: Span<UInt8>, _ text: Span<UInt8>, ending: StaticString,
        into out: inout ByteWriter
    ) throws(Fault) {
        guard BucketRule.admits(bucket) else { throw .bucket }
        guard standsForItself(text) else { throw .prefix }
        let start = out.count
        out.append("{\"Version\":\"1\",\"Statement\":[")
        open(actions.objectActions, into: &out)
        out.append("\"acs:oss:*:*:")
        out.append(bucket)
        out.append(UInt8(ascii: "/"))
        out.append(text)
        out.append(ending)
        out.append("]}]}")
        guard out.count - start <= maximumLength else {
            out.truncate(to: start)
            throw .tooLong
        }
    }

    // MARK: Sessions for callers

    private static func writeScoped(
        _ actions: SessionActions, _ bucket: Span<UInt8>, _ prefix: Span<UInt8>, _ listPrefix: Bool,
        into out: inout ByteWriter
    ) {
        open(actions.objectActions, into: &out)
        append(bucket, prefix, into: &out)
        out.append("]}")
        guard listPrefix else { return }
        out.append(UInt8(ascii: ","))
        openListing(of: bucket, into: &out)
        out.append("],\"Condition\":{\"StringLike\":{\"oss:Prefix\":[\"")
        out.append(prefix)
        out.append("*\"]}}}")
    }

    private static func writeUnscoped(
        _ actions: SessionActions, _ bucket: Span<UInt8>, _ listPrefix: Bool, into out: inout ByteWriter
    ) {
        let start = out.count
        if !actions.objectActions.isEmpty {
            open(actions.objectActions, into: &out)
            append(bucket, into: &out)
            out.append(UInt8(ascii: ","))
            append(bucket, Span(), into: &out)
            out.append("]}")
        }
        if !actions.otherActions.isEmpty {
            if out.count > start { out.append(UInt8(ascii: ",")) }
            open(actions.otherActions, into: &out)
            out.append("\"*\"]}")
        }
        if listPrefix {
            out.append(UInt8(ascii: ","))
            openListing(of: bucket, into: &out)
            out.append("]}")
        }
    }

    /// A statement up to where its resources stand.
    private static func open(_ actions: [UInt8], into out: inout ByteWriter) {
        out.append("{\"Effect\":\"Allow\",\"Action\":[")
        out.append(actions)
        out.append("],\"Resource\":[")
    }

    /// The statement that lets keys be listed, which is an action on the bucket, up to behind its resource.
    private static func openListing(of bucket: Span<UInt8>, into out: inout ByteWriter) {
        out.append("{\"Effect\":\"Allow\",\"Action\":[\"oss:ListObjects\"],\"Resource\":[")
        append(bucket, into: &out)
    }

    /// The bucket as a resource.
    private static func append(_ bucket: Span<UInt8>, into out: inout ByteWriter) {
        out.append("\"acs:oss:*:*:")
        out.append(bucket)
        out.append(UInt8(ascii: "\""))
    }

    /// All objects whose keys begin with `prefix`, as a resource.
    private static func append(_ bucket: Span<UInt8>, _ prefix: Span<UInt8>, into out: inout ByteWriter) {
        out.append("\"acs:oss:*:*:")
        out.append(bucket)
        out.append(UInt8(ascii: "/"))
        out.append(prefix)
        out.append("*\"")
    }
}
