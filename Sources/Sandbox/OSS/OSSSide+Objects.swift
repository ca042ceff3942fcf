import Bytes

// Objects: put, get, head, delete, copy.
extension OSSSide {
    // MARK: Writing

    func putObject(_ call: Call) throws -> SandboxResponse {
        let callback = try OSSUploadCallback(call)
        let description = try ObjectDescription(call.request.head.fields)
        try refuseOverwriting(call)
        let content = try OSSContent(of: call, in: store)
        let object = try put(
            content.file, description.completed(content.hash, content.checksum, type: "Normal"), call)
        var response = SandboxResponse(200)
        addIdentity(of: object, to: &response)
        response.add("Content-MD5", Base64.standard.encode(content.md5))
        return try relay(callback, object, call, response)
    }

    func copyObject(_ call: Call) throws -> SandboxResponse {
        let (source, file) = try copySource(call)
        guard try OSSPreconditions(ofSource: call.request.head).judge(source) == .holds else {
            return SandboxResponse(304)
        }
        var description = try ObjectDescription(call.request.head.fields)
        switch call.field("x-oss-metadata-directive")?.text ?? "COPY" {
        case "COPY":
            description.mediaType = source.mediaType
            description.metadata = source.metadata.filter { !OSSSide.isIdentity($0) }
        case "REPLACE": break
        case let other:
            throw OSSError.invalidArgument(
                "The metadata directive is COPY or REPLACE.", "x-oss-metadata-directive", Array(other.utf8))
        }
        try refuseOverwriting(call)
        let content = try OSSContent(copying: file, 0..<file.size, in: store)
        let object = try put(
            content.file, description.completed(content.hash, content.checksum, type: "Normal"), call)
        let document = XMLWriter.document("CopyObjectResult") { xml in
            xml.element("ETag", object.etag)
            xml.element("LastModified", OSSSide.time(object.time))
        }
        var response = SandboxResponse(200, "application/xml", document)
        addIdentity(of: object, to: &response)
        return response
    }

    /// The object that `x-oss-copy-source: /bucket/key` names, percent-encoded; its reader must be allowed to read it.
    func copySource(_ call: Call) throws -> (object: StoredObject, file: ObjectFile) {
        let field = call.field("x-oss-copy-source") ?? []
        guard !field.contains(UInt8(ascii: "?")) else { throw OSSError.notImplemented("versions of objects") }
        var out = ByteWriter()
        guard Percent.decode(field.span, plusIsSpace: false, into: &out) else { throw OSSError.invalidURI }
        let path = out.array.first == UInt8(ascii: "/") ? Array(out.array.dropFirst()) : out.array
        let bucket = Array(path.prefix { $0 != UInt8(ascii: "/") })
        let key = Array(path.dropFirst(bucket.count + 1))
        guard ObjectStore.isBucketName(bucket), OSSRequest.isKey(key) else {
            throw OSSError.invalidArgument(
                "Copy Source must mention the source bucket and key: /sourcebucket/sourcekey.", "x-oss-copy-source",
                field)
        }
        try call.require("oss:GetObject", on: key, of: bucket)
        guard store.hasBucket(bucket) else { throw OSSError.noSuchBucket(bucket) }
        guard let found = store.open(key, in: bucket) else { throw OSSError.noSuchKey(key) }
        return found
    }

    func put(_ file: StagedFile, _ description: ObjectDescription, _ call: Call) throws -> StoredObject {
        try store.put(
            file, description, as: call.key, in: call.bucket, at: call.now,
            replaces: !OSSSide.forbidsOverwriting(call))
    }

    /// Before the content is read, too, so that nobody sends it in vain.
    func refuseOverwriting(_ call: Call) throws(OSSError) {
        guard OSSSide.forbidsOverwriting(call), store.object(call.key, in: call.bucket) != nil else { return }
        throw .exists
    }

    private static func forbidsOverwriting(_ call: Call) -> Bool {
        call.request.isField("x-oss-forbid-overwrite", "true")
    }

    func deleteObject(_ call: Call) throws -> SandboxResponse {
        _ = try store.remove(call.key, from: call.bucket)
        return SandboxResponse(204)
    }

    // MARK: Reading

    func getObject(_ call: Call) throws -> SandboxResponse { try read(call, wantsContent: true) }

