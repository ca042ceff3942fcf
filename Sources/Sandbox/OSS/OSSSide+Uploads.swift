import Bytes
import Crypto

// Uploads in parts.
extension OSSSide {
    private static let xml: StaticString = "application/xml"
    private static let mostParts = 10_000
    /// What every part but the last must have: 100 KiB.
    private static let smallestPart = 100 << 10
    private static let longestDocument = 2 << 20

    func beginUpload(_ call: Call) throws -> SandboxResponse {
        let text = try OSSListText(call.request)
        let description = try ObjectDescription(call.request.head.fields)
        try refuseOverwriting(call)
        let id = try uploads.begin(
            PartUpload(bucket: call.bucket, key: call.key, description: description, time: call.now))
        let document = XMLWriter.document("InitiateMultipartUploadResult") { xml in
            if text.isEncoded { xml.element("EncodingType", "url") }
            xml.element("Bucket", call.bucket)
            xml.element("Key", text.write(call.key))
            xml.element("UploadId", id)
        }
        return SandboxResponse(200, OSSSide.xml, document)
    }

    /// The upload that a request names, with its identifier.
    private func upload(_ call: Call) throws(OSSError) -> (id: [UInt8], upload: PartUpload) {
        let id = call.request.parameter("uploadId") ?? []
        guard let upload = uploads.upload(id, of: call.key, in: call.bucket) else { throw .noSuchUpload(id) }
        return (id, upload)
    }

    // MARK: Parts

    func uploadPart(_ call: Call) throws -> SandboxResponse {
        let number = try OSSSide.partNumber(call)
        let (id, _) = try upload(call)
        let content = try OSSContent(of: call, in: store)
        try add(content, number, to: id, at: call.now)
        var response = SandboxResponse(200)
        response.add("ETag", OSSSide.quoted(content.hash))
        response.add("Content-MD5", Base64.standard.encode(content.md5))
        response.add("x-oss-hash-crc64ecma", Array(text: "\(content.checksum)"))
        return response
    }

    func copyPart(_ call: Call) throws -> SandboxResponse {
        let number = try OSSSide.partNumber(call)
        let (id, _) = try upload(call)
        let (source, file) = try copySource(call)
        guard try OSSPreconditions(ofSource: call.request.head).judge(source) == .holds else {
            return SandboxResponse(304)
        }
        var range = 0..<file.size
        if call.request.head.has("x-oss-copy-source-range") {
            guard case .part(let part) = ByteRange(call.field("x-oss-copy-source-range"), of: file.size) else {
                throw OSSError.invalidRange
            }
            range = part
        }
        let content = try OSSContent(copying: file, range, in: store)
        try add(content, number, to: id, at: call.now)
        let document = XMLWriter.document("CopyPartResult") { xml in
            xml.element("LastModified", OSSSide.time(call.now))
            xml.element("ETag", OSSSide.quoted(content.hash))
        }
        var response = SandboxResponse(200, OSSSide.xml, document)
        response.add("x-oss-hash-crc64ecma", Array(text: "\(content.checksum)"))
        return response
    }

    private func add(_ content: OSSContent, _ number: Int, to id: [UInt8], at now: Int64) throws(OSSError) {
        var part = UploadedPart(size: content.file.size, hash: content.hash, time: now, file: PartFile(content.file))
        part.checksum = content.checksum
        // It may have been ended while the part arrived.
        guard uploads.add(part, number: number, to: id) else { throw .noSuchUpload(id) }
    }

    private static func partNumber(_ call: Call) throws(OSSError) -> Int {
        let number = try call.request.number("partNumber", 1...mostParts, otherwise: 0)
        guard number > 0 else { throw .invalidArgument("Part number must be an integer between 1 and 10000.") }
        return number
    }

    private static func quoted(_ hash: [UInt8]) -> [UInt8] { [UInt8(ascii: "\"")] + hash + [UInt8(ascii: "\"")] }

    // MARK: The end

    func completeUpload(_ call: Call) throws -> SandboxResponse {
        let callback = try OSSUploadCallback(call)
        let text = try OSSListText(call.request)
        let (id, upload) = try upload(call)
        let parts = try chosenParts(call, of: upload)
        try refuseOverwriting(call)
        let file = try store.join(parts)
        let object = try put(
            file,
            upload.description.completed(
                try OSSSide.hash(of: parts), OSSSide.checksum(of: parts), type: "Multipart"), call)
        uploads.end(id)
        let location = Array("http://".utf8) + call.request.head.host + call.request.head.path
        let document = XMLWriter.document("CompleteMultipartUploadResult") { xml in
            if text.isEncoded { xml.element("EncodingType", "url") }
            xml.element("Location", location)
            xml.element("Bucket", call.bucket)
            xml.element("Key", text.write(call.key))
            xml.element("ETag", object.etag)
        }
        var response = SandboxResponse(200, OSSSide.xml, document)
        addIdentity(of: object, to: &response)
        return try relay(callback, object, call, response)
    }

    /// The parts that the client lists, in order, or all that there are.
    private func chosenParts(_ call: Call, of upload: PartUpload) throws -> [UploadedPart] {
        let body = try call.body.readAll(atMost: OSSSide.longestDocument)
        let parts: [UploadedPart]
        if call.request.isField("x-oss-complete-all", "yes") {
            guard body.isEmpty else {
                throw OSSError.invalidArgument("With x-oss-complete-all there must be no list of parts.")
            }
            parts = upload.parts.sorted { $0.key < $1.key }.map(\.value)
            guard !parts.isEmpty else { throw OSSError.invalidPart }
        } else {
            parts = try OSSSide.listedParts(body, of: upload)
        }
        for part in parts.dropLast() where part.size < OSSSide.smallestPart { throw OSSError.entityTooSmall }
        return parts
    }

