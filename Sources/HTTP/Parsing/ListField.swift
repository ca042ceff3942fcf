import Bytes

/// A field value that is a comma-separated list (RFC 9110 section 5.6.1).
package enum ListField {
    /// Whether `token` (lower case) is an element of `list`, whatever its case; what follows a `;` in an element is skipped.
    package static func contains(_ token: StaticString, in list: Span<UInt8>) -> Bool {
        var start = 0
        while start < list.count {
            let end = list.firstIndex(of: UInt8(ascii: ","), from: start) ?? list.count
            let element = list.extracting(start..<end)
            let name = element.extracting(0..<(element.firstIndex(of: UInt8(ascii: ";")) ?? element.count))
            if name.trimmed.equals(ignoringCase: token) { return true }
            start = end + 1
        }
        return false
    }

    /// How much a client wants `token` (lower case) by its list of what it accepts (RFC 9110 section 12.4.2).
    /// - Parameter isType: whether the elements are types of media, which may have other parameters before their weight.
    /// - Returns: thousandths, none where they cannot be read; nil when the list has no such element.
    package static func weight(of token: StaticString, in list: Span<UInt8>, isType: Bool = false) -> Int? {
        var start = 0
        while start < list.count {
            let end = list.firstIndex(of: UInt8(ascii: ","), from: start) ?? list.count
            let element = list.extracting(start..<end)
            let nameEnd = element.firstIndex(of: UInt8(ascii: ";")) ?? element.count
            if element.extracting(0..<nameEnd).trimmed.equals(ignoringCase: token) {
                return weight(element.extracting(nameEnd..<element.count), mayHaveOthers: isType)
            }
            start = end + 1
        }
        return nil
    }

    /// - Parameter parameters: each behind its semicolon; the last may be the weight.
    private static func weight(_ parameters: Span<UInt8>, mayHaveOthers: Bool) -> Int {
        var start = parameters.count
        while start > 0, parameters[start - 1] != UInt8(ascii: ";") { start -= 1 }
        guard mayHaveOthers || start == 1 else { return parameters.isEmpty ? 1000 : 0 }
        let text = parameters.extracting(start..<parameters.count).trimmed
        guard text.count >= 2, text.extracting(0..<2).equals(ignoringCase: "q=") else {
            return mayHaveOthers ? 1000 : 0
        }
        guard (3...7).contains(text.count), text[2].isDigit else { return 0 }
        var number = Int(text[2] - UInt8(ascii: "0")) * 1000
        if text.count > 3 {
            guard text[3] == UInt8(ascii: ".") else { return 0 }
            var unit = 100
            for index in 4..<text.count {
                guard text[index].isDigit else { return 0 }
                number += Int(text[index] - UInt8(ascii: "0")) * unit
                unit /= 10
            }
        }
        return number <= 1000 ? number : 0
    }
}

extension Span where Element == UInt8 {
    /// Without the spaces and tabs at both ends.
    package var trimmed: Span<UInt8> {
        @_lifetime(copy self)
        get {
            var (start, end) = (0, count)
            while start < end, self[start] == UInt8(ascii: " ") || self[start] == UInt8(ascii: "\t") { start += 1 }
            while end > start, self[end - 1] == UInt8(ascii: " ") || self[end - 1] == UInt8(ascii: "\t") { end -= 1 }
            return extracting(start..<end)
        }
    }
}
