import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What uploads to all vendors have: the file, the progress, and attempts.
struct UploadRun: Sendable {
    let client: Countersign
    let pieces: FilePieces
    let vendor: UploadVendor
    let options: UploadOptions
    let progress: (@Sendable (UploadProgress) -> Void)?

    var file: URL { pieces.file }

    func report(_ sent: Int64, _ checkpoint: UploadCheckpoint?) {
        progress?(UploadProgress(sentBytes: sent, totalBytes: pieces.size, checkpoint: checkpoint))
    }

    // MARK: Attempts

    /// How an attempt failed that may be made again.
    enum Setback: Error {
        /// Nobody knows what the vendor did with the request.
        case lost(any Error)
        case refused(VendorRefusal)
    }

    /// One request to the vendor.
    /// - Parameter once: whether it must not be sent twice (`Transport.send`).
    /// - Throws: `Setback`, `CancellationError`.
    func send(_ request: URLRequest, once: Bool = false) async throws -> HTTPAnswer {
        try Task.checkCancellation()
        let answer: HTTPAnswer
        do {
            answer = try await client.transport.send(request, once: once)
        } catch {
            // Cancelled by its own task, the system says so in words of its own.
            try Task.checkCancellation()
            throw Setback.lost(error)
        }
        guard answer.isSuccess else { throw Setback.refused(VendorRefusal(answer)) }
        return answer
    }

    /// Makes attempts until one succeeds, as many as the policy allows; and one more with a new credential, when the vendor may have
    /// refused the old one.
    /// - Parameters:
    ///   - renew: forgets the credential of the last attempt.
    ///   - attempt: is told whether an attempt before it was lost.
    func attempting<Result>(
        renew: () async -> Void, _ attempt: (_ afterLoss: Bool) async throws -> Result
    ) async throws -> Result {
        var failures = 0
        var hasRenewed = false
        var hasLost = false
        while true {
            do {
                return try await attempt(hasLost)
            } catch Setback.refused(let refusal) where refusal.mayBeOfCredential && !hasRenewed {
                hasRenewed = true
                await renew()
            } catch let setback as Setback {
                failures += 1
                var retryAfter: Duration?
                switch setback {
                case .lost: hasLost = true
                case .refused(let refusal):
                    guard refusal.isTemporary else { throw setback }
                    retryAfter = refusal.retryAfter
                }
                guard let wait = client.options.retry.wait(after: failures, retryAfter: retryAfter) else {
                    throw setback
                }
                try await client.service.time.sleep(wait)
            }
        }
    }

    // MARK: Requests

    func request(_ method: String, _ url: URL, _ fields: [String: String] = [:], body: Data? = nil) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    /// The URL of a path and a query that are encoded already, at a host.
    static func url(_ host: URL, _ path: String) throws -> URL {
        var text = host.absoluteString
        while text.last == "/" { text.removeLast() }
        guard let url = URL(string: text + path) else {
            throw UploadError.Reason.unusableAnswer("no URL can be made of the host and the object's key")
        }
        return url
    }
}

extension UploadError.Reason: Error {}
