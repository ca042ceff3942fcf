/// An open object of JSON (RFC 8259), to which members are added in the order in which they stand; commas, quotes and escapes are
/// its own. It is open while a closure runs (`ByteWriter.append(object:)`), so what is written is JSON.
public struct JSONObject: ~Copyable {
    /// The writer that was asked for the object, as long as it is open.
    @usableFromInline var out = ByteWriter(capacity: 0)
    @usableFromInline var isEmpty: Bool

    @inlinable init(isEmpty: Bool) { self.isEmpty = isEmpty }

    package mutating func add(_ name: StaticString, _ text: Span<UInt8>) {
        begin(name)
        out.append(jsonString: text)
    }

    /// Null for none.
    package mutating func add(_ name: StaticString, _ text: Span<UInt8>?) {
        if let text { add(name, text) } else { addNull(name) }
    }

    package mutating func add(_ name: StaticString, _ text: [UInt8]) { add(name, text.span) }

    package mutating func add(_ name: StaticString, _ text: StaticString) { add(name, text.bytes) }

    package mutating func add(_ name: StaticString, _ text: String) {
        begin(name)
        out.append(jsonString: text)
    }

    package mutating func add(_ name: StaticString, _ number: Int64) {
        begin(name)
        out.append(decimal: number)
    }

    package mutating func add(_ name: StaticString, _ number: Int) { add(name, Int64(number)) }

    package mutating func add(_ name: StaticString, _ flag: Bool) {
        begin(name)
        out.append(flag ? "true" : "false")
    }

    /// The bytes in hex, which needs no escapes.
    package mutating func add(_ name: StaticString, hex bytes: Span<UInt8>) {
        begin(name)
        out.append("\"")
        Hex.encode(bytes, into: &out)
        out.append("\"")
    }

    package mutating func addNull(_ name: StaticString) {
        begin(name)
        out.append("null")
    }

    /// A value that was read.
    package mutating func add(_ name: StaticString, json value: JSONValue) {
        begin(name)
        out.append(json: value)
    }

    package mutating func add(_ name: StaticString, json elements: some Sequence<JSONValue>) {
        begin(name)
        out.append(json: elements)
    }

    /// - Parameter time: seconds since 1970; null for none.
    package mutating func add(_ name: StaticString, time: Int64?) {
        guard let time else { return addNull(name) }
        add(name, text: { ISO8601.write(time, into: &$0) })
    }

    /// A text in which what terminals obey is escaped as well; null for none.
    package mutating func add(_ name: StaticString, visible text: String?) {
        guard let text else { return addNull(name) }
        begin(name)
        out.append(visibleJSONString: text)
    }

