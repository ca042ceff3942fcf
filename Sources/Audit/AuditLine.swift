import Bytes

/// What a line of the audit says: members of a JSON object, in their order, written into storage that is used again.
///
/// Number and code are the chain's (`AuditChain`), since they depend on the lines before.
package struct AuditLine: ~Copyable {
    private var text = ByteWriter(capacity: 512)
    /// How the last line began: most lines of a second begin alike.
    private var opening: [UInt8] = []
    private var openingEvent: StaticString = ""
    private var openingSecond = Int64.min

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
        reset()
        // Unsafe: the pointers are compared, and nothing is read by them.
        let isSame = unsafe openingEvent.utf8Start == event.utf8Start
        if isSame, openingSecond == moment {
            let opening = opening
            text.append(opening)
            return
        }
        text.append(members: { line in
            line.add("time", text: { ISO8601.write(moment, into: &$0) })
            line.add("event", event)
        })
        (opening, openingEvent, openingSecond) = (text.array, event, moment)
    }

    package mutating func add(_ name: StaticString, _ value: Span<UInt8>) {
        text.append(afterOthers: true, members: { $0.add(name, value) })
    }

    package mutating func add(_ name: StaticString, _ value: [UInt8]) { add(name, value.span) }

    package mutating func add(_ name: StaticString, _ value: StaticString) { add(name, value.bytes) }

    package mutating func add(_ name: StaticString, _ value: Int64) {
        text.append(afterOthers: true, members: { $0.add(name, value) })
    }

    /// A caller's name as one text: `kind:id/subject`, of which the last may be missing.
    package mutating func add(_ name: StaticString, kind: StaticString, id: Span<UInt8>, subject: Span<UInt8>) {
        add(name) { text in
            text.append(kind)
            if !id.isEmpty {
                text.append(":")
                text.append(id)
            }
            if !subject.isEmpty {
                text.append("/")
                text.append(subject)
            }
        }
    }

    /// Some bytes of a digest, in hex.
    package mutating func add(_ name: StaticString, hex bytes: Span<UInt8>) {
        text.append(afterOthers: true, members: { $0.add(name, hex: bytes) })
    }

    /// How often each of these has been.
    package mutating func add(_ name: StaticString, _ tally: AuditTally) {
        text.append(
            afterOthers: true,
            members: { line in
                line.add(
                    name, object: { counts in for entry in tally.entries { counts.add(entry.reason, entry.count) } })
            })
    }

    /// Members that were written before, each with a comma before it.
    package mutating func add(written members: [UInt8]) { text.append(members) }

    private mutating func add(_ name: StaticString, text write: (inout ByteWriter) -> Void) {
        text.append(afterOthers: true, members: { $0.add(name, text: write) })
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
