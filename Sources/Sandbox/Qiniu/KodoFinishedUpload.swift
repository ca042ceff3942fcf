import Bytes
import Crypto

/// What a client says of the object that it uploads.
struct KodoUploadClaim: Sendable {
    var key: [UInt8]?
    var fileName: [UInt8] = []
    /// nil where it says none.
    var mediaType: [UInt8]?
    /// Named `x:…` and `x-qn-meta-…`.
    var variables: [NameValue] = []

    /// Takes a variable of the client's.
    /// - Returns: false for a name that is none.
    mutating func add(_ name: [UInt8], _ value: [UInt8]) throws(KodoRefusal) -> Bool {
        // It becomes the name of a field.
        let isMetadata = name.starts(with: "x-qn-meta-".utf8)
        guard isMetadata || name.starts(with: "x:".utf8) else { return false }
        guard UTF8Text.isWellFormed(name.span), UTF8Text.isWellFormed(value.span),
            !isMetadata || ByteSet.token.contains(all: name)
        else { throw .invalid("argument: \(name.text.visible)") }
        variables.append(NameValue(name, value))
        return true
    }

    /// Refuses what is no text.
    func check() throws(KodoRefusal) {
        guard UTF8Text.isWellFormed(fileName.span) else { throw .invalid("fname") }
        guard let mediaType else { return }
        guard UTF8Text.isWellFormed(mediaType.span), !mediaType.span.hasControlCharacters else {
            throw .invalid("mimeType")
        }
    }
}

/// An upload whose content is complete: the put policy decides whether it becomes an object, and what the client is answered.
struct KodoFinishedUpload {
    let content: KodoContent
    let claim: KodoUploadClaim
    let token: KodoUploadToken
    let store: ObjectStore
    let callbacks: KodoCallback
    /// Seconds since 1970.
    let now: Int64

    private var policy: KodoPutPolicy { token.policy }

    /// - Parameter isForm: whether a browser may have sent it, which is told where to go on.
    func answer(isForm: Bool) throws -> SandboxResponse {
        guard isForm, let url = policy.returnURL else { return try store(redirects: nil) }
        do {
            return try store(redirects: url)
        } catch {
            guard let refusal = KodoRefusal(error) else { throw error }
            return KodoFinishedUpload.redirect(
                url, "code=\(refusal.status)&error=" + QueryItems.encode(Array(refusal.message.utf8)).text)
        }
    }

    private func store(redirects url: [UInt8]?) throws -> SandboxResponse {
        try policy.checkDeadline(at: now)
        try claim.check()
        guard store.hasBucket(policy.bucket) else { throw KodoRefusal.noBucket }
        try policy.check(size: content.size, isWhole: true)
        var names = [claim.fileName]
        if let key = claim.key { names.append(key) }
        let type = try policy.mediaType(claimed: claim.mediaType, content.sample, names: names)
        let hash = try content.hash()
        var variables = try variables(hash, type)
        var key = try key(hash, variables)
        variables.set("key", key)
        guard let callback = policy.callback else {
            try policy.check(key: key)
            let body = try answerBody(hash, key, variables)
            try put(hash, type, as: key)
            return url.map { KodoFinishedUpload.redirect($0, "upload_ret=" + Base64.urlSafe.encode(body).text) }
                ?? SandboxResponse(200, "application/json", body)
        }
        if callback.fetchesKey {
            let answer: FetchedAnswer
            do throws(KodoCallback.Failure) { answer = try fetch(callback, variables) } catch {
                return failed(callback, error, hash, key, variables)
            }
            key = answer.key
            try policy.check(key: key)
            try put(hash, type, as: key)
            return SandboxResponse(200, "application/json", answer.payload)
        }
        try policy.check(key: key)
        try put(hash, type, as: key)
        do throws(KodoCallback.Failure) {
            return SandboxResponse(200, "application/json", try send(callback, variables))
        } catch {
            return failed(callback, error, hash, key, variables)
        }
    }

    private func put(_ hash: [UInt8], _ type: [UInt8], as key: [UInt8]) throws {
        var metadata = claim.variables.filter { $0.name.starts(with: "x-qn-meta-".utf8) }
        if let endUser = policy.endUser { metadata.append(NameValue("endUser", endUser)) }
        if policy.fileType > 0 { metadata.append(NameValue("type", Array("\(policy.fileType)".utf8))) }
        if policy.deleteAfterDays > 0 {
            let end = KodoFinishedUpload.end(policy.deleteAfterDays, now)
            metadata.append(NameValue("expiration", Array("\(end)".utf8)))
        }
        let description = ObjectDescription(hash: hash, mediaType: type, metadata: metadata)
        do throws(StoreFault) {
            try store.put(
                content.file, description, as: key, in: policy.bucket, at: now, replaces: policy.replaces)
        } catch {
            // The same content once more is no change.
            guard error == .exists, store.object(key, in: policy.bucket)?.hash == hash else { throw error }
        }
    }

