import Bytes
import Crypto

/// Uploads in parts by signed requests (Initiate, Upload Part, List Parts, Complete, Abort, List Multipart Uploads).
struct NOSParts {
    /// What every part but the last must have, in bytes.
    private static let smallest = 16 << 10
    private static let numbers: ClosedRange<Int64> = 1...10_000
    /// How many parts or uploads a list has at most, and where the client does not say it.
    private static let mostListed: Int64 = 1000
    /// Bytes of the document that completes an upload: room for all parts.
    private static let longestDocument = 4 << 20

    let store: ObjectStore
    let uploads: PartUploads

    /// Answers a request about one object with `uploads` or `uploadId`.
    func answer(
        _ request: SandboxRequest, _ target: NOSTarget, of key: [UInt8], in bucket: [UInt8], _ body: BodyReader,
        at now: Int64
    ) throws -> SandboxResponse {
        if target.has("uploads") {
            guard request.isMethod("POST") else { throw NOSRefusal.methodNotAllowed }
            return try begin(ObjectDescription(request), key, bucket, at: now)
        }
        guard let id = target.value("uploadId"), let upload = uploads.upload(id, of: key, in: bucket) else {
            throw NOSRefusal.noSuchUpload
        }
        if request.isMethod("PUT") {
            guard let number = try target.number("partNumber", in: NOSParts.numbers) else {
                throw NOSRefusal.invalid("partNumber")
            }
            guard body.length != nil else { throw NOSRefusal.missingLength }
            return try take(try NOSContent(request, body, atMost: NOSObjects.largest, in: store), number, id, at: now)
        }
        if request.isMethod("GET") { return try list(upload, id, target) }
        if request.isMethod("POST") {
            let document = try body.readAll(atMost: NOSParts.longestDocument)
            return try complete(upload, id, document, request, at: now)
        }
        guard request.isMethod("DELETE") else { throw NOSRefusal.methodNotAllowed }
        uploads.end(id)
        return SandboxResponse(200)
    }

    private func begin(
        _ description: ObjectDescription, _ key: [UInt8], _ bucket: [UInt8], at now: Int64
    ) throws -> SandboxResponse {
        let id = try uploads.begin(PartUpload(bucket: bucket, key: key, description: description, time: now))
        return NOSBuckets.xml(
            XMLWriter.document("InitiateMultipartUploadResult") { xml in
                xml.element("Bucket", bucket)
                xml.element("Key", key)
                xml.element("UploadId", id)
            })
    }

    private func take(
        _ content: NOSContent, _ number: Int, _ id: [UInt8], at now: Int64
    ) throws -> SandboxResponse {
        let hash = Hex.encode(content.md5)
        let part = UploadedPart(size: content.file.size, hash: hash, time: now, file: PartFile(content.file))
        guard uploads.add(part, number: number, to: id) else { throw NOSRefusal.noSuchUpload }
        return SandboxResponse(200, fields: [NameValue("ETag", NOSObjects.tag(hash))])
    }

    // MARK: The end

    private func complete(
        _ upload: PartUpload, _ id: [UInt8], _ document: [UInt8], _ request: SandboxRequest, at now: Int64
    ) throws -> SandboxResponse {
        let parts = try NOSParts.chosen(document, of: upload)
        for part in parts.dropLast() where part.size < NOSParts.smallest { throw NOSRefusal.tooSmall }
        let content = try NOSContent(joining: parts, in: store)
        if let announced = request.value(of: "x-nos-object-md5") {
            guard Hex.decode(announced.span) == content.md5 else { throw NOSRefusal.badDigest }
        }
        var description = upload.description
        let digests = parts.flatMap { Hex.decode($0.hash.span) ?? [] }
        description.hash =
            Hex.encode(try Digest(.md5, of: digests.span).bytes.array) + Array("-\(parts.count)".utf8)
        // Whoever completes it twice at once makes the same object twice.
        try store.put(content.file, description, as: upload.key, in: upload.bucket, at: now)
        uploads.end(id)
        return NOSBuckets.xml(
            XMLWriter.document("CompleteMultipartUploadResult") { xml in
                xml.element("Location", request.host + [UInt8(ascii: "/")] + upload.key)
                xml.element("Bucket", upload.bucket)
                xml.element("Key", upload.key)
                xml.element("ETag", NOSObjects.tag(description.hash))
            })
    }

