import Bytes

// PostObject: forms that pages and apps upload with.
extension OSSSide {
    /// Takes an upload by a form: its policy says who has signed it, and what for.
    func postObject(_ request: OSSRequest, _ body: BodyReader, at now: Int64, _ requestID: [UInt8]) throws
        -> SandboxResponse
    {
        guard let bucket = request.bucket else { throw OSSError.methodNotAllowed }
        guard store.hasBucket(bucket) else { throw OSSError.noSuchBucket(bucket) }
        guard let reader = MultipartForm(request.head, body) else {
            throw OSSError.wrongForm("The body of your POST request is not well-formed multipart/form-data.")
        }
        let form = try OSSForm(reader)
        guard let claim = try OSSClaim(form, at: now) else {
            throw form.fields.isEmpty ? OSSError.fileFirst : OSSError.anonymous
        }
        let call = Call(
            request: request, body: body, caller: try accounts.caller(of: claim, at: now), now: now,
            requestID: requestID)
        let policy = try OSSFormPolicy(form["policy"] ?? [])
        try policy.require(
            form.fields(postedTo: bucket), naming: OSSSide.required(claim), at: now)
        let key = try form.key()
        try call.require("oss:PutObject", on: key)
        let object = try take(form, key, reader, policy.lengths, call)
        return try answer(form, object, call)
    }

    /// Fields that version 4 wants the policy to name.
    private static func required(_ claim: OSSClaim) -> [StaticString] {
        guard case .v4 = claim.scheme else { return [] }
        let names: [StaticString] = ["x-oss-signature-version", "x-oss-credential", "x-oss-date"]
        return claim.securityToken == nil ? names : names + ["x-oss-security-token"]
    }

    private func take(
        _ form: OSSForm, _ key: [UInt8], _ reader: MultipartForm, _ lengths: [ClosedRange<Int64>], _ call: Call
    ) throws -> StoredObject {
        // Before the file is read, too.
        let forbids = form["x-oss-forbid-overwrite"].map { $0.span.equals(ignoringCase: "true") } ?? false
        if forbids, store.object(key, in: call.bucket) != nil { throw OSSError.exists }
        var description = try ObjectDescription(form.fields)
        if let type = form.mediaType { description.mediaType = type }
        _ = try OSSSide.callback(form)
        let most = lengths.map(\.upperBound).min().map { Int(clamping: $0) } ?? OSSContent.most
        let content = try OSSContent(in: store, atMost: min(most, OSSContent.most)) { try reader.read() }
        guard content.file.size >= lengths.map(\.lowerBound).max() ?? 0 else { throw OSSError.entityTooSmall }
        // Form and request must end before anything of them is kept; what follows the file means nothing.
        while try reader.next() != nil {}
        while try call.body.read() != nil {}
        if let announced = form["content-md5"], Base64.standard.encode(content.md5) != announced {
            throw OSSError.invalidDigest
        }
        return try store.put(
            content.file, description.completed(content.hash, content.checksum, type: "Normal"), as: key,
            in: call.bucket,
            at: call.now, replaces: !forbids)
    }

    /// The callback that a form asks for, with its fields `x:name`.
    private static func callback(_ form: OSSForm) throws(OSSError) -> OSSUploadCallback? {
        guard let given = form["callback"] ?? form["x-oss-callback"] else { return nil }
        return try OSSUploadCallback(given, form.fields.filter { $0.name.starts(with: "x:".utf8) })
    }

    private func answer(_ form: OSSForm, _ object: StoredObject, _ call: Call) throws(OSSError) -> SandboxResponse {
        let location = Array("http://".utf8) + call.request.head.host + call.request.head.path
        let slash = location.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        var out = ByteWriter(capacity: object.key.count * 3)
        Percent.encode(object.key.span, keeping: .unreservedPath, into: &out)
        let place = location + slash + out.array
        var response = SandboxResponse(204)
        if let redirect = form["success_action_redirect"], !redirect.isEmpty {
            response.status = 303
            response.add("Location", OSSSide.redirect(redirect, object, call))
        } else {
            switch form["success_action_status"]?.text {
            case "200": response.status = 200
            case "201":
                let document = XMLWriter.document("PostResponse") { xml in
                    xml.element("Bucket", call.bucket)
                    xml.element("Location", place)
                    xml.element("Key", object.key)
                    xml.element("ETag", object.etag)
                }
                response = SandboxResponse(201, "application/xml", document)
            default: break
            }
            response.add("Location", place)
        }
        addIdentity(of: object, to: &response)
        return try relay(try OSSSide.callback(form), object, call, response)
    }

    /// The page's URL with what was made in its query.
    private static func redirect(_ url: [UInt8], _ object: StoredObject, _ call: Call) -> [UInt8] {
        var out = ByteWriter(capacity: url.count + object.key.count * 3)
        out.append(url)
        out.append(url.contains(UInt8(ascii: "?")) ? "&bucket=" : "?bucket=")
        Percent.encode(call.bucket.span, into: &out)
        out.append("&key=")
        Percent.encode(object.key.span, into: &out)
        out.append("&etag=")
        Percent.encode(object.etag.span, into: &out)
        return out.array
    }
}
