import Bytes

/// Names of hosts as they stand in URLs.
enum HostName {
    /// Whether `text` is a DNS name of letters, digits and hyphens, whose last label begins with no digit: resolvers and URL
    /// readers take `1.2.3` and `0x7f1` for addresses.
    static func isName(_ text: [UInt8]) -> Bool {
        guard (1...253).contains(text.count) else { return false }
        let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        let areLabels = labels.allSatisfy { label in
            ByteSet.label.contains(all: label, length: 1...63) && label.first != UInt8(ascii: "-")
                && label.last != UInt8(ascii: "-")
        }
        return areLabels && labels.last?.first?.isDigit == false
    }

    /// Whether `name` is a bucket's where it is a label of a host's name: 3 to 63 of a-z 0-9 and inner hyphens.
    static func isBucket(_ name: Span<UInt8>) -> Bool {
        (3...63).contains(name.count) && name[0] != UInt8(ascii: "-") && name[name.count - 1] != UInt8(ascii: "-")
            && ByteSet.lowercaseLabel.contains(all: name)
    }

    /// Whether `name` is a bucket's where it stands in a path alone, and may so have dots: 3 to 63 of a-z 0-9, inner hyphens and
    /// inner dots, none beside another mark.
    static func isDottedBucket(_ name: Span<UInt8>) -> Bool {
        guard (3...63).contains(name.count) else { return false }
        var start = 0
        while start <= name.count {
            let end = name.firstIndex(of: UInt8(ascii: "."), from: start) ?? name.count
            let label = name.extracting(start..<end)
            guard !label.isEmpty, label[0] != UInt8(ascii: "-"), label[label.count - 1] != UInt8(ascii: "-"),
                ByteSet.lowercaseLabel.contains(all: label)
            else { return false }
            start = end + 1
        }
        return true
    }
}
