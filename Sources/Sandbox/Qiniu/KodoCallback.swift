import Bytes

/// The callback of an upload: a POST to the application's server, whose answer the client gets.
struct KodoCallback: Sendable {
    static let form = Array("application/x-www-form-urlencoded".utf8)
    static let json = Array("application/json".utf8)

    let client: CallbackClient
    let signatures: KodoSignatures

    /// Why there is no answer to relay; the last URL's reason.
    struct Failure: Error {
        let url: [UInt8]
        let reason: String
    }

    /// Asks the policy's servers, one after the other, until one answers with 200 and JSON.
    /// - Parameter body: with its variables replaced.
    /// - Returns: the answer's content.
    func send(
        _ callback: KodoPutPolicy.Callback, _ body: [UInt8], by accessKey: [UInt8], at now: Int64
    ) throws(Failure) -> [UInt8] {
        var failure = Failure(url: [], reason: "callbackUrl names no URL")
        for url in callback.urls {
            do throws(Failure) { return try send(to: url, callback, body, by: accessKey, at: now) } catch {
                failure = error
            }
        }
        throw failure
    }

    private func send(
        to url: [UInt8], _ callback: KodoPutPolicy.Callback, _ body: [UInt8], by accessKey: [UInt8], at now: Int64
    ) throws(Failure) -> [UInt8] {
        let answer: [UInt8]
        do throws(CallbackClient.Failure) {
            let destination = try client.destination(url)
            var request = request(
                callback, to: callback.host ?? destination.authority, destination.target, body, at: now)
            guard let authorization = try? signatures.authorization(of: request, by: accessKey) else {
                throw CallbackClient.Failure(reason: "the callback cannot be signed")
            }
            request.fields.append(NameValue("Authorization", authorization))
            answer = try client.send(request, to: destination)
        } catch {
            throw Failure(url: url, reason: error.reason)
        }
        guard (try? JSONReader.read(answer, as: .json)) != nil else {
            throw Failure(url: url, reason: "the server of the callback does not answer with JSON")
        }
        return answer
    }

    private func request(
        _ callback: KodoPutPolicy.Callback, to host: [UInt8], _ target: [UInt8], _ body: [UInt8], at now: Int64
    ) -> SandboxRequest {
        var date = ByteWriter()
        ISO8601.writeBasic(now, into: &date)
        return SandboxRequest(
            Array("POST".utf8), target: target,
            fields: [
                NameValue("Host", host), NameValue("User-Agent", "qiniu-callback/1.0"),
                NameValue("Content-Type", callback.isJSON ? KodoCallback.json : KodoCallback.form),
                NameValue("X-Qiniu-Date", date.array),
            ], body: body)
    }
}
