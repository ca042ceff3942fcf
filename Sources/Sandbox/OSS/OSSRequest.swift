import Bytes

/// A request as OSS reads it: which bucket and key it is about, by path (`/bucket/key`) or by host (`bucket.oss.localhost`), and
/// its query, decoded.
struct OSSRequest {
    /// As it was received.
    let head: SandboxRequest
    /// nil where the service itself is asked.
    let bucket: [UInt8]?
    /// nil where the bucket itself is asked.
    let key: [UInt8]?
    /// Decoded, in the order it came; no name comes twice.
    let query: [NameValue]

    /// The longest key, in bytes.
    private static let longestKey = 1023

    init(_ head: SandboxRequest) throws(OSSError) {
        self.head = head
        query = try OSSRequest.query(head.query)
        let path = head.path.dropFirst()
        let bucketOfHost = OSSRequest.bucket(ofHost: head.host)
        let rawKey: ArraySlice<UInt8>
        if let bucketOfHost {
            bucket = bucketOfHost
            rawKey = path
        } else {
            let rawBucket = path.prefix { $0 != UInt8(ascii: "/") }
            bucket = path.isEmpty ? nil : try OSSRequest.decode(rawBucket)
            rawKey = path.dropFirst(rawBucket.count + 1)
        }
        key = rawKey.isEmpty ? nil : try OSSRequest.decode(rawKey)
        if let bucket, !ObjectStore.isBucketName(bucket) { throw .invalidBucketName(bucket) }
        if let key, !OSSRequest.isKey(key) { throw .invalidObjectName(key) }
    }

    /// Names of objects (OSS API reference, "Naming conventions"): UTF-8 of 1 to 1023 bytes that begins with neither slash.
    static func isKey(_ key: [UInt8]) -> Bool {
        (1...longestKey).contains(key.count) && key.first != UInt8(ascii: "/") && key.first != UInt8(ascii: "\\")
            && UTF8Text.isWellFormed(key.span)
    }

    func isMethod(_ name: StaticString) -> Bool { head.isMethod(name) }

    /// The value of a parameter; empty where it has none, nil where it did not come.
    func parameter(_ name: StaticString) -> [UInt8]? { query.first { $0.name.span.equals(name) }?.value }

    /// Whether a parameter came with this value.
    func isParameter(_ name: StaticString, _ value: StaticString) -> Bool {
        parameter(name).map { $0.span.equals(value) } ?? false
    }

    /// Whether a field came once, with this value in whatever case; `value` in lower case.
    func isField(_ name: StaticString, _ value: StaticString) -> Bool {
        head.value(of: name).map { $0.span.equals(ignoringCase: value) } ?? false
    }

    func has(_ name: StaticString) -> Bool { parameter(name) != nil }

    /// A number in a parameter.
    /// - Parameter standard: where it did not come, or is empty.
    func number(
        _ name: StaticString, _ range: ClosedRange<Int>, otherwise standard: Int
    ) throws(OSSError) -> Int {
        guard let text = parameter(name), !text.isEmpty else { return standard }
        guard let number = Decimal.parse(text.span, maximum: Int64(range.upperBound)), Int(number) >= range.lowerBound
        else {
            throw .invalidArgument(
                "Argument \(name) must be an integer between \(range.lowerBound) and \(range.upperBound).", name, text)
        }
        return Int(number)
    }

    /// Fields whose names begin with `x-oss-`: names in lower case and in order, the values of equal names joined in the order they
    /// came.
    var vendorFields: [NameValue] { OSSRequest.joined(head.fields) { $0.starts(with: "x-oss-".utf8) } }

    /// The fields that are chosen by their names in lower case, as they are signed.
    static func joined(_ fields: [NameValue], where isChosen: ([UInt8]) -> Bool) -> [NameValue] {
        var values: [[UInt8]: [UInt8]] = [:]
        for field in fields {
            let name = field.name.map(\.lowercasedASCII)
            guard isChosen(name) else { continue }
            values[name] = values[name].map { $0 + [UInt8(ascii: ",")] + field.value } ?? field.value
        }
        return values.sorted { $0.key.precedes($1.key) }.map { NameValue($0.key, $0.value) }
    }

    // MARK: Reading

    /// The bucket that stands before `.oss.localhost`; nil where there is none.
    static func bucket(ofHost host: [UInt8]) -> [UInt8]? {
        let name = host.prefix { $0 != UInt8(ascii: ":") }.map(\.lowercasedASCII)
        let suffix = Array(".oss.localhost".utf8)
        guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else { return nil }
        return Array(name.dropLast(suffix.count))
    }

    private static func decode(_ text: ArraySlice<UInt8>) throws(OSSError) -> [UInt8] {
        var out = ByteWriter(capacity: text.count)
        guard Percent.decode(Array(text).span, plusIsSpace: false, into: &out) else { throw .invalidURI }
        return out.array
    }

    private static func query(_ text: [UInt8]) throws(OSSError) -> [NameValue] {
        var items: [NameValue] = []
        var names: Set<[UInt8]> = []
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let item = NameValue(try value(name), try value(pair.dropFirst(name.count).dropFirst()))
            guard names.insert(item.name).inserted else {
                throw .invalidArgument("The parameter \(item.name.text) is given more than once.")
            }
            items.append(item)
        }
        return items
    }

    private static func value(_ text: ArraySlice<UInt8>) throws(OSSError) -> [UInt8] {
        var out = ByteWriter(capacity: text.count)
        let isEncoded = Percent.decode(Array(text).span, plusIsSpace: true, into: &out)
        guard isEncoded, UTF8Text.isWellFormed(out.bytes) else { throw .invalidURI }
        return out.array
    }
}
