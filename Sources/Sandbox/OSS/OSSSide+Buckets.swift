import Bytes
import Crypto

// Buckets: list, make, describe, list what is in them, delete several objects.
extension OSSSide {
    /// The sandbox stands for all regions; this is the one that it tells.
    private static let location = Array("oss-cn-hangzhou".utf8)
    /// When its buckets were made: it does not keep that.
    private static let creation = Array("2026-01-01T00:00:00.000Z".utf8)
    private static let xml: StaticString = "application/xml"

    /// Keys that one request deletes.
    private static let mostDeleted = 1000
    private static let longestDocument = 2 << 20

    func listBuckets(_ call: Call) -> SandboxResponse {
        let prefix = call.request.parameter("prefix") ?? []
        let document = XMLWriter.document("ListAllMyBucketsResult") { xml in
            OSSSide.addOwner(call, to: &xml)
            xml.element("Buckets") { xml in
                for name in store.bucketNames where name.starts(with: prefix) {
                    xml.element("Bucket") { xml in OSSSide.addBucket(name, call, to: &xml) }
                }
            }
        }
        return SandboxResponse(200, OSSSide.xml, document)
    }

    func putBucket(_ call: Call) throws -> SandboxResponse {
        _ = try ObjectDescription(call.request.head.fields)
        _ = try call.body.readAll(atMost: OSSSide.longestDocument)
        try store.makeBucket(call.bucket)
        return SandboxResponse(200, fields: [NameValue("Location", [UInt8(ascii: "/")] + call.bucket)])
    }

    func bucketInfo(_ call: Call) -> SandboxResponse {
        let document = XMLWriter.document("BucketInfo") { xml in
            xml.element("Bucket") { xml in
                OSSSide.addBucket(call.bucket, call, to: &xml)
                OSSSide.addOwner(call, to: &xml)
                xml.element("AccessControlList") { xml in xml.element("Grant", "private") }
            }
        }
        return SandboxResponse(200, OSSSide.xml, document)
    }

    func bucketLocation(_ call: Call) -> SandboxResponse {
        var document = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<LocationConstraint>".utf8)
        document += OSSSide.location + Array("</LocationConstraint>".utf8)
        return SandboxResponse(200, OSSSide.xml, document)
    }

    private static func addBucket(_ name: [UInt8], _ call: Call, to xml: inout XMLWriter) {
        xml.element("Name", name)
        xml.element("Location", location)
        xml.element("CreationDate", creation)
        let host = call.request.head.host
        xml.element("ExtranetEndpoint", host)
        xml.element("IntranetEndpoint", host)
        xml.element("StorageClass", "Standard")
    }

    static func addOwner(_ call: Call, to xml: inout XMLWriter) {
        xml.element("Owner") { xml in
            xml.element("ID", call.caller.account)
            xml.element("DisplayName", call.caller.account)
        }
    }

    // MARK: Listing

    func listObjects(_ call: Call) throws -> SandboxResponse {
        let isV2 = try OSSSide.isVersion2(call)
        let text = try OSSListText(call.request)
        var request = ListRequest(limit: try call.request.number("max-keys", 1...1000, otherwise: 100))
        request.prefix = call.request.parameter("prefix") ?? []
        request.delimiter = call.request.parameter("delimiter") ?? []
        request.after = call.request.parameter(isV2 ? "start-after" : "marker") ?? []
        if isV2, let token = call.request.parameter("continuation-token") {
            guard let after = Base64.standard.decode(token.span) else {
                throw OSSError.invalidArgument("The continuation token is invalid.", "continuation-token", token)
            }
            request.after = after
        }
        let listing = try store.list(request, in: call.bucket)
        let document = XMLWriter.document("ListBucketResult") { xml in
            xml.element("Name", call.bucket)
            xml.element("Prefix", text.write(request.prefix))
            if isV2 {
                OSSSide.addPageV2(call, listing, text, to: &xml)
            } else {
                xml.element("Marker", text.write(request.after))
                if let next = listing.next { xml.element("NextMarker", text.write(next)) }
            }
            xml.element("MaxKeys", request.limit)
            xml.element("Delimiter", text.write(request.delimiter))
            if text.isEncoded { xml.element("EncodingType", "url") }
            xml.element("IsTruncated", listing.next != nil)
            let hasOwner = !isV2 || call.request.isParameter("fetch-owner", "true")
            for object in listing.objects {
                xml.element("Contents") { xml in
                    OSSSide.add(object, text, to: &xml)
                    if hasOwner { OSSSide.addOwner(call, to: &xml) }
                }
            }
            for prefix in listing.commonPrefixes {
                xml.element("CommonPrefixes") { xml in xml.element("Prefix", text.write(prefix)) }
            }
        }
        return SandboxResponse(200, OSSSide.xml, document)
    }

