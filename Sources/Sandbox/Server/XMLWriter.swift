import Bytes

/// An XML document that is being written, as OSS and NOS answer: elements with text or elements in them, no attributes.
struct XMLWriter: ~Copyable {
    private var out = ByteWriter(capacity: 1024)

    /// - Parameter root: the name of the outermost element.
    static func document(_ root: StaticString, _ body: (inout XMLWriter) -> Void) -> [UInt8] {
        var xml = XMLWriter()
        xml.out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        xml.element(root, body)
        return xml.out.array
    }

    mutating func element(_ name: StaticString, _ body: (inout XMLWriter) -> Void) {
        open(name)
        body(&self)
        close(name)
    }

    mutating func element(_ name: StaticString, _ text: [UInt8]) {
        open(name)
        for byte in text { append(byte) }
        close(name)
    }

    mutating func element(_ name: StaticString, _ text: String) { element(name, Array(text.utf8)) }

    mutating func element(_ name: StaticString, _ number: Int) { element(name, Array(text: "\(number)")) }

    mutating func element(_ name: StaticString, _ flag: Bool) { element(name, flag ? "true" : "false") }

    private mutating func open(_ name: StaticString) {
        out.append("<")
        out.append(name)
        out.append(">")
    }

    private mutating func close(_ name: StaticString) {
        out.append("</")
        out.append(name)
        out.append(">")
    }

    private mutating func append(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "<"): out.append("&lt;")
        case UInt8(ascii: ">"): out.append("&gt;")
        case UInt8(ascii: "&"): out.append("&amp;")
        case UInt8(ascii: "\""): out.append("&quot;")
        // A document cannot hold the others (XML 1.0 section 2.2).
        case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x20...: out.append(byte)
        default: out.append("?")
        }
    }
}