    /// A text that `write` puts together.
    /// - Returns: what `write` does.
    @discardableResult
    @inlinable
    public mutating func add<Result, Failure: Error>(
        _ name: StaticString, text write: (inout ByteWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        begin(name)
        return try out.append(jsonString: write)
    }

    /// The same text under two names.
    @inlinable
    public mutating func add<Failure: Error>(
        _ name: StaticString, and other: StaticString, text write: (inout ByteWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(name)
        let start = out.count
        try out.append(jsonString: write)
        let text = start..<out.count
        begin(other)
        out.append(copyOf: text)
    }

    /// - Returns: what `body` does.
    @discardableResult
    @inlinable
    public mutating func add<Result, Failure: Error>(
        _ name: StaticString, object body: (inout JSONObject) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        begin(name)
        return try out.append(object: body)
    }

    @inlinable
    public mutating func add<Failure: Error>(
        _ name: StaticString, array body: (inout JSONArray) throws(Failure) -> Void
    ) throws(Failure) {
        begin(name)
        try out.append(array: body)
    }

    // MARK: Members whose names are no literals

    package mutating func add(named name: Span<UInt8>, _ text: Span<UInt8>) {
        begin(named: name)
        out.append(jsonString: text)
    }

    package mutating func add(named name: [UInt8], _ text: [UInt8]) { add(named: name.span, text.span) }

    package mutating func add(named name: Span<UInt8>, text write: (inout ByteWriter) -> Void) {
        begin(named: name)
        out.append(jsonString: write)
    }

    package mutating func add(named name: [UInt8], _ number: Int64) {
        begin(named: name.span)
        out.append(decimal: number)
    }

    package mutating func add(named name: [UInt8], _ flag: Bool) {
        begin(named: name.span)
        out.append(flag ? "true" : "false")
    }

    package mutating func add(named name: Span<UInt8>, array body: (inout JSONArray) -> Void) {
        begin(named: name)
        out.append(array: body)
    }

    private mutating func begin(named name: Span<UInt8>) {
        separate()
        out.append(jsonString: name)
        out.append(UInt8(ascii: ":"))
    }

    // MARK: Commas

    /// Members that were written before.
    package mutating func add(_ members: JSONMembers) {
        if members.isEmpty { return }
        separate()
        out.append(members.text)
    }

    @usableFromInline
    mutating func begin(_ name: StaticString) {
        out.append(memberName: name.bytes, afterOthers: !isEmpty)
        isEmpty = false
    }

    private mutating func separate() {
        if !isEmpty { out.append(UInt8(ascii: ",")) }
        isEmpty = false
    }
}

/// An open array of JSON, to which elements are added.
public struct JSONArray: ~Copyable {
    @usableFromInline var out = ByteWriter(capacity: 0)
    private var isEmpty = true

    @usableFromInline init() {}

    package mutating func add(_ text: Span<UInt8>) {
        separate()
        out.append(jsonString: text)
    }

    package mutating func add(_ text: [UInt8]) { add(text.span) }

    package mutating func add(_ text: String) {
        separate()
        out.append(jsonString: text)
    }

    package mutating func add(_ number: Int64) {
        separate()
        out.append(decimal: number)
    }

    /// A text that `write` puts together.
    package mutating func add<Failure: Error>(
        text write: (inout ByteWriter) throws(Failure) -> Void
    ) throws(Failure) {
        separate()
        try out.append(jsonString: write)
    }

    package mutating func add<Failure: Error>(
        object body: (inout JSONObject) throws(Failure) -> Void
    ) throws(Failure) {
        separate()
        try out.append(object: body)
    }

    package mutating func add<Failure: Error>(
        array body: (inout JSONArray) throws(Failure) -> Void
    ) throws(Failure) {
        separate()
        try out.append(array: body)
    }

    private mutating func separate() {
        if !isEmpty { out.append(UInt8(ascii: ",")) }
        isEmpty = false
    }
}

/// Members of an object that are written once, for many objects.
package struct JSONMembers: Sendable {
    fileprivate let text: [UInt8]

    package var isEmpty: Bool { text.isEmpty }

    package static let none = JSONMembers { _ in }

    package init<Failure: Error>(_ body: (inout JSONObject) throws(Failure) -> Void) throws(Failure) {
        var out = ByteWriter(capacity: 0)
        try out.append(members: body)
        text = out.array
    }
}

extension String {
    /// An object as a text; off the hot path.
    package init(json body: (inout JSONObject) -> Void) {
        var out = ByteWriter()
        out.append(object: body)
        self = out.array.text
    }
}

extension ByteWriter {
    /// - Returns: what `body` does.
    @discardableResult
    @inlinable
    public mutating func append<Result, Failure: Error>(
        object body: (inout JSONObject) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        append(UInt8(ascii: "{"))
        let result = try append(members: body)
        append(UInt8(ascii: "}"))
        return result
    }

    @inlinable
    public mutating func append<Failure: Error>(
        array body: (inout JSONArray) throws(Failure) -> Void
    ) throws(Failure) {
        append(UInt8(ascii: "["))
        var array = JSONArray()
        swap(&self, &array.out)
        defer {
            swap(&self, &array.out)
            append(UInt8(ascii: "]"))
        }
        try body(&array)
    }

    /// Members of an object that another part of the program opens and closes.
    /// - Parameter afterOthers: whether it has members already.
    /// - Returns: what `body` does.
    @discardableResult
    @inlinable
    public mutating func append<Result, Failure: Error>(
        afterOthers: Bool = false, members body: (inout JSONObject) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var object = JSONObject(isEmpty: !afterOthers)
        swap(&self, &object.out)
        defer { swap(&self, &object.out) }
        return try body(&object)
    }

    /// A JSON string of what `write` puts together; it is escaped only where it must be.
    @inlinable
    mutating func append<Result, Failure: Error>(
        jsonString write: (inout ByteWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        append(UInt8(ascii: "\""))
        let start = count
        let result = try write(&self)
        endJSONString(from: start)
        return result
    }

    @usableFromInline
    mutating func endJSONString(from start: Int) {
        if bytes.hasJSONEscapes(from: start) {
            let plain = bytes.extracting(start..<count).array
            truncate(to: start)
            append(jsonEscaped: plain.span)
        }
        append(UInt8(ascii: "\""))
    }
}
