import Access
import Bytes
import Crypto

/// A request of the service's own to S3 about an upload in parts (Amazon S3 API reference, CreateMultipartUpload, ListParts,
/// CompleteMultipartUpload and AbortMultipartUpload).
struct MultipartQuestion: VendorQuestion {
    let operation: VendorOperation
    private let kind: S3Multipart.Operation
    private let upload: Upload
    private let place: V4Place
    private let signer: SigningKey
    private let seal: UploadSeal
    private let terms: Terms

    /// How uploads are completed.
    struct Terms {
        /// Whether S3 shall complete no upload whose key has an object.
        let mustCreate: Bool
        /// In milliseconds.
        let completeTimeout: Int64
    }

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

        /// The same upload once it has begun.
        init(_ upload: Upload, id: [UInt8]) {
            (caller, bucket, key) = (upload.caller, upload.bucket, upload.key)
            (self.id, type, parts) = (id, nil, [])
        }
    }

    /// - Parameter terms: the grant's.
    init(
        _ kind: S3Multipart.Operation, _ upload: Upload, at place: V4Place, with signer: SigningKey,
        by seal: UploadSeal,
        _ terms: Terms
    ) {
        self.kind = kind
        self.upload = upload
        self.place = place
        self.signer = signer
        self.seal = seal
        self.terms = terms
        operation = VendorOperation(
            kind.rawValue, isChange: kind.isChange, timeout: kind == .complete ? terms.completeTimeout : nil)
    }

    // MARK: Asking

    func call(to authority: [UInt8], at now: Int64) throws(IssueError) -> UpstreamCall {
        let signer = V4Signer(try place.key(signer, at: now), at: now, token: signer.securityToken)
        var headers: [NameValue] = []
        if kind == .create, let type = upload.type { headers.append(NameValue("content-type", type)) }
        if kind == .complete {
            headers.append(NameValue("content-type", "application/xml"))
            if terms.mustCreate { headers.append(NameValue("if-none-match", "*")) }
        }
        headers.append(NameValue(place.scheme.fields.contentHash, V4Scheme.unsignedPayload))
        var path = ByteWriter(capacity: 256)
        place.scheme.writePath(of: upload.bucket.span, upload.key.span, into: &path)
        var call = UpstreamCall(
            method, authority: authority, path: path.array,
            query: kind == .create ? [NameValue("uploads", [])] : [NameValue("uploadId", upload.id)],
            headers: headers + signer.headers, body: kind == .complete ? body : [])
        try call.sign(about: upload.bucket.span, key: upload.key.span, by: signer)
        call.headers.append(NameValue("user-agent", "Countersign"))
        call.isRepeatable = kind == .list
        return call
    }

    private var method: UpstreamCall.Method {
        switch kind {
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
        case 204 where kind == .abort: return .json(Array("{}".utf8))
        case 404: return .absent
        // What the caller chose is a type, parts and their tags, or a key that has an object.
        case 400, 409, 412: return .unacceptable
        case 401, 403: throw .keyRefused(status: answer.status)
        default: throw .status(answer.status)
        }
    }

    private func told(_ document: [UInt8]) throws(VendorFault) -> [UInt8] {
        if kind == .abort { return Array("{}".utf8) }
        guard let root = XMLElement.read(document) else { throw .unreadable }
        // S3 may find out that it cannot complete when it has begun to answer.
        if root.name.elementsEqual("Error".utf8) { throw .requestRefused(status: 200) }
        guard root.all("Key").allSatisfy({ KeySpelling.areAlike($0.text, upload.key) }) else { throw .unreadable }
        switch kind {
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

    /// Aborts the upload that an answer says has begun, whatever else is wrong with the answer.
    func reversal(of answer: UpstreamAnswer) -> (any VendorQuestion)? {
        guard kind == .create, answer.status == 200, let root = XMLElement.read(answer.body),
            let id = MultipartQuestion.id(in: root)
        else { return nil }
        return MultipartQuestion(.abort, Upload(upload, id: id), at: place, with: signer, by: seal, terms)
    }

    private static func id(in root: XMLElement) -> [UInt8]? {
        guard let id = root.text("UploadId"), (1...UppyRequest.longestUploadID).contains(id.count) else { return nil }
        return id
    }

    private func told(begun root: XMLElement) throws(VendorFault) -> [UInt8] {
        guard let id = MultipartQuestion.id(in: root),
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
