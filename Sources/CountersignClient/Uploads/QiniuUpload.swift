import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Uploads to Qiniu Kodo: a form, or resumable version 2 (Kodo's API reference, "initiateMultipartUpload" and what follows it).
struct QiniuUpload {
    let run: UploadRun
    let tokens: TokenSource
    let checkpoint: UploadCheckpoint?

    private struct Begun: Decodable { let uploadId: String }
    private struct Stored: Decodable { let etag: String }

    init(_ run: UploadRun, key: String?, from checkpoint: UploadCheckpoint?) {
        self.run = run
        self.checkpoint = checkpoint
        tokens = TokenSource(run, .qiniu, key: key, from: checkpoint)
    }

    func upload() async throws -> UploadedObject {
        let token = try await tokens.token()
        guard let key = await tokens.key else { throw UploadError.Reason.missingKey }
        let host = try await host(for: token)
        if run.pieces.size <= run.options.singleRequestSize, checkpoint == nil {
            return try await sendForm(key, token.bucket, to: host)
        }
        var state: UploadCheckpoint
        if let checkpoint, checkpoint.bucket == token.bucket, checkpoint.key == key {
            state = try await readBack(checkpoint, at: host)
        } else {
            state = try await begin(key, token.bucket, at: host)
        }
        let count = Int((run.pieces.size + Int64(state.pieceSize) - 1) / Int64(state.pieceSize))
        while state.parts.count < count {
            state.parts.append(try await put(state.parts.count + 1, of: state, at: host))
            state.offset = min(Int64(state.parts.count) * Int64(state.pieceSize), run.pieces.size)
            run.report(state.offset, state)
        }
        return try await complete(state, at: host)
    }

    // MARK: The steps

    private func begin(_ key: String, _ bucket: String, at host: URL) async throws -> UploadCheckpoint {
        let path = QiniuUpload.path(bucket, key)
        let begun: Begun = try await ask { try run.request("POST", UploadRun.url(host, path), $0, body: Data()) }
        return UploadCheckpoint(
            vendor: .qiniu, bucket: bucket, key: key, file: run.pieces.identity,
            pieceSize: run.options.pieceSize(for: run.pieces.size, limited: true), uploadID: begun.uploadId)
    }

    private func put(_ number: Int, of state: UploadCheckpoint, at host: URL) async throws -> UploadCheckpoint.Part {
        let piece = try run.pieces.piece(at: Int64(number - 1) * Int64(state.pieceSize), of: state.pieceSize)
        let url = try url(of: state, at: host, "/\(number)")
        let stored: Stored = try await ask {
            run.request("PUT", url, $0.merging(["Content-Type": "application/octet-stream"]) { $1 }, body: piece)
        }
        return UploadCheckpoint.Part(number: number, etag: stored.etag)
    }

    private func complete(_ state: UploadCheckpoint, at host: URL) async throws -> UploadedObject {
        struct Completion: Encodable {
            struct Part: Encodable {
                let partNumber: Int
                let etag: String
            }
            let parts: [Part]
            let fname: String
            let mimeType: String?
        }
        try run.pieces.check()
        let body = try JSON.encoder.encode(
            Completion(
                parts: state.parts.map { Completion.Part(partNumber: $0.number, etag: $0.etag) },
                fname: run.file.lastPathComponent, mimeType: run.options.contentType))
        let url = try url(of: state, at: host)
        let answer = try await run.attempting(renew: tokens.forget) { afterLoss -> HTTPAnswer? in
            let fields = try await authorization().merging(["Content-Type": "application/json"]) { $1 }
            do {
                return try await run.send(run.request("POST", url, fields, body: body), once: true)
            } catch UploadRun.Setback.refused(let refusal) where afterLoss && refusal.isOfUnknownUpload {
                // It was known a moment ago, and only the completion whose answer was lost can have ended it.
                return nil
            }
        }
        return UploadedObject(
            vendor: .qiniu, bucket: state.bucket, key: state.key, answer: answer.map { Array($0.body) })
    }

    /// Which parts of an earlier upload Kodo has ("listParts"): only the first ones without a gap count.
    private func readBack(_ checkpoint: UploadCheckpoint, at host: URL) async throws -> UploadCheckpoint {
        struct Listing: Decodable {
            struct Part: Decodable {
                let partNumber: Int
                let etag: String
                let size: Int64
            }
            let parts: [Part]?
            let partNumberMarker: Int?
        }
        var parts: [UploadCheckpoint.Part] = []
        while true {
            let url = try url(of: checkpoint, at: host, "?max-parts=1000&part-number-marker=\(parts.count)")
            let listing: Listing = try await ask { run.request("GET", url, $0) }
            let before = parts.count
            for part in listing.parts ?? [] {
                let offset = Int64(parts.count) * Int64(checkpoint.pieceSize)
                guard part.partNumber == parts.count + 1,
                    part.size == min(Int64(checkpoint.pieceSize), run.pieces.size - offset)
                else { break }
                parts.append(UploadCheckpoint.Part(number: part.partNumber, etag: part.etag))
            }
            guard let marker = listing.partNumberMarker, marker > 0, parts.count > before else { break }
        }
        var state = checkpoint
        state.parts = parts
        state.offset = min(Int64(parts.count) * Int64(state.pieceSize), run.pieces.size)
        run.report(state.offset, state)
        return state
    }

    private func sendForm(_ key: String, _ bucket: String, to host: URL) async throws -> UploadedObject {
        let file = try run.pieces.piece(at: 0, of: Int(run.pieces.size))
        let url = try UploadRun.url(host, "/")
        let answer = try await run.attempting(renew: tokens.forget) { _ in
            var form = MultipartForm()
            form.add("key", key)
            form.add("token", try await tokens.token().token)
            let body = form.closed(
                with: file, named: run.file.lastPathComponent,
                contentType: run.options.contentType ?? "application/octet-stream")
            return try await run.send(run.request("POST", url, ["Content-Type": form.contentType], body: body))
        }
        run.report(run.pieces.size, nil)
        return UploadedObject(vendor: .qiniu, bucket: bucket, key: key, answer: Array(answer.body))
    }

    /// Has Kodo forget the parts.
    func abandon(_ checkpoint: UploadCheckpoint) async throws {
        let url = try url(of: checkpoint, at: try await host(for: try await tokens.token()))
        _ = try await run.attempting(renew: tokens.forget) { _ in
            try await run.send(run.request("DELETE", url, try await authorization()))
        }
    }

    // MARK: Requests

    private func authorization() async throws -> [String: String] {
        ["Authorization": "UpToken " + (try await tokens.token().token)]
    }

    private func ask<Answer: Decodable>(_ request: ([String: String]) throws -> URLRequest) async throws -> Answer {
        let answer = try await run.attempting(renew: tokens.forget) { _ in
            try await run.send(try request(try await authorization()))
        }
        guard let decoded = try? JSON.decoder.decode(Answer.self, from: answer.body) else {
            throw UploadError.Reason.unusableAnswer("Kodo's answer of status \(answer.status) cannot be read")
        }
        return decoded
    }

    private func url(of state: UploadCheckpoint, at host: URL, _ rest: String = "") throws -> URL {
        try UploadRun.url(host, QiniuUpload.path(state.bucket, state.key, state.uploadID) + rest)
    }

    private static func path(_ bucket: String, _ key: String, _ uploadID: String? = nil) -> String {
        let encoded = Data(key.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
        return "/buckets/\(PercentEncoding.encode(bucket))/objects/\(encoded)/uploads"
            + (uploadID.map { "/" + PercentEncoding.encode($0) } ?? "")
    }

    /// Where the bucket takes uploads: the endpoint of the options, or what Kodo's directory says, which needs no credential.
    private func host(for token: UploadToken) async throws -> URL {
        struct Directory: Decodable {
            struct Host: Decodable {
                struct Uploads: Decodable { let domains: [String] }
                let up: Uploads
            }
            let hosts: [Host]
        }
        if let endpoint = run.options.endpoint { return endpoint }
        let accessKey = String(token.token.prefix { $0 != ":" })
        let query = "ak=\(PercentEncoding.encode(accessKey))&bucket=\(PercentEncoding.encode(token.bucket))"
        guard let url = URL(string: "https://uc.qiniuapi.com/v4/query?" + query) else {
            throw UploadError.Reason.unusableAnswer("no URL can be made of the bucket's name")
        }
        let answer = try await run.attempting(renew: {}) { _ in try await run.send(run.request("GET", url)) }
        guard let directory = try? JSON.decoder.decode(Directory.self, from: answer.body),
            let domain = directory.hosts.first?.up.domains.first, let host = URL(string: "https://" + domain)
        else { throw UploadError.Reason.unusableAnswer("Kodo's directory names no host for uploads") }
        return host
    }
}
