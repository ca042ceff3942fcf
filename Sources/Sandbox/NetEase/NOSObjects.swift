import Bytes

/// What NOS does with one object as a whole: reads it, writes it, deletes it.
struct NOSObjects {
    /// The largest content of one request, as the vendor's SDK has it, in bytes; larger objects are uploaded in parts.
    static let largest = 100 << 20

    let store: ObjectStore

    func answer(
        _ request: SandboxRequest, _ target: NOSTarget, of key: [UInt8], in bucket: [UInt8], _ body: BodyReader,
        at now: Int64
    ) throws -> SandboxResponse {
        if request.isMethod("GET") || request.isMethod("HEAD") { return try read(request, target, key, bucket) }
        if request.isMethod("PUT") {
            let object = try write(request, key, bucket, body, at: now)
            return SandboxResponse(200, fields: [NameValue("ETag", NOSObjects.tag(object.hash))])
        }
        guard request.isMethod("DELETE") else { throw NOSRefusal.methodNotAllowed }
        guard try store.remove(key, from: bucket) else { throw NOSRefusal.noSuchKey }
        return SandboxResponse(200)
    }

    private func read(
        _ request: SandboxRequest, _ target: NOSTarget, _ key: [UInt8], _ bucket: [UInt8]
    ) throws -> SandboxResponse {
        guard let (object, file) = store.open(key, in: bucket) else { throw NOSRefusal.noSuchKey }
        var response = SandboxResponse(200, fields: [NameValue("Content-Type", object.mediaType)])
        response.add("ETag", NOSObjects.tag(object.hash))
        response.add("Last-Modified", NOSDate.field(object.time))
        response.add("Accept-Ranges", Array("bytes".utf8))
        response.fields += object.metadata
        if let name = target.value("download") {
            response.add("Content-Disposition", Array("attachment; filename=\"".utf8) + NOSObjects.quoted(name) + [34])
        }
        var range = 0..<file.size
        switch ByteRange(request.value(of: "range"), of: file.size) {
        case .whole: break
        case .unsatisfiable: throw NOSRefusal.invalidRange
        case .part(let part):
            response.status = 206
            response.add(
                "Content-Range", Array("bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)".utf8))
            range = part
        }
        response.content = .file(file, range)
        return response
    }

    private func write(
        _ request: SandboxRequest, _ key: [UInt8], _ bucket: [UInt8], _ body: BodyReader, at now: Int64
    ) throws -> StoredObject {
        for name in ["x-nos-copy-source", "x-nos-move-source"] as [StaticString] where request.has(name) {
            throw NOSRefusal.notImplemented("\(name)")
        }
        guard body.length != nil else { throw NOSRefusal.missingLength }
        let content = try NOSContent(request, body, atMost: NOSObjects.largest, in: store)
        var description = ObjectDescription(request)
        description.hash = Hex.encode(content.md5)
        return try store.put(content.file, description, as: key, in: bucket, at: now)
    }

    /// An ETag as fields have it.
    static func tag(_ hash: [UInt8]) -> [UInt8] { [UInt8(ascii: "\"")] + hash + [UInt8(ascii: "\"")] }

    /// A name as it may stand between quotation marks.
    private static func quoted(_ name: [UInt8]) -> [UInt8] {
        name.flatMap { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), $0] : [$0] }
    }
}
