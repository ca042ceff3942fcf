import Foundation

/// A URL cut at its marks by hand: nothing is decoded, normalised or left out. A part that is missing is nil, not empty.
struct SplitURL: Equatable {
    var scheme = ""
    var authority = ""
    var path = ""
    var query: String?

    init(_ text: String) {
        let schemeEnd = text.range(of: "://")
        scheme = schemeEnd.map { String(text[..<$0.lowerBound]) } ?? ""
        var rest = text[(schemeEnd?.upperBound ?? text.startIndex)...]
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        authority = String(rest[..<slash])
        path = String(rest[slash...])
    }

    /// As it is on a request line.
    var target: String { path + (query.map { "?\($0)" } ?? "") }

    /// The object's key: the path behind its slash, decoded; nil when there is none, or a `%` has no two digits behind it.
    var key: [UInt8]? {
        guard path.utf8.count > 1 else { return nil }
        var key: [UInt8] = []
        // Foundation would leave a byte order mark out.
        var rest = Array(path.utf8.dropFirst())[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
                key.append(code)
                rest = rest.dropFirst(2)
            } else {
                key.append(byte)
            }
        }
        return key
    }

    /// The parameters as they stand, in an order of ours.
    var sorted: [String] { [scheme, authority, path] + (query ?? "").components(separatedBy: "&").sorted() }

    /// The value of a parameter that comes once; nil otherwise.
    func parameter(_ name: String) -> String? {
        let found = (query ?? "").components(separatedBy: "&").filter { $0.hasPrefix("\(name)=") }
        return found.count == 1 ? String(found[0].dropFirst(name.count + 1)) : nil
    }
}