    /// The midnight in China behind the last of so many days.
    private static func end(_ days: Int64, _ now: Int64) -> Int64 {
        let (day, shift): (Int64, Int64) = (86_400, 8 * 3600)
        return (now + shift) / day * day - shift + (days + 1) * day
    }

    // MARK: Names

    private func key(_ hash: [UInt8], _ variables: KodoVariables) throws -> [UInt8] {
        if let saveKey = policy.saveKey, policy.forcesSaveKey || claim.key == nil {
            var variables = variables
            variables.setTime(now)
            return variables.expand(saveKey, as: .plain)
        }
        return claim.key ?? hash
    }

    private func variables(_ hash: [UInt8], _ type: [UInt8]) throws -> KodoVariables {
        var variables = KodoVariables()
        variables.add(claim.variables)
        variables.set("bucket", policy.bucket)
        variables.set("etag", hash)
        variables.set("hash", hash)
        variables.set("fname", claim.fileName)
        variables.set("fsize", content.size)
        variables.set("mimeType", type)
        if let endUser = policy.endUser { variables.set("endUser", endUser) }
        let ending = KodoMediaType.fileExtension(of: claim.fileName)
        variables.set("ext", ending)
        variables.set("fprefix", Array(claim.fileName.dropLast(ending.count)))
        variables.set("uuid", try RandomText.requestID().map(\.lowercasedASCII))
        // For a key that is named after the key that the client wants.
        if let key = claim.key { variables.set("key", key) }
        return variables
    }

    // MARK: Answers

    private func answerBody(_ hash: [UInt8], _ key: [UInt8], _ variables: KodoVariables) throws -> [UInt8] {
        guard let template = policy.returnBody else {
            var out = ByteWriter()
            out.append(object: { json in
                json.add("hash", hash)
                json.add("key", key)
            })
            return out.array
        }
        let body = variables.expand(template, as: .json)
        guard (try? JSONReader.read(body, as: .json)) != nil else { throw KodoRefusal.invalid("returnBody") }
        return body
    }

    private static func redirect(_ url: [UInt8], _ query: String) -> SandboxResponse {
        let separator = url.contains(UInt8(ascii: "?")) ? "&" : "?"
        return SandboxResponse(303, fields: [NameValue("Location", url + Array((separator + query).utf8))])
    }

    private struct FetchedAnswer {
        let key: [UInt8]
        let payload: [UInt8]
    }

    private func send(
        _ callback: KodoPutPolicy.Callback, _ variables: KodoVariables
    ) throws(KodoCallback.Failure) -> [UInt8] {
        let body = variables.expand(callback.body, as: callback.isJSON ? .json : .form)
        return try callbacks.send(callback, body, by: token.accessKey, at: now)
    }

    private func fetch(
        _ callback: KodoPutPolicy.Callback, _ variables: KodoVariables
    ) throws(KodoCallback.Failure) -> FetchedAnswer {
        let answer = try send(callback, variables)
        guard let json = try? JSONReader.read(answer, as: .json), let key = json["key"]?.text,
            let payload = json["payload"]
        else {
            throw KodoCallback.Failure(
                url: callback.urls.last ?? [], reason: #"the callback must answer {"key":…,"payload":…}"#)
        }
        var out = ByteWriter()
        out.append(json: payload)
        return FetchedAnswer(key: key, payload: out.array)
    }

    /// The object is there, but the application's server may not know it.
    private func failed(
        _ callback: KodoPutPolicy.Callback, _ failure: KodoCallback.Failure, _ hash: [UInt8], _ key: [UInt8],
        _ variables: KodoVariables
    ) -> SandboxResponse {
        SandboxResponse(
            579,
            json: { json in
                json.add("callback_url", failure.url)
                json.add("callback_bodyType", callback.isJSON ? KodoCallback.json : KodoCallback.form)
                json.add("callback_body", variables.expand(callback.body, as: callback.isJSON ? .json : .form))
                json.add("token", token.text)
                json.add("err_code", 502)
                json.add("error", "callback failed: \(failure.reason)")
                json.add("hash", hash)
                json.add("key", key)
            })
    }
}