    private static func listedParts(_ body: [UInt8], of upload: PartUpload) throws(OSSError) -> [UploadedPart] {
        guard let document = XMLElement.read(body), document.name.span.equals("CompleteMultipartUpload"),
            case let listed = document.all("Part"), (1...mostParts).contains(listed.count)
        else { throw .malformedXML }
        var parts: [UploadedPart] = []
        var last = 0
        for element in listed {
            guard let digits = element.text("PartNumber"), let tag = element.text("ETag"),
                let number = Decimal.parse(digits.span, maximum: Int64(mostParts)).map(Int.init)
            else { throw .malformedXML }
            guard number > last else { throw .invalidPartOrder }
            last = number
            let hash = tag.filter { $0 != UInt8(ascii: "\"") }
            guard let part = upload.parts[number], part.hash.span.equals(ignoringCase: hash.span) else {
                throw .invalidPart
            }
            parts.append(part)
        }
        return parts
    }

    /// The digest of the parts' digests, and how many there are.
    private static func hash(of parts: [UploadedPart]) throws(CryptoError) -> [UInt8] {
        let digests = parts.flatMap { Hex.decode($0.hash.span) ?? [] }
        return Hex.encode(try Digest(.md5, of: digests.span).bytes.array).map(\.uppercasedASCII)
            + Array("-\(parts.count)".utf8)
    }

    private static func checksum(of parts: [UploadedPart]) -> UInt64 {
        parts.reduce(CRC64().value) { CRC64.joined($0, $1.checksum, count: $1.size) }
    }

    func abortUpload(_ call: Call) throws -> SandboxResponse {
        uploads.end(try upload(call).id)
        return SandboxResponse(204)
    }

    // MARK: Listing

    func listParts(_ call: Call) throws -> SandboxResponse {
        let text = try OSSListText(call.request)
        let limit = try call.request.number("max-parts", 1...1000, otherwise: 1000)
        let marker = try call.request.number("part-number-marker", 0...OSSSide.mostParts, otherwise: 0)
        let (id, upload) = try upload(call)
        let rest = upload.parts.filter { $0.key > marker }.sorted { $0.key < $1.key }
        let document = XMLWriter.document("ListPartsResult") { xml in
            if text.isEncoded { xml.element("EncodingType", "url") }
            xml.element("Bucket", call.bucket)
            xml.element("Key", text.write(call.key))
            xml.element("UploadId", id)
            xml.element("StorageClass", "Standard")
            xml.element("PartNumberMarker", marker)
            xml.element("NextPartNumberMarker", rest.prefix(limit).last?.key ?? marker)
            xml.element("MaxParts", limit)
            xml.element("IsTruncated", rest.count > limit)
            for (number, part) in rest.prefix(limit) {
                xml.element("Part") { xml in
                    xml.element("PartNumber", number)
                    xml.element("LastModified", OSSSide.time(part.time))
                    xml.element("ETag", OSSSide.quoted(part.hash))
                    xml.element("HashCrc64ecma", Array(text: "\(part.checksum)"))
                    xml.element("Size", part.size)
                }
            }
        }
        return SandboxResponse(200, OSSSide.xml, document)
    }

    func listUploads(_ call: Call) throws -> SandboxResponse {
        let text = try OSSListText(call.request)
        let limit = try call.request.number("max-uploads", 1...1000, otherwise: 1000)
        guard call.request.parameter("delimiter")?.isEmpty ?? true else {
            throw OSSError.notImplemented("uploads listed with a delimiter")
        }
        let prefix = call.request.parameter("prefix") ?? []
        let keyMarker = call.request.parameter("key-marker") ?? []
        let idMarker = call.request.parameter("upload-id-marker") ?? []
        var all = uploads.all(in: call.bucket).filter { $0.upload.key.starts(with: prefix) }
        if !idMarker.isEmpty, let index = all.firstIndex(where: { $0.id == idMarker && $0.upload.key == keyMarker }) {
            all.removeFirst(index + 1)
        } else {
            all.removeAll { !keyMarker.precedes($0.upload.key) }
        }
        let page = all.prefix(limit)
        let document = XMLWriter.document("ListMultipartUploadsResult") { xml in
            if text.isEncoded { xml.element("EncodingType", "url") }
            xml.element("Bucket", call.bucket)
            xml.element("KeyMarker", text.write(keyMarker))
            xml.element("UploadIdMarker", idMarker)
            // Empty where nothing is left: clients look for them always.
            let next = all.count > limit ? page.last : nil
            xml.element("NextKeyMarker", text.write(next?.upload.key ?? []))
            xml.element("NextUploadIdMarker", next?.id ?? [])
            xml.element("Delimiter", "")
            xml.element("Prefix", text.write(prefix))
            xml.element("MaxUploads", limit)
            xml.element("IsTruncated", all.count > limit)
            for (id, upload) in page {
                xml.element("Upload") { xml in
                    xml.element("Key", text.write(upload.key))
                    xml.element("UploadId", id)
                    xml.element("StorageClass", "Standard")
                    xml.element("Initiated", OSSSide.time(upload.time))
                }
            }
        }
        return SandboxResponse(200, OSSSide.xml, document)
    }
}
