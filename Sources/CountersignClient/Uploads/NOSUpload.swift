import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Uploads to NetEase NOS by an upload token: pieces one behind the other, tied together by the context that NOS gives ("direct
/// upload"; as its SDK for iOS does it).
struct NOSUpload {
    let run: UploadRun
    let tokens: TokenSource
    let checkpoint: UploadCheckpoint?

    private struct Received: Decodable {
        let offset: Int64
        let context: String?
    }

    init(_ run: UploadRun, key: String?, from checkpoint: UploadCheckpoint?) {
        self.run = run
        self.checkpoint = checkpoint
        tokens = TokenSource(run, .nos, key: key, from: checkpoint)
    }

    func upload() async throws -> UploadedObject {
        let token = try await tokens.token()
        guard let key = await tokens.key else { throw UploadError.Reason.missingKey }
        var state = UploadCheckpoint(
            vendor: .nos, bucket: token.bucket, key: key, file: run.pieces.identity,
            pieceSize: run.options.pieceSize(for: run.pieces.size, limited: false), uploadID: "")
        if let checkpoint, checkpoint.bucket == token.bucket, checkpoint.key == key {
            state = checkpoint
            state.offset = try await run.attempting(renew: tokens.forget) { _ in try await offset(of: checkpoint) }
            report(state)
        }
        while true {
            let (received, answer, isDone) = try await sendPiece(of: state)
            state = received
            report(state)
            guard isDone else { continue }
            return UploadedObject(
                vendor: .nos, bucket: state.bucket, key: state.key, answer: answer.map { Array($0.body) })
        }
    }

    /// Sends the next piece; after a cut, from where NOS says that it is.
    private func sendPiece(
        of given: UploadCheckpoint
    ) async throws -> (state: UploadCheckpoint, answer: HTTPAnswer?, isDone: Bool) {
        var state = given
        return try await run.attempting(renew: tokens.forget) { afterLoss in
            if afterLoss, !state.uploadID.isEmpty {
                do {
                    state.offset = try await offset(of: state)
                } catch UploadRun.Setback.refused(let refusal) where refusal.isOfUnknownUpload && isLast(given) {
                    // It was known a moment ago, and only the last piece, whose answer was lost, can have ended it.
                    state.offset = run.pieces.size
                    return (state, nil, true)
                }
            }
            let last = isLast(state)
            let piece = try run.pieces.piece(at: state.offset, of: state.pieceSize)
            var query = "?offset=\(state.offset)&complete=\(last)"
            if !state.uploadID.isEmpty { query += "&context=" + PercentEncoding.encode(state.uploadID) }
            let url = try url(of: state, query + "&version=1.0")
            var fields = try await authorization()
            fields["Content-Type"] = run.options.contentType ?? "application/octet-stream"
            let answer = try await run.send(run.request("POST", url, fields, body: piece), once: true)
            guard let received = try? JSON.decoder.decode(Received.self, from: answer.body),
                received.offset == state.offset + Int64(piece.count), last || received.context?.isEmpty == false
            else { throw UploadError.Reason.unusableAnswer("NOS does not say that it has the whole piece") }
            state.offset = received.offset
            state.uploadID = received.context ?? state.uploadID
            return (state, answer, last)
        }
    }

    private func isLast(_ state: UploadCheckpoint) -> Bool {
        run.pieces.size - state.offset <= Int64(state.pieceSize)
    }

    private func report(_ state: UploadCheckpoint) {
        run.report(state.offset, state.uploadID.isEmpty ? nil : state)
    }

    /// How many bytes NOS has of an upload.
    private func offset(of state: UploadCheckpoint) async throws -> Int64 {
        let query = "?uploadContext&context=\(PercentEncoding.encode(state.uploadID))&version=1.0"
        let answer = try await run.send(
            run.request("GET", try url(of: state, query), try await authorization()))
        guard let received = try? JSON.decoder.decode(Received.self, from: answer.body),
            (0...run.pieces.size).contains(received.offset)
        else { throw UploadError.Reason.unusableAnswer("NOS does not say how much it has") }
        return received.offset
    }

    private func authorization() async throws -> [String: String] {
        ["x-nos-token": try await tokens.token().token]
    }

    private func url(of state: UploadCheckpoint, _ query: String) throws -> URL {
        guard let host = run.options.endpoint ?? URL(string: "https://nosup-eastchina1.126.net") else {
            throw UploadError.Reason.unusableAnswer("there is no host")
        }
        let path = "/\(PercentEncoding.encode(state.bucket))/\(PercentEncoding.encode(state.key))"
        return try UploadRun.url(host, path + query)
    }
}
