/// A parsed JSON value and the offset where it starts, so that an error about it can give its position.
package struct JSONValue: Sendable {
    package enum Content: Sendable {
        case null
        case boolean(Bool)
        case number(JSONNumber)
        /// Decoded UTF-8, which may hold U+0000.
        case string([UInt8])
        case array([JSONValue])
        /// In the order of the text; no two members have the same name.
        case object([JSONMember])
    }

    /// Bytes from the start of the text to the first byte of the value.
    package let offset: Int
    package let content: Content

    package init(offset: Int, content: Content) {
        self.offset = offset
        self.content = content
    }

    /// The object without the members of a name; the value itself where it is none.
    package func without(_ name: String) -> JSONValue {
        guard case .object(let members) = content else { return self }
        return JSONValue(offset: offset, content: .object(members.filter { !$0.name.elementsEqual(name.utf8) }))
    }

    /// The text of a string; nil for anything else.
    package var text: [UInt8]? { if case .string(let bytes) = content { bytes } else { nil } }

    /// The number, if it is one and a whole one.
    package var integer: Int64? { if case .number(let number) = content { number.integer } else { nil } }

    /// The member of an object whose name has exactly these UTF-8 bytes; nil if there is none or if this is no object.
    ///
    /// Looks at every member: to read all of a large object, walk its members instead.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.name.elementsEqual(name.utf8) }?.value
    }
}

extension JSONValue {
    /// Hashes what it says, wherever it stands in its text.
    /// - Parameter names: of members that are left out where it is an object.
    package func hash(into hasher: inout Hasher, without names: [[UInt8]] = []) {
        switch content {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .number(let number): hasher.combine(number.text)
        case .string(let text): hasher.combine(word: text)
        case .array(let elements):
            hasher.combine(elements.count)
            for element in elements { element.hash(into: &hasher) }
        case .object(let members):
            hasher.combine(members.count { !names.contains($0.name) })
            for member in members where !names.contains(member.name) {
                hasher.combine(word: member.name)
                member.value.hash(into: &hasher)
            }
        }
    }
}

/// One name and its value in an object.
package struct JSONMember: Sendable {
    /// Decoded UTF-8, which may hold U+0000.
    package let name: [UInt8]
    /// Bytes from the start of the text to the first byte of the name, which is its quote if it has one.
    package let nameOffset: Int
    package let value: JSONValue

    package init(name: [UInt8], nameOffset: Int, value: JSONValue) {
        self.name = name
        self.nameOffset = nameOffset
        self.value = value
    }
}
