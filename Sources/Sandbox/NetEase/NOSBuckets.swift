import Bytes

/// What NOS does with buckets: tells them, makes them, lists what is in one.
struct NOSBuckets {
    /// How many names a list has where the client does not say it, and at most.
    private static let usualKeys = 100
    private static let mostKeys: Int64 = 1000

    let store: ObjectStore

    /// Answers a request for the service itself.
    func answer(_ request: SandboxRequest) throws(NOSRefusal) -> SandboxResponse {
        guard request.isMethod("GET") else { throw .methodNotAllowed }
        return NOSBuckets.xml(
            XMLWriter.document("ListAllMyBucketsResult") { xml in
                NOSBuckets.writeOwner(into: &xml)
                xml.element("Buckets") { xml in
                    for name in store.bucketNames {
                        xml.element("Bucket") { xml in xml.element("Name", name) }
                    }
                }
            })
    }

    /// Answers a request for a bucket itself.
    func answer(_ request: SandboxRequest, _ target: NOSTarget, of bucket: [UInt8]) throws -> SandboxResponse {
        if request.isMethod("PUT") {
            guard ObjectStore.isBucketName(bucket) else { throw NOSRefusal.invalidBucketName }
            guard !store.hasBucket(bucket) else { throw NOSRefusal.bucketExists }
            try store.makeBucket(bucket)
            return SandboxResponse(200)
        }
        guard store.hasBucket(bucket) else { throw NOSRefusal.noSuchBucket }
        if request.isMethod("GET") { return try list(target, bucket) }
        if request.isMethod("HEAD") { return SandboxResponse(200) }
        if request.isMethod("DELETE") { throw NOSRefusal.notImplemented("deleting a bucket") }
        throw NOSRefusal.methodNotAllowed
    }

    private func list(_ target: NOSTarget, _ bucket: [UInt8]) throws -> SandboxResponse {
        let limit = try target.number("max-keys", in: 0...NOSBuckets.mostKeys) ?? NOSBuckets.usualKeys
        let wanted = ListRequest(
            prefix: target.value("prefix") ?? [], delimiter: target.value("delimiter") ?? [],
            after: target.value("marker") ?? [], limit: limit)
        let found = try store.list(wanted, in: bucket)
        return NOSBuckets.xml(
            XMLWriter.document("ListBucketResult") { xml in
                xml.element("Name", bucket)
                xml.element("Prefix", wanted.prefix)
                xml.element("Marker", wanted.after)
                if !wanted.delimiter.isEmpty { xml.element("Delimiter", wanted.delimiter) }
                xml.element("MaxKeys", limit)
                if let next = found.next, limit > 0 { xml.element("NextMarker", next) }
                xml.element("IsTruncated", found.next != nil && limit > 0)
                for object in found.objects {
                    xml.element("Contents") { xml in
                        xml.element("Key", object.key)
                        xml.element("LastModified", NOSDate.element(object.time))
                        xml.element("Etag", object.hash)
                        xml.element("Size", object.size)
                        xml.element("StorageClass", "Standard")
                    }
                }
                for prefix in found.commonPrefixes {
                    xml.element("CommonPrefixes") { xml in xml.element("Prefix", prefix) }
                }
            })
    }

    /// Deletes the objects that a document names, and tells of each what came of it.
    func delete(_ document: [UInt8], from bucket: [UInt8]) throws -> SandboxResponse {
        guard let root = XMLElement.read(document), root.name.elementsEqual("Delete".utf8),
            (1...Int(NOSBuckets.mostKeys)).contains(root.all("Object").count)
        else { throw NOSRefusal.malformedXML }
        let isQuiet = root.text("Quiet")?.elementsEqual("true".utf8) ?? false
        var results: [(key: [UInt8], isDone: Bool)] = []
        for object in root.all("Object") {
            guard let key = object.all("Key").first?.text else { throw NOSRefusal.malformedXML }
            results.append((key, try store.remove(key, from: bucket)))
        }
        return NOSBuckets.xml(
            XMLWriter.document("DeleteResult") { xml in
                for result in results where result.isDone && !isQuiet {
                    xml.element("Deleted") { xml in xml.element("Key", result.key) }
                }
                for result in results where !result.isDone {
                    xml.element("Error") { xml in
                        xml.element("Key", result.key)
                        xml.element("Code", NOSRefusal.noSuchKey.code)
                        xml.element("Message", NOSRefusal.noSuchKey.message)
                    }
                }
            })
    }

    // MARK: Documents

    static func xml(_ document: [UInt8]) -> SandboxResponse {
        SandboxResponse(200, "application/xml; charset=utf-8", document)
    }

    static func writeOwner(into xml: inout XMLWriter) {
        xml.element("Owner") { xml in
            xml.element("ID", "sandbox")
            xml.element("DisplayName", "sandbox")
        }
    }
}
