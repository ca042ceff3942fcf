import Bytes

/// An object that is there: what its vendor knows of it beside its bytes.
struct StoredObject: Sendable, Equatable {
    let key: [UInt8]
    /// In bytes.
    let size: Int
    /// When it was stored: seconds since 1970, and the nanoseconds within that second.
    var time: Int64
    var nanoseconds: Int64 = 0
    /// By the vendor's rule: a digest in its own spelling, without quotes.
    let hash: [UInt8]
    let mediaType: [UInt8]
    /// What else the vendor keeps: fields of the upload such as `x-oss-meta-color`, or Qiniu's `endUser`.
    var metadata: [NameValue] = []
}

/// What an upload becomes when it is complete.
struct ObjectDescription: Sendable {
    var hash: [UInt8]
    var mediaType: [UInt8]
    var metadata: [NameValue] = []
}

extension StoredObject {
    /// The object's record beside it on the disk, one object of JSON.
    var record: [UInt8] {
        var out = ByteWriter(capacity: 512)
        out.append(object: { json in
            json.add("key", Base64.standard.encode(key))
            json.add("size", size)
            json.add("time", time)
            json.add("nanoseconds", nanoseconds)
            json.add("hash", hash)
            json.add("mediaType", Base64.standard.encode(mediaType))
            json.add(
                "metadata",
                array: { array in
                    for field in metadata {
                        array.add(Base64.standard.encode(field.name))
                        array.add(Base64.standard.encode(field.value))
                    }
                })
        })
        return out.array
    }

    /// Reads a record.
    /// - Returns: nil for another text than a record, and for values that no object has.
    static func read(_ record: [UInt8]) -> StoredObject? {
        guard let json = try? JSONReader.read(record, as: .json), let key = bytes(json["key"]),
            let size = json["size"]?.integer, size >= 0, let time = json["time"]?.integer, times.contains(time),
            let nanoseconds = json["nanoseconds"]?.integer, (0..<1_000_000_000).contains(nanoseconds),
            let hash = json["hash"]?.text, hash.allSatisfy(\.isVisible),
            let mediaType = bytes(json["mediaType"]), case .array(let texts)? = json["metadata"]?.content,
            texts.count % 2 == 0
        else { return nil }
        var object = StoredObject(
            key: key, size: Int(size), time: time, nanoseconds: nanoseconds, hash: hash, mediaType: mediaType)
        for index in stride(from: 0, to: texts.count, by: 2) {
            guard let name = bytes(texts[index]), let value = bytes(texts[index + 1]) else { return nil }
            object.metadata.append(NameValue(name, value))
        }
        return object
    }

    /// Seconds since 1970: what a date of HTTP can say, until the end of the year 9999.
    private static let times: ClosedRange<Int64> = 0...253_402_300_799

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.text.flatMap { Base64.standard.decode($0.span) }
    }
}
