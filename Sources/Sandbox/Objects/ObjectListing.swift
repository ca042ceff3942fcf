import Bytes

/// What a client asks to be listed.
struct ListRequest {
    var prefix: [UInt8] = []
    /// What follows the prefix up to here is told once for all objects that share it; empty for none.
    var delimiter: [UInt8] = []
    /// Names that come after this one, in the order of their bytes; empty for all.
    var after: [UInt8] = []
    /// The most names that are told, objects and common prefixes together.
    var limit: Int
}

/// Part of a bucket's objects, in the order of their keys' bytes.
struct ObjectListing {
    var objects: [StoredObject] = []
    var commonPrefixes: [[UInt8]] = []
    /// The name after which the next part begins; nil when nothing is left.
    var next: [UInt8]?

    /// - Parameters:
    ///   - keys: of all objects, in order.
    ///   - object: what is stored under a key.
    init(_ request: ListRequest, of keys: [[UInt8]], _ object: ([UInt8]) -> StoredObject?) {
        let start = request.prefix.precedes(request.after) ? request.after : request.prefix
        var index = ObjectListing.firstIndex(notBefore: start, in: keys)
        var last: [UInt8] = []
        while index < keys.count, keys[index].starts(with: request.prefix) {
            let key = keys[index]
            let rolled = ObjectListing.commonPrefix(of: key, request)
            let name = rolled ?? key
            if !request.after.isEmpty, !request.after.precedes(name) {
                index += 1
                continue
            }
            guard objects.count + commonPrefixes.count < request.limit else {
                next = last
                return
            }
            if let rolled {
                commonPrefixes.append(rolled)
                while index < keys.count, keys[index].starts(with: rolled) { index += 1 }
            } else {
                if let object = object(key) { objects.append(object) }
                index += 1
            }
            last = name
        }
    }

    /// The part of a key up to the first delimiter behind the prefix; nil where there is none.
    private static func commonPrefix(of key: [UInt8], _ request: ListRequest) -> [UInt8]? {
        guard !request.delimiter.isEmpty else { return nil }
        let rest = key.dropFirst(request.prefix.count)
        return rest.firstRange(of: request.delimiter).map { Array(key[..<$0.upperBound]) }
    }

    private static func firstIndex(notBefore name: [UInt8], in keys: [[UInt8]]) -> Int {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle].precedes(name) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