    /// The parts that the client's document names, in its order.
    private static func chosen(_ document: [UInt8], of upload: PartUpload) throws(NOSRefusal) -> [UploadedPart] {
        guard let root = XMLElement.read(document), root.name.elementsEqual("CompleteMultipartUpload".utf8),
            !root.all("Part").isEmpty
        else { throw .malformedXML }
        var parts: [UploadedPart] = []
        var last = 0
        for element in root.all("Part") {
            guard let digits = element.text("PartNumber"), let number = Decimal.parse(digits.span),
                let tag = element.text("ETag")
            else { throw .malformedXML }
            guard numbers.contains(number), let part = upload.parts[Int(number)],
                part.hash.elementsEqual(tag.filter { $0 != UInt8(ascii: "\"") })
            else { throw .invalidPart }
            guard Int(number) > last else { throw .invalidPartOrder }
            last = Int(number)
            parts.append(part)
        }
        return parts
    }

    // MARK: Lists

    private func list(_ upload: PartUpload, _ id: [UInt8], _ target: NOSTarget) throws -> SandboxResponse {
        let limit = try target.number("max-parts", in: 0...NOSParts.mostListed) ?? Int(NOSParts.mostListed)
        let marker = try target.number("part-number-marker", in: 0...NOSParts.numbers.upperBound) ?? 0
        let left = upload.parts.filter { $0.key > marker }.sorted { $0.key < $1.key }
        let told = left.prefix(limit)
        return NOSBuckets.xml(
            XMLWriter.document("ListPartsResult") { xml in
                xml.element("Bucket", upload.bucket)
                xml.element("Key", upload.key)
                xml.element("UploadId", id)
                NOSBuckets.writeOwner(into: &xml)
                xml.element("StorageClass", "Standard")
                xml.element("PartNumberMarker", marker)
                if let last = told.last { xml.element("NextPartNumberMarker", last.key) }
                xml.element("MaxParts", limit)
                xml.element("IsTruncated", told.count < left.count && limit > 0)
                for (number, part) in told {
                    xml.element("Part") { xml in
                        xml.element("PartNumber", number)
                        xml.element("LastModified", NOSDate.element(part.time))
                        xml.element("ETag", NOSObjects.tag(part.hash))
                        xml.element("Size", part.size)
                    }
                }
            })
    }

    /// Answers a request about a bucket with `uploads`.
    func list(_ target: NOSTarget, in bucket: [UInt8]) throws -> SandboxResponse {
        let limit = try target.number("max-uploads", in: 0...NOSParts.mostListed) ?? Int(NOSParts.mostListed)
        let (prefix, marker) = (target.value("prefix") ?? [], target.value("key-marker") ?? [])
        let left = uploads.all(in: bucket).filter { found in
            found.upload.key.starts(with: prefix) && (marker.isEmpty || marker.precedes(found.upload.key))
        }
        let told = left.prefix(limit)
        return NOSBuckets.xml(
            XMLWriter.document("ListMultipartUploadsResult") { xml in
                xml.element("Bucket", bucket)
                xml.element("KeyMarker", marker)
                if let last = told.last, told.count < left.count { xml.element("NextKeyMarker", last.upload.key) }
                xml.element("IsTruncated", told.count < left.count && limit > 0)
                for (id, upload) in told {
                    xml.element("Upload") { xml in
                        xml.element("Key", upload.key)
                        xml.element("UploadId", id)
                        NOSBuckets.writeOwner(into: &xml)
                        xml.element("StorageClass", "Standard")
                        xml.element("Initiated", NOSDate.element(upload.time))
                    }
                }
            })
    }
}
