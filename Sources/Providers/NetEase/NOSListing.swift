import Bytes

/// NOS's answer to a listing, a `ListBucketResult` in XML (`GET Bucket` of the API's documentation), and the same as JSON with the
/// names that Kodo has for it.
struct NOSListing {
    private let bucket: [UInt8]
    private let prefix: [UInt8]
    private let items: [Item]
    private let commonPrefixes: [[UInt8]]
    /// Where the listing goes on; nil at its end.
    private let marker: [UInt8]?

    /// - Returns: nil for what is no such document.
    init?(_ document: [UInt8]) {
        guard let root = XMLElement.read(document), root.name.elementsEqual("ListBucketResult".utf8),
            let bucket = root.text("Name"), let isTruncated = NOSListing.flag(root.text("IsTruncated")),
            let prefix = NOSListing.name("Prefix", in: root), let next = NOSListing.name("NextMarker", in: root)
        else { return nil }
        var items: [Item] = []
        for element in root.all("Contents") {
            guard let item = Item(element) else { return nil }
            items.append(item)
        }
        var folders: [[UInt8]] = []
        for element in root.all("CommonPrefixes") {
            for folder in element.all("Prefix") { folders.append(folder.text) }
        }
        self.bucket = bucket
        self.prefix = prefix
        self.items = items
        commonPrefixes = folders
        guard isTruncated else {
            marker = nil
            return
        }
        // Without a marker of the vendor's the last name is one, as the vendor's own clients have it.
        let last = [items.last?.key, folders.last].compactMap { $0 }.max { $0.precedes($1) }
        guard let marker = next.isEmpty ? last : next else { return nil }
        self.marker = marker
    }

    /// Whether it is of a bucket, and everything that it names begins with a prefix.
    func isOf(_ bucket: [UInt8], below prefix: [UInt8]) -> Bool {
        let names = items.map(\.key) + commonPrefixes + (marker.map { [$0] } ?? [])
        return self.bucket == bucket && KeySpelling.areAlike(self.prefix, prefix)
            && names.allSatisfy { $0.starts(with: prefix) }
    }

    var json: [UInt8] {
        var out = ByteWriter(capacity: 128 * (1 + items.count))
        out.append(object: { listing in
            listing.add(
                "items",
                array: { list in
                    for item in items { list.add(object: item.write) }
                })
            if !commonPrefixes.isEmpty {
                listing.add(
                    "commonPrefixes",
                    array: { list in
                        for folder in commonPrefixes { list.add(folder) }
                    })
            }
            if let marker { listing.add("marker", marker) }
        })
        return out.array
    }

    /// The text of an element that may be missing, byte for byte; nil where there are several.
    private static func name(_ name: StaticString, in element: XMLElement) -> [UInt8]? {
        let found = element.all(name)
        return found.count > 1 ? nil : found.first?.text ?? []
    }

    private static func flag(_ text: [UInt8]?) -> Bool? {
        guard let text else { return nil }
        if text.elementsEqual("true".utf8) { return true }
        return text.elementsEqual("false".utf8) ? false : nil
    }

    /// An object of a listing.
    private struct Item {
        let key: [UInt8]
        private let hash: [UInt8]
        private let size: Int64
        /// In seconds since 1970.
        private let time: Int64

        init?(_ element: XMLElement) {
            let keys = element.all("Key")
            // The documentation's sample and the vendor's clients spell it differently.
            guard keys.count == 1, let key = keys.first?.text, !key.isEmpty,
                let hash = element.text("ETag") ?? element.text("Etag"),
                let size = element.text("Size").flatMap({ Decimal.parse($0.span) }),
                let time = element.text("LastModified").flatMap(Item.moment)
            else { return nil }
            self.key = key
            self.hash = hash
            self.size = size
            self.time = time
        }

        func write(_ json: inout JSONObject) {
            json.add("key", key)
            json.add("hash", hash)
            json.add("fsize", size)
            // In Kodo's unit, 100 ns. A year has four digits, so that nothing overflows.
            json.add("putTime", time &* 10_000_000)
        }

        /// `2012-01-01T12:00:00.000Z` of the documentation, or `2016-07-23T11:45:42 +0800` as answers have it.
        /// - Returns: seconds since 1970; nil for anything else.
        private static func moment(_ text: [UInt8]) -> Int64? {
            let civil = text.prefix(19) + [UInt8(ascii: "Z")]
            guard let seconds = ISO8601.parse(Array(civil).span) else { return nil }
            var rest = text.dropFirst(19)
            if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop { $0.isDigit } }
            if rest.elementsEqual("Z".utf8) { return seconds }
            if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
            let zone = Array(rest)
            guard zone.count == 5, zone[0] == UInt8(ascii: "+") || zone[0] == UInt8(ascii: "-"),
                let hours = Decimal.field(zone.span, 1..<3), let minutes = Decimal.field(zone.span, 3..<5),
                hours < 24, minutes < 60
            else { return nil }
            let ahead = Int64(hours * 3600 + minutes * 60)
            return zone[0] == UInt8(ascii: "+") ? seconds - ahead : seconds + ahead
        }
    }
}
