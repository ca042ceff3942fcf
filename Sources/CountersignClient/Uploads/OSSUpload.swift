import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Uploads to Alibaba Cloud OSS by presigned URLs of the service: one PUT, or parts, each signed when it is its turn (OSS API
/// reference, "Multipart upload operations"). The grant's `methods` and `subresources` must name what is signed.
struct OSSUpload {
    let run: UploadRun
    let wantedKey: String?

    func upload(from checkpoint: UploadCheckpoint?) async throws -> UploadedObject {
        if run.pieces.size <= run.options.singleRequestSize, checkpoint == nil { return try await putWhole() }
        var state: UploadCheckpoint
        if let checkpoint { state = try await readBack(checkpoint) } else { state = try await begin() }
        let count = Int((run.pieces.size + Int64(state.pieceSize) - 1) / Int64(state.pieceSize))
        while state.parts.count < count {
            state.parts.append(try await put(state.parts.count + 1, of: state))
            state.offset = min(Int64(state.parts.count) * Int64(state.pieceSize), run.pieces.size)
            run.report(state.offset, state)
        }
        return try await complete(state)
    }

    private static let standardType = "application/octet-stream"

    // MARK: The steps

    private func putWhole() async throws -> UploadedObject {
        let file = try run.pieces.piece(at: 0, of: Int(run.pieces.size))
        let (answer, signed) = try await ask("PUT", headers: run.options.headers, body: file)
        run.report(run.pieces.size, nil)
        return try object(signed.bucket, signed.key, answer)
    }

    private func begin() async throws -> UploadCheckpoint {
        let (answer, signed) = try await ask("POST", ["uploads": ""], headers: run.options.headers, body: Data())
        guard let uploadID = XMLText(answer.body).value(of: "UploadId"), !uploadID.isEmpty else {
            throw UploadError.Reason.unusableAnswer("OSS names no upload")
        }
        let named = try object(signed.bucket, signed.key, answer)
        return UploadCheckpoint(
            vendor: .oss, bucket: named.bucket, key: named.key, file: run.pieces.identity,
            pieceSize: run.options.pieceSize(for: run.pieces.size, limited: true), uploadID: uploadID)
    }

    private func put(_ number: Int, of state: UploadCheckpoint) async throws -> UploadCheckpoint.Part {
        let piece = try run.pieces.piece(at: Int64(number - 1) * Int64(state.pieceSize), of: state.pieceSize)
        let query = ["partNumber": String(number), "uploadId": state.uploadID]
        let (answer, _) = try await ask("PUT", query, of: state, body: piece)
        guard let etag = answer.field("ETag") else { throw UploadError.Reason.unusableAnswer("OSS gives no ETag") }
        return UploadCheckpoint.Part(number: number, etag: etag)
    }

    private func complete(_ state: UploadCheckpoint) async throws -> UploadedObject {
        try run.pieces.check()
        let parts = state.parts.map {
            "<Part><PartNumber>\($0.number)</PartNumber><ETag>\(XMLText.escape($0.etag))</ETag></Part>"
        }
        let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        // The others describe the object, and OSS wants them when the upload begins.
        let headers = run.options.headers.filter { $0.key.lowercased() == "x-oss-forbid-overwrite" }
        let query = ["uploadId": state.uploadID]
        let answer = try await run.attempting(renew: {}) { afterLoss -> HTTPAnswer? in
            do {
                return try await once("POST", query, of: state, headers: headers, body: Data(body.utf8)).answer
            } catch UploadRun.Setback.refused(let refusal) where afterLoss && refusal.isOfUnknownUpload {
                // It was known a moment ago, and only the completion whose answer was lost can have ended it.
                return nil
            }
        }
        return try object(state.bucket, state.key, answer)
    }

    /// Which parts OSS has of an earlier upload. Where the grant does not allow to ask, it is what the checkpoint says.
    private func readBack(_ checkpoint: UploadCheckpoint) async throws -> UploadCheckpoint {
        var state = checkpoint
        var parts: [UploadCheckpoint.Part] = []
        do {
            var marker = "0"
            repeat {
                let query = ["uploadId": checkpoint.uploadID, "part-number-marker": marker]
                let listing = XMLText(try await ask("GET", query, of: checkpoint).answer.body)
                let before = parts.count
                for part in listing.elements("Part") {
                    let offset = Int64(parts.count) * Int64(checkpoint.pieceSize)
                    let size = min(Int64(checkpoint.pieceSize), run.pieces.size - offset)
                    guard part.value(of: "PartNumber") == String(parts.count + 1),
                        part.value(of: "Size") == String(size), let etag = part.value(of: "ETag")
                    else { break }
                    parts.append(UploadCheckpoint.Part(number: parts.count + 1, etag: etag))
                }
                guard listing.value(of: "IsTruncated") == "true", parts.count > before else { break }
                marker = String(parts.count)
            } while true
            state.parts = parts
        } catch CountersignError.notInGrant {}
        state.offset = min(Int64(state.parts.count) * Int64(state.pieceSize), run.pieces.size)
        run.report(state.offset, state)
        return state
    }

    /// Has OSS forget the parts.
    func abandon(_ checkpoint: UploadCheckpoint) async throws {
        _ = try await ask("DELETE", ["uploadId": checkpoint.uploadID], of: checkpoint)
    }

    // MARK: Requests

    private func ask(
        _ method: String, _ query: [String: String] = [:], of state: UploadCheckpoint? = nil,
        headers: [String: String] = [:], body: Data? = nil
    ) async throws -> (answer: HTTPAnswer, signed: SignedRequest) {
        try await run.attempting(renew: {}) { _ in
            try await once(method, query, of: state, headers: headers, body: body)
        }
    }

    /// One request, signed for this attempt.
    private func once(
        _ method: String, _ query: [String: String], of state: UploadCheckpoint?, headers: [String: String],
        body: Data?
    ) async throws -> (answer: HTTPAnswer, signed: SignedRequest) {
        var headers = headers
        if body != nil {
            // The URL session makes up a type for what completes an upload in parts, if it has none.
            let isInParts = state != nil || query["uploads"] != nil
            headers["content-type"] = run.options.contentType ?? (isInParts ? OSSUpload.standardType : nil)
            if run.options.signsLength { headers["content-length"] = String(body?.count ?? 0) }
        }
        var options = run.options.request
        if let state { options.bucket = options.bucket.map { _ in state.bucket } }
        let signed: SignedRequest
        do {
            signed = try await run.client.presignedURL(
                for: wantedKey ?? state?.key, method: method, headers: headers, query: query, options: options)
        } catch CountersignError.notInGrant(let problem)
            where state != nil && wantedKey == nil && problem.clause == "key"
        {
            throw UploadError.Reason.unrenewableKey
        }
        // The URL session writes the length itself.
        var fields = signed.headers.filter { $0.key.lowercased() != "content-length" }
        let url = try run.options.endpoint.map { try OSSUpload.move(signed.url, to: $0, &fields) } ?? signed.url
        // What completes the upload ends it.
        let isLast = method == "POST" && query["uploadId"] != nil
        return (try await run.send(run.request(signed.method, url, fields, body: body), once: isLast), signed)
    }

    /// The same request at another host; the bucket stays in the field `Host`.
    private static func move(_ url: URL, to endpoint: URL, _ fields: inout [String: String]) throws -> URL {
        guard var moved = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            throw UploadError.Reason.unusableAnswer("the service's URL cannot be read")
        }
        fields["Host"] = moved.host.map { host in moved.port.map { "\(host):\($0)" } ?? host }
        moved.scheme = endpoint.scheme
        moved.host = endpoint.host()
        moved.port = endpoint.port
        guard let url = moved.url else { throw UploadError.Reason.unusableAnswer("the endpoint is no URL") }
        return url
    }

    private func object(_ bucket: String?, _ key: String?, _ answer: HTTPAnswer?) throws -> UploadedObject {
        guard let bucket, let key = key ?? wantedKey else {
            throw UploadError.Reason.unusableAnswer("the service does not say which object it signed for")
        }
        return UploadedObject(vendor: .oss, bucket: bucket, key: key, answer: answer.map { Array($0.body) })
    }
}