    private static func isVersion2(_ call: Call) throws(OSSError) -> Bool {
        guard let type = call.request.parameter("list-type") else { return false }
        guard type.span.equals("2") else { throw .invalidArgument("The list type is 2.", "list-type", type) }
        return true
    }

    private static func addPageV2(_ call: Call, _ listing: ObjectListing, _ text: OSSListText, to xml: inout XMLWriter)
    {
        if let start = call.request.parameter("start-after") { xml.element("StartAfter", text.write(start)) }
        if let token = call.request.parameter("continuation-token") { xml.element("ContinuationToken", token) }
        if let next = listing.next { xml.element("NextContinuationToken", Base64.standard.encode(next)) }
        xml.element("KeyCount", listing.objects.count + listing.commonPrefixes.count)
    }

    private static func add(_ object: StoredObject, _ text: OSSListText, to xml: inout XMLWriter) {
        xml.element("Key", text.write(object.key))
        xml.element("LastModified", time(object.time))
        xml.element("ETag", object.etag)
        xml.element("Type", object.ossType)
        xml.element("Size", object.size)
        xml.element("StorageClass", "Standard")
    }

    // MARK: Deleting several objects

    func deleteObjects(_ call: Call) throws -> SandboxResponse {
        guard let announced = try OSSContent.announcedMD5(call.request.head) else { throw OSSError.missingArgument }
        let text = try OSSListText(call.request)
        let body = try call.body.readAll(atMost: OSSSide.longestDocument)
        guard try Digest(.md5, of: body.span).bytes.array == announced else { throw OSSError.invalidDigest }
        guard let document = XMLElement.read(body), document.name.span.equals("Delete") else {
            throw OSSError.malformedXML
        }
        let objects = document.all("Object")
        guard (1...OSSSide.mostDeleted).contains(objects.count) else { throw OSSError.malformedXML }
        let keys = try objects.map { object throws(OSSError) in
            let names = object.all("Key")
            // White space belongs to a key.
            guard names.count == 1, let key = names.first?.text, OSSRequest.isKey(key) else { throw .malformedXML }
            guard object.all("VersionId").isEmpty else { throw .notImplemented("versions of objects") }
            return key
        }
        for key in keys { try call.require("oss:DeleteObject", on: key) }
        for key in keys { _ = try store.remove(key, from: call.bucket) }
        let isQuiet = document.text("Quiet") == Array("true".utf8)
        guard !isQuiet else { return SandboxResponse(200) }
        let answer = XMLWriter.document("DeleteResult") { xml in
            if text.isEncoded { xml.element("EncodingType", "url") }
            for key in keys { xml.element("Deleted") { xml in xml.element("Key", text.write(key)) } }
        }
        return SandboxResponse(200, OSSSide.xml, answer)
    }
}

/// How names are written in a listing: as they are, or encoded where the client has asked for it (`encoding-type=url`).
struct OSSListText {
    let isEncoded: Bool

    init(_ request: OSSRequest) throws(OSSError) {
        guard let type = request.parameter("encoding-type"), !type.isEmpty else {
            isEncoded = false
            return
        }
        guard type.span.equals("url") else {
            throw .invalidArgument("The encoding type is url.", "encoding-type", type)
        }
        isEncoded = true
    }

    func write(_ name: [UInt8]) -> [UInt8] {
        guard isEncoded else { return name }
        var out = ByteWriter(capacity: name.count * 3)
        Percent.encode(name.span, into: &out)
        return out.array
    }
}
