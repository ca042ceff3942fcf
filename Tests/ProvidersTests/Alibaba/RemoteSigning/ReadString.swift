@testable import Bytes
@testable import Providers

/// What a string to sign was read as, copied.
struct ReadString {
    let verb: RequestVerb
    let contentMD5, contentType: [UInt8]
    let moment: StringToSign.Moment
    let headers, subResources: [(name: [UInt8], value: [UInt8]?)]
    let bucket, key: [UInt8]

    init(_ string: StringToSign) {
        (verb, moment) = (string.verb, string.moment)
        (contentMD5, contentType) = (string.contentMD5.array, string.contentType.array)
        (bucket, key) = (string.bucket.array, string.key.array)
        headers = ReadString.list(string.headers)
        subResources = ReadString.list(string.subResources)
    }

    private static func list(_ values: NamedValues) -> [(name: [UInt8], value: [UInt8]?)] {
        var list: [(name: [UInt8], value: [UInt8]?)] = []
        var position = 0
        while let pair = values.next(&position) {
            var value: [UInt8]?
            if let range = pair.value { value = values.bytes(range).array }
            list.append((values.bytes(pair.name).array, value))
        }
        return list
    }

    /// The string again.
    func written() -> [UInt8] {
        var text = "\(verb.name)\n\(contentMD5.text)\n\(contentType.text)\n"
        switch moment {
        case .date(let seconds): text += HTTPDate.write(seconds).text
        case .expires(let seconds): text += "\(seconds)"
        }
        text += "\n" + headers.map { "\($0.name.text):\($0.value?.text ?? "")\n" }.joined()
        text += bucket.isEmpty ? "/" : "/\(bucket.text)/\(key.text)"
        let query = subResources.map { pair in pair.name.text + (pair.value.map { "=\($0.text)" } ?? "") }
        return Array((text + (query.isEmpty ? "" : "?") + query.joined(separator: "&")).utf8)
    }
}
