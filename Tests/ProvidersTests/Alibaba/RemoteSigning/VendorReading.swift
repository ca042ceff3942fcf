import Foundation

/// One request that has a given text for its string to sign (version 1) or its canonical request (version 4), as a reader of the
/// vendor's may have it. This shares nothing with the service's readers: those have one reading each, and these have all that the
/// vendor's documents and SDKs leave open ("Include signatures in the Authorization header", "Add signatures to URLs", "Include a V4
/// signature in the Authorization header", "PostObject", and what SDKs sign otherwise), and more where nobody knows.
struct VendorReading: Hashable {
    var method: [UInt8]
    var bucket: [UInt8]
    var key: [UInt8]
    /// What the request does beside its method: sub-resources, and the vendor's own headers that do something.
    var operation: Set<[UInt8]>
    /// When the vendor stops taking it, in seconds since 1970; nil where it never does.
    var end: Int64?

    var description: String {
        let names = operation.map { String(decoding: $0, as: UTF8.self) }.sorted()
        return "\(String(decoding: method, as: UTF8.self)) \(String(decoding: bucket, as: UTF8.self)) "
            + "\(String(decoding: key, as: UTF8.self).prefix(80).debugDescription) \(names) until \(end.map(String.init) ?? "ever")"
    }

    // MARK: Version 1

    /// All requests whose string to sign is this text.
    static func all(ofV1 text: [UInt8]) -> Set<VendorReading> {
        var readings = forms(text)
        for lines in [text.cut("\n"), text.cut("\n").map { $0.last == 0x0D ? Array($0.dropLast()) : $0 }] {
            guard lines.count >= 5 else { continue }
            // A line of the resource may be a line feed in a key.
            for start in 4..<lines.count where lines[start].first == UInt8(ascii: "/") {
                guard let headers = headers(lines[4..<start]) else { continue }
                let resource = Array(lines[start...].joined(separator: [0x0A]))
                for end in ends(ofV1: lines[3], headers) {
                    for (path, names) in resources(resource) {
                        readings.formUnion(
                            self.readings(lines[0], path, names.union(effects(of: headers)), end))
                    }
                }
            }
        }
        return readings
    }

