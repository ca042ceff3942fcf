import Bytes

/// What a request to NOS is about. The bucket is the first label of the host (`BUCKET.nos.localhost`), or else the first segment of the
/// path.
struct NOSTarget {
    /// A parameter of the query, decoded.
    struct Parameter {
        let name: [UInt8]
        /// nil where there is no `=`, which is signed otherwise than an empty value.
        let value: [UInt8]?
    }

    /// The longest object's name, in bytes.
    static let longestKey = 1000

    /// nil for the service itself.
    let bucket: [UInt8]?
    /// nil for the bucket itself.
    let key: [UInt8]?
    /// In the order they came.
    let parameters: [Parameter]

    init(_ request: SandboxRequest) throws(NOSRefusal) {
        guard request.path.first == UInt8(ascii: "/") else { throw .unreadable }
        var path = request.path.dropFirst()
        if let label = NOSTarget.bucketLabel(request.host) {
            bucket = label
        } else {
            let segment = path.prefix { $0 != UInt8(ascii: "/") }
            bucket = segment.isEmpty ? nil : try NOSTarget.decode(segment, plusIsSpace: false)
            path = path.dropFirst(segment.count + 1)
        }
        key = path.isEmpty ? nil : try NOSTarget.decode(path, plusIsSpace: false)
        parameters = try NOSTarget.parameters(request.query)
        if let key, key.count > NOSTarget.longestKey { throw .keyTooLong }
    }

    /// Whether the parameter is there, with a value or without.
    func has(_ name: StaticString) -> Bool { parameters.contains { $0.name.span.equals(name) } }

    /// The value of a parameter; nil where it is not there, or has none.
    func value(_ name: StaticString) -> [UInt8]? { parameters.first { $0.name.span.equals(name) }?.value }

    /// A parameter that is a whole number.
    /// - Returns: nil where it is not there.
    func number(_ name: StaticString, in range: ClosedRange<Int64>) throws(NOSRefusal) -> Int? {
        guard has(name) else { return nil }
        let digits = value(name) ?? []
        guard let number = Decimal.parse(digits.span), range.contains(number) else {
            throw .invalid("\(name)")
        }
        return Int(number)
    }

    /// What stands before `.nos.localhost`; nil where nothing does, or the host is another.
    private static func bucketLabel(_ host: [UInt8]) -> [UInt8]? {
        let name = host.prefix { $0 != UInt8(ascii: ":") }.map(\.lowercasedASCII)
        let suffix = Array(".nos.localhost".utf8)
        guard name.count > suffix.count, name.suffix(suffix.count).elementsEqual(suffix) else { return nil }
        return Array(name.dropLast(suffix.count))
    }

    private static func parameters(_ query: [UInt8]) throws(NOSRefusal) -> [Parameter] {
        var all: [Parameter] = []
        var names: Set<[UInt8]> = []
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let decoded = try decode(name, plusIsSpace: true)
            guard names.insert(decoded).inserted else { throw .unreadable }
            let value = try name.count < pair.count ? decode(pair.dropFirst(name.count + 1), plusIsSpace: true) : nil
            all.append(Parameter(name: decoded, value: value))
        }
        return all
    }

    private static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) throws(NOSRefusal) -> [UInt8] {
        var out = ByteWriter(capacity: text.count)
        guard Percent.decode(text.span, plusIsSpace: plusIsSpace, into: &out), UTF8Text.isWellFormed(out.bytes) else {
            throw .unreadable
        }
        return out.array
    }
}
