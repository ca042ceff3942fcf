import Bytes

/// What a line of the audit says: members of a JSON object, in their order, written into storage that is used again.
///
/// Number and code are the chain's (`AuditChain`), since they depend on the lines before.
package struct AuditLine: ~Copyable {
    private var text = ByteWriter(capacity: 512)
    private var time: (second: Int64, text: [UInt8]) = (.min, [])

    package init() {}

    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { text.bytes }
    }

    /// Forgets all members, for some that will be `add(written:)`.
    package mutating func reset() {
        text.reset()
        text.trim(above: 64 << 10)
    }

    /// Begins anew.
    /// - Parameter moment: seconds since 1970.
    package mutating func begin(_ event: StaticString, at moment: Int64) {
        if time.second != moment { time = (moment, ISO8601.write(moment)) }
        reset()
        text.append("\"time\":\"")
        text.append(time.text)
        text.append("\",\"event\":\"")
        text.append(event)
        text.append("\"")
    }

    package mutating func add(_ name: StaticString, _ value: Span<UInt8>) {
        begin(member: name)
        text.append(jsonString: value)
    }

    package mutating func add(_ name: StaticString, _ value: [UInt8]) { add(name, value.span) }

    package mutating func add(_ name: StaticString, _ value: StaticString) {
        begin(member: name)
        text.append("\"")
        text.append(value)
        text.append("\"")
    }

    package mutating func add(_ name: StaticString, _ value: Int64) {
        begin(member: name)
        text.append(decimal: value)
    }

    /// What somebody is called by as one text: `kind:id/subject`, of which the last may be missing.
    package mutating func add(_ name: StaticString, kind: StaticString, id: Span<UInt8>, subject: Span<UInt8>) {
        begin(member: name)
        text.append("\"")
        text.append(kind)
        if !id.isEmpty {
            text.append(":")
            text.append(jsonEscaped: id)
        }
        if !subject.isEmpty {
            text.append("/")
            text.append(jsonEscaped: subject)
        }
        text.append("\"")
    }

    /// Some bytes of a digest, in hex.
    package mutating func add(_ name: StaticString, hex bytes: Span<UInt8>) {
        begin(member: name)
        text.append("\"")
        Hex.encode(bytes, into: &text)
        text.append("\"")
    }

    /// How often each of these has been.
    package mutating func add(_ name: StaticString, _ tally: AuditTally) {
        begin(member: name)
        text.append("{")
        for (index, entry) in tally.entries.enumerated() {
            text.append(index > 0 ? ",\"" : "\"")
            text.append(entry.reason)
            text.append("\":")
            text.append(decimal: entry.count)
        }
        text.append("}")
    }

    /// Members that were written before, each with a comma before it.
    package mutating func add(written members: [UInt8]) { text.append(members) }

    private mutating func begin(member name: StaticString) {
        text.append(",\"")
        text.append(name)
        text.append("\":")
    }
}

/// How often what has been for which no line is written.
package struct AuditTally: Sendable {
    /// In the order in which they came first.
    package private(set) var entries: [(reason: StaticString, count: Int64)] = []

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// - Parameter reason: one of the few that there are in the source.
    package mutating func count(_ reason: StaticString, times: Int64 = 1) {
        // Unsafe: the pointers are compared, and nothing is read by them.
        for index in entries.indices where unsafe entries[index].reason.utf8Start == reason.utf8Start {
            entries[index].count += times
            return
        }
        for index in entries.indices where entries[index].reason.description == reason.description {
            entries[index].count += times
            return
        }
        entries.append((reason, times))
    }

    package mutating func add(_ other: AuditTally) {
        for entry in other.entries { count(entry.reason, times: entry.count) }
    }

    package mutating func reset() { entries.removeAll(keepingCapacity: true) }
}