    func headObject(_ call: Call) throws -> SandboxResponse { try read(call, wantsContent: false) }

    func objectMeta(_ call: Call) throws -> SandboxResponse {
        guard let (object, file) = store.open(call.key, in: call.bucket) else { throw OSSError.noSuchKey(call.key) }
        var response = SandboxResponse(200)
        addIdentity(of: object, to: &response)
        response.add("Last-Modified", HTTPDate.write(object.time))
        if call.request.isMethod("HEAD") { response.content = .file(file, 0..<file.size) }
        return response
    }

    private func read(_ call: Call, wantsContent: Bool) throws -> SandboxResponse {
        guard let (object, file) = store.open(call.key, in: call.bucket) else { throw OSSError.noSuchKey(call.key) }
        let overrides = OSSOverride.all.filter { call.request.has($0.parameter) }
        let isUnchanged = try OSSPreconditions(call.request.head).judge(object) == .notModified
        let range = isUnchanged || !wantsContent ? nil : try OSSSide.range(call, file.size)
        var response = SandboxResponse(isUnchanged ? 304 : range == nil ? 200 : 206)
        if !overrides.contains(where: { $0.isType }) { response.add("Content-Type", object.mediaType) }
        addIdentity(of: object, to: &response)
        response.add("Last-Modified", HTTPDate.write(object.time))
        response.add("Accept-Ranges", Array("bytes".utf8))
        response.add("x-oss-object-type", object.ossType)
        response.add("x-oss-storage-class", Array("Standard".utf8))
        for field in object.metadata
        where !OSSSide.isIdentity(field) && !overrides.contains(where: { $0.replaces(field) }) {
            response.fields.append(field)
        }
        for override in overrides { response.add(override.field, call.request.parameter(override.parameter) ?? []) }
        if isUnchanged { return response }
        if let range {
            response.add("Content-Range", Array("bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)".utf8))
        }
        response.content = .file(file, range ?? 0..<file.size)
        return response
    }

    /// The bytes that are asked for; nil for all. Without `x-oss-range-behavior: standard` a range that leaves the object is as good as
    /// none (OSS API reference, "GetObject").
    private static func range(_ call: Call, _ size: Int) throws(OSSError) -> Range<Int>? {
        let isStandard = call.request.isField("x-oss-range-behavior", "standard")
        let field = call.field("range")
        switch ByteRange(field, of: size) {
        case .whole: return nil
        case .unsatisfiable:
            if isStandard { throw .invalidRange }
            return nil
        case .part(let range):
            if isStandard { return range }
            let last = (field ?? []).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).last ?? []
            let end = Decimal.parse(Array(last).span)
            return end.map { $0 < size } ?? true ? range : nil
        }
    }

    // MARK: Fields

    /// ETag and checksum, as most answers about an object have them.
    func addIdentity(of object: StoredObject, to response: inout SandboxResponse) {
        response.add("ETag", object.etag)
        response.add("x-oss-hash-crc64ecma", object.ossChecksum)
    }

    /// Whether it says what the bytes are, and is told apart from what the client gave.
    static func isIdentity(_ field: NameValue) -> Bool {
        field.name.span.equals("x-oss-object-type") || field.name.span.equals("x-oss-hash-crc64ecma")
    }

    /// `2026-11-20T06:15:47.000Z`
    static func time(_ seconds: Int64) -> [UInt8] { ISO8601.write(seconds).dropLast() + Array(".000Z".utf8) }
}

/// A field of an answer that a parameter of the URL sets.
private struct OSSOverride {
    let parameter: StaticString
    let field: StaticString

    static let all = [
        OSSOverride(parameter: "response-content-type", field: "Content-Type"),
        OSSOverride(parameter: "response-content-language", field: "Content-Language"),
        OSSOverride(parameter: "response-expires", field: "Expires"),
        OSSOverride(parameter: "response-cache-control", field: "Cache-Control"),
        OSSOverride(parameter: "response-content-disposition", field: "Content-Disposition"),
        OSSOverride(parameter: "response-content-encoding", field: "Content-Encoding"),
    ]

    var isType: Bool { field.bytes.equals("Content-Type") }

    func replaces(_ kept: NameValue) -> Bool { kept.name.span.equals(ignoringCase: field.bytes) }
}
