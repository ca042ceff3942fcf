import Access
import Bytes
import Crypto

/// A request of the service's own to S3 about an upload in parts (Amazon S3 API reference, CreateMultipartUpload, ListParts,
/// CompleteMultipartUpload and AbortMultipartUpload).
struct MultipartQuestion: VendorQuestion {
    private let operation: S3Multipart.Operation
    private let upload: Upload
    private let place: V4Place
    private let signer: SigningKey
    private let seal: UploadSeal
    /// Whether S3 shall complete no upload whose key has an object.
    private let mustCreate: Bool

    /// Which upload, and whose.
    struct Upload {
        let caller, bucket, key: [UInt8]
        /// S3's; empty before it has begun.
        let id: [UInt8]
        /// The type that its object gets.
        let type: [UInt8]?
        /// What its object is made of, in ascending order.
        let parts: [UploadedPart]

        init(_ permit: borrowing Permit, id: [UInt8], type: [UInt8]?, parts: [UploadedPart]) {
            (caller, bucket, key) = (permit.vendorName.array, permit.bucket.array, permit.key.array)
            self.id = id
            self.type = type
            self.parts = parts
        }
    }

    init(
        _ operation: S3Multipart.Operation, _ upload: Upload, at place: V4Place, with signer: SigningKey,
        by seal: UploadSeal, mustCreate: Bool
    ) {
        self.operation = operation
        self.upload = upload
        self.place = place
        self.signer = signer
        self.seal = seal
        self.mustCreate = mustCreate
    }

    // MARK: Asking

    func call(to authority: [UInt8], at now: Int64) throws(IssueError) -> UpstreamCall {
        let signer = V4Signer(try place.key(signer, at: now), at: now, token: signer.securityToken)
        var headers: [NameValue] = []
        if operation == .create, let type = upload.type { headers.append(NameValue("content-type", type)) }
        if operation == .complete {
            headers.append(NameValue("content-type", "application/xml"))
            if mustCreate { headers.append(NameValue("if-none-match", "*")) }
        }
        headers.append(NameValue(place.scheme.fields.contentHash, V4Scheme.unsignedPayload))
        var path = ByteWriter(capacity: 256)
        place.scheme.writePath(of: upload.bucket.span, upload.key.span, into: &path)
        var call = UpstreamCall(
            method, authority: authority, path: path.array,
            query: operation == .create ? [NameValue("uploads", [])] : [NameValue("uploadId", upload.id)],
            headers: headers + signer.headers, body: operation == .complete ? body : [])
        try call.sign(about: upload.bucket.span, key: upload.key.span, by: signer)
        call.headers.append(NameValue("user-agent", "Countersign"))
        call.isRepeatable = operation == .list
        return call
    }

    private var method: UpstreamCall.Method {
        switch operation {
        case .create, .complete: .post
        case .abort: .delete
        case .list, .part, .batch: .get
        }
    }

    private var body: [UInt8] {
        var out = ByteWriter(capacity: 64 + 128 * upload.parts.count)
        out.append("<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">")
        for part in upload.parts {
            out.append("<Part><PartNumber>")
            out.append(decimal: part.number)
            out.append("</PartNumber><ETag>")
            out.append(part.tag)
            out.append("</ETag></Part>")
        }
        out.append("</CompleteMultipartUpload>")
        return out.array
    }

    // MARK: Reading

    func read(_ answer: UpstreamAnswer) throws(VendorFault) -> VendorReply {
        switch answer.status {
        case 200: return .json(try told(answer.body))
        case 204 where operation == .abort: return .json(Array("{}".utf8))
        case 404: return .absent
        // What the caller chose is a type, parts and their tags, or a key that has an object.
        case 400, 409, 412: return .unacceptable
        case 401, 403: throw .keyRefused(status: answer.status)
        default: throw .status(answer.status)
        }
    }

    private func told(_ document: [UInt8]) throws(VendorFault) -> [UInt8] {
        if operation == .abort { return Array("{}".utf8) }
        guard let root = XMLElement.read(document) else { throw .unreadable }
        // S3 may find out that it cannot complete when it has begun to answer.
        if root.name.elementsEqual("Error".utf8) { throw .requestRefused(status: 200) }
        guard root.all("Key").allSatisfy({ $0.text == upload.key }) else { throw .unreadable }
        switch operation {
        case .create: return try told(begun: root)
        case .list: return try told(listed: root)
        default:
            return object { json in
                json.add(
                    "location",
                    text: { place.writeURL(of: upload.bucket.span, key: upload.key.span, into: &$0) })
            }
        }
    }

    private func told(begun root: XMLElement) throws(VendorFault) -> [UInt8] {
        guard let id = root.text("UploadId"), (1...UppyRequest.longestUploadID).contains(id.count),
            let sealed = try? seal.seal(
                id,
                for: UploadSeal.Subject(
                    caller: upload.caller.span, bucket: upload.bucket.span, key: upload.key.span))
        else { throw .unreadable }
        return object { json in json.add("uploadId", sealed) }
    }

    private func told(listed root: XMLElement) throws(VendorFault) -> [UInt8] {
        guard root.name.elementsEqual("ListPartsResult".utf8) else { throw .unreadable }
        var parts: [UploadedPart] = []
        for element in root.all("Part") {
            guard let part = UploadedPart(element) else { throw .unreadable }
            parts.append(part)
        }
        var out = ByteWriter(capacity: 128 * (1 + parts.count))
        out.append(array: { list in
            for part in parts {
                list.add(object: { json in
                    json.add("PartNumber", part.number)
                    json.add("ETag", part.tag)
                    json.add("Size", part.size ?? 0)
                })
            }
        })
        return out.array
    }

    private func object(_ write: (inout JSONObject) -> Void) -> [UInt8] {
        var out = ByteWriter(capacity: 512)
        out.append(object: { json in
            write(&json)
            json.add("key", upload.key)
            json.add("bucket", upload.bucket)
        })
        return out.array
    }
}