    /// When a request ends that has this date: by the line, and by the header that goes before it.
    private static func ends(ofV1 line: [UInt8], _ headers: [(name: [UInt8], value: [UInt8])]) -> [Int64?] {
        let dates = [line] + headers.filter { $0.name == Array("x-oss-date".utf8) }.map(\.value)
        return dates.map { date in
            let text = String(decoding: date, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            // Of a URL, the end; of a header, the vendor's 15 minutes.
            return Int64(text) ?? moment(text).map { $0 + 900 }
        }
    }

    /// A resource cut at none of its question marks, or at any of them, and what is behind it cut at any of its `&`.
    private static func resources(_ resource: [UInt8]) -> [(path: [UInt8], names: Set<[UInt8]>)] {
        var found: [(path: [UInt8], names: Set<[UInt8]>)] = [(resource, [])]
        for mark in resource.indices where resource[mark] == UInt8(ascii: "?") {
            let pieces = Array(resource[(mark + 1)...]).cut("&")
            // Values may have an & of their own, once decoded. Beyond a few all are cut.
            for choice in 0..<(1 << min(pieces.count - 1, 6)) {
                var names: Set<[UInt8]> = []
                for (index, piece) in pieces.enumerated() {
                    let isJoined = index > 0 && index <= 6 && choice & (1 << (index - 1)) != 0
                    if !isJoined { names.formUnion(spellings(of: piece.cut("=")[0])) }
                }
                found.append((Array(resource[..<mark]), names))
            }
        }
        return found
    }

    // MARK: Version 4

    /// All requests whose canonical request is this text, signed by this string.
    static func all(ofV4 text: [UInt8], signedBy string: [UInt8]) -> Set<VendorReading> {
        var readings = forms(string)
        let scope = string.cut("\n")
        let signed = scope.count == 4 ? moment(basic: String(decoding: scope[1], as: UTF8.self)) : nil
        for lines in [text.cut("\n"), text.cut("\n").map { $0.last == 0x0D ? Array($0.dropLast()) : $0 }] {
            guard lines.count >= 6 else { continue }
            // The headers end at the first empty line, or at the last.
            let empty = lines.indices.filter { $0 >= 3 && lines[$0].isEmpty }
            for last in Set([empty.first, empty.last].compactMap(\.self)) {
                guard let headers = headers(lines[3..<last]) else { continue }
                for plusIsSpace in [false, true] {
                    for separators in ["&", "&;"] {
                        let query = query(lines[2], plusIsSpace, separators)
                        let names = query.flatMap { spellings(of: $0.name) }.filter { !isCarrier($0) }
                        let path = decoded(lines[1], plusIsSpace)
                        for end in ends(ofV4: query, headers, signed) {
                            let operation = Set(names).union(effects(of: headers))
                            readings.formUnion(self.readings(lines[0], path, operation, end))
                            // The bucket cut off before anything is decoded.
                            let parts = lines[1].dropFirst().split(
                                separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
                            if parts.count == 2 {
                                readings.insert(
                                    VendorReading(
                                        method: lines[0], bucket: decoded(Array(parts[0]), plusIsSpace),
                                        key: decoded(Array(parts[1]), plusIsSpace), operation: operation, end: end))
                            }
                        }
                    }
                }
            }
        }
        return readings
    }

    /// When a request ends that has these: as a URL where it has a URL's parameters, as a header where it has a header's.
    private static func ends(
        ofV4 query: [(name: [UInt8], value: [UInt8])], _ headers: [(name: [UInt8], value: [UInt8])], _ signed: Int64?
    ) -> Set<Int64?> {
        func values(_ name: String, _ list: [(name: [UInt8], value: [UInt8])]) -> [String] {
            list.filter { String(decoding: $0.name, as: UTF8.self).lowercased() == name }
                .map { String(decoding: $0.value, as: UTF8.self) }
        }
        var ends: Set<Int64?> = []
        let isURL = query.contains { isCarrier($0.name) }
        let dates = (isURL ? values("x-oss-date", query) : values("x-oss-date", headers)).map { moment(basic: $0) }
        for date in dates + [signed] {
            if isURL {
                let lives = values("x-oss-expires", query).map { Int64($0) }
                for life in lives.isEmpty ? [nil] : lives {
                    ends.insert(date.flatMap { date in life.map { date + $0 } })
                }
            } else {
                ends.insert(date.map { $0 + 900 })
            }
        }
        return ends
    }

    private static func query(
        _ text: [UInt8], _ plusIsSpace: Bool, _ separators: String
    ) -> [(name: [UInt8], value: [UInt8])] {
        text.split { separators.utf8.contains($0) }.map { piece in
            let halves = Array(piece).cut("=", most: 1)
            return (decoded(halves[0], plusIsSpace), halves.count > 1 ? decoded(halves[1], plusIsSpace) : [])
        }
    }

    /// Whether a parameter says how a request is signed, and not what it does.
    private static func isCarrier(_ name: [UInt8]) -> Bool {
        [
            "x-oss-additional-headers", "x-oss-credential", "x-oss-date", "x-oss-expires", "x-oss-signature-version",
            "x-oss-signature",
        ].contains(String(decoding: name, as: UTF8.self).lowercased())
    }

    // MARK: Both

    /// What else a text may be the signature's: a form's policy, or a live channel's URL.
    private static func forms(_ text: [UInt8]) -> Set<VendorReading> {
        var readings: Set<VendorReading> = []
        func add(_ name: String) {
            readings.insert(
                VendorReading(method: Array("POST".utf8), bucket: [], key: [], operation: [Array(name.utf8)], end: nil))
        }
        for options in [Data.Base64DecodingOptions(), .ignoreUnknownCharacters] {
            if let decoded = Data(base64Encoded: Data(text), options: options),
                (try? JSONSerialization.jsonObject(with: decoded)) is [String: Any]
            {
                add("a form's policy")
            }
        }
        if let first = text.cut("\n").first, Int64(String(decoding: first, as: UTF8.self)) != nil {
            add("a live channel")
        }
        return readings
    }

    /// A path as one of a bucket and a key; and as a client or a proxy may have it that puts paths in order.
    private static func readings(
        _ method: [UInt8], _ path: [UInt8], _ operation: Set<[UInt8]>, _ end: Int64?
    ) -> Set<VendorReading> {
        guard path.first == UInt8(ascii: "/") else { return [] }
        var readings: Set<VendorReading> = []
        for path in Set([path, inOrder(path)]) {
            let parts = path.dropFirst().split(
                separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
            readings.insert(
                VendorReading(
                    method: method, bucket: parts.first.map(Array.init) ?? [],
                    key: parts.count > 1 ? Array(parts[1]) : [],
                    operation: operation, end: end))
        }
        return readings
    }

    /// Without `.` and `..` between slashes (RFC 3986, section 5.2.4).
    private static func inOrder(_ path: [UInt8]) -> [UInt8] {
        let segments = path.cut("/")
        guard segments.contains(Array(".".utf8)) || segments.contains(Array("..".utf8)) else { return path }
        var kept: [[UInt8]] = []
        for segment in segments.dropFirst() {
            switch String(decoding: segment, as: UTF8.self) {
            case ".": continue
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        return Array("/".utf8) + Array(kept.joined(separator: Array("/".utf8)))
    }

    /// Header lines as HTTP has them: names in any case, spaces around, and lines that go on with the next. Nil where a line is none.
    private static func headers(_ lines: ArraySlice<[UInt8]>) -> [(name: [UInt8], value: [UInt8])]? {
        var headers: [(name: [UInt8], value: [UInt8])] = []
        for line in lines {
            if let first = line.first, first == 0x20 || first == 0x09, !headers.isEmpty {
                headers[headers.count - 1].value += line
                continue
            }
            let halves = line.cut(":", most: 1)
            guard halves.count == 2 else { return nil }
            let name = String(decoding: halves[0], as: UTF8.self).trimmingCharacters(in: .whitespaces).lowercased()
            headers.append((Array(name.utf8), halves[1]))
        }
        return headers
    }

    /// The vendor's own headers but for an object's metadata, and those that say how the request is signed.
    private static func effects(of headers: [(name: [UInt8], value: [UInt8])]) -> Set<[UInt8]> {
        let own = headers.map(\.name).filter { name in
            let text = String(decoding: name, as: UTF8.self)
            return text.hasPrefix("x-oss-") && !text.hasPrefix("x-oss-meta-")
                && text != "x-oss-date" && text != "x-oss-content-sha256"
        }
        return Set(own)
    }

    /// A name as it is, and as a reader has it who takes no notice of case, or decodes it once more.
    private static func spellings(of name: [UInt8]) -> Set<[UInt8]> {
        let lower = String(decoding: name, as: UTF8.self).lowercased()
        // Only where it would then be another operation.
        let known = [
            "acl", "tagging", "symlink", "restore", "callback", "delete", "policy", "x-oss-process", "cors", "live",
        ]
        var spellings: Set = [name, decoded(name, false)]
        if known.contains(lower) { spellings.insert(Array(lower.utf8)) }
        return spellings
    }

    private static func decoded(_ text: [UInt8], _ plusIsSpace: Bool) -> [UInt8] {
        var (bytes, index): ([UInt8], Int) = ([], 0)
        while index < text.count {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.count,
                let byte = UInt8(String(decoding: text[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            {
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(plusIsSpace && text[index] == UInt8(ascii: "+") ? 0x20 : text[index])
                index += 1
            }
        }
        return bytes
    }

    // MARK: Times

    /// An HTTP date in any of its three forms, and in those that lenient readers take.
    private static func moment(_ text: String) -> Int64? {
        for format in [
            "EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz", "EEE MMM d HH:mm:ss yyyy",
            "EEE, d MMM yyyy HH:mm:ss Z", "dd MMM yyyy HH:mm:ss zzz", "yyyy-MM-dd'T'HH:mm:ss'Z'",
        ] {
            if let date = formatter(format).date(from: text) { return Int64(date.timeIntervalSince1970) }
        }
        return nil
    }

    private static func moment(basic text: String) -> Int64? {
        formatter("yyyyMMdd'T'HHmmss'Z'").date(from: text).map { Int64($0.timeIntervalSince1970) }
    }

    private static func formatter(_ format: String) -> DateFormatter {
        let known = Thread.current.threadDictionary
        if let formatter = known[format] as? DateFormatter { return formatter }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = format
        known[format] = formatter
        return formatter
    }
}

extension [UInt8] {
    /// The parts between a mark, empty ones too.
    fileprivate func cut(_ mark: Character, most: Int = .max) -> [[UInt8]] {
        split(separator: mark.asciiValue ?? 0, maxSplits: most, omittingEmptySubsequences: false).map(Array.init)
    }
}
