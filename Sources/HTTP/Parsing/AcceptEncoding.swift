import Bytes

/// Which coding of its answer a client would rather have (RFC 9110 section 12.5.3); only gzip is offered beside none.
package enum AcceptEncoding {
    /// - Parameter field: the value of Accept-Encoding.
    package static func prefersGzip(_ field: Span<UInt8>) -> Bool {
        var gzip: Int?
        var identity: Int?
        var others: Int?
        var start = 0
        while start < field.count {
            let end = field.firstIndex(of: UInt8(ascii: ","), from: start) ?? field.count
            let element = field.extracting(start..<end)
            let nameEnd = element.firstIndex(of: UInt8(ascii: ";")) ?? element.count
            let name = element.extracting(0..<nameEnd).trimmed
            let weight = weight(element.extracting(nameEnd..<element.count))
            if name.equals(ignoringCase: "gzip") || name.equals(ignoringCase: "x-gzip") {
                gzip = weight
            } else if name.equals(ignoringCase: "identity") {
                identity = weight
            } else if name.equals("*") {
                others = weight
            }
            start = end + 1
        }
        let wanted = gzip ?? others ?? 0
        return wanted > 0 && wanted >= identity ?? 0
    }

    /// - Parameter parameters: what stands behind the name, from its semicolon on.
    /// - Returns: thousandths; none where it cannot be read.
    private static func weight(_ parameters: Span<UInt8>) -> Int {
        if parameters.isEmpty { return 1000 }
        let text = parameters.extracting(1..<parameters.count).trimmed
        guard (3...7).contains(text.count), text.extracting(0..<2).equals(ignoringCase: "q="), text[2].isDigit else {
            return 0
        }
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
