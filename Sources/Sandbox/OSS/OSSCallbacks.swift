import Bytes
import Crypto
import Net

/// Callbacks as OSS sends them: signed by a key pair of the sandbox's own, which is made when it starts, to hosts that its operator has
/// named. A verifier finds the public half at the sandbox's port, under the path that the vendor's has.
struct OSSCallbacks: Sendable {
    /// The URL that callbacks name: the vendor's own, so that a verifier believes it; its host has to be the sandbox for a verifier
    /// that is to find this key (`keyHost` of countersign's `oss.callback`).
    private static let keyURL: StaticString = "http://gosspublic.alicdn.com/callback_pub_key_v1.pem"
    static let keyPath: StaticString = "/callback_pub_key_v1.pem"

    private let client: CallbackClient
    /// nil where no host may be called.
    private let key: RSAKeyPair?

    init(to hosts: [HostPort]) throws(CryptoError) {
        client = CallbackClient(hosts: hosts)
        key = hosts.isEmpty ? nil : try RSAKeyPair()
    }

    var publicKey: [UInt8]? { key?.publicPEM }

    /// Asks the callback's servers, one after the other, until one answers.
    /// - Parameter body: with its variables replaced.
    /// - Returns: the answer's content, which is JSON.
    func send(_ callback: OSSUploadCallback, _ body: [UInt8]) throws(OSSError) -> [UInt8] {
        var failure = OSSError.callbackFailed("callbackUrl names no URL.")
        for url in callback.urls {
            do throws(OSSError) { return try send(callback, body, to: url) } catch { failure = error }
        }
        throw failure
    }

    private func send(_ callback: OSSUploadCallback, _ body: [UInt8], to url: [UInt8]) throws(OSSError) -> [UInt8] {
        let answer: [UInt8]
        do throws(CallbackClient.Failure) {
            let destination = try client.destination(url)
            guard let key, let signature = try? key.sign(OSSCallbacks.signedText(destination.target, body).span, .md5)
            else { throw CallbackClient.Failure(reason: "the callback cannot be signed") }
            let type = callback.isJSON ? "application/json" : "application/x-www-form-urlencoded"
            let request = SandboxRequest(
                Array("POST".utf8), target: destination.target,
                fields: [
                    NameValue("Host", callback.host ?? destination.authority),
                    NameValue("User-Agent", "ehttp-client/0.0.1"), NameValue("Content-Type", Array(type.utf8)),
                    NameValue("authorization", Base64.standard.encode(signature)),
                    NameValue("x-oss-pub-key-url", Base64.standard.encode(OSSCallbacks.keyURL.array)),
                ], body: body)
            answer = try client.send(request, to: destination)
        } catch { throw .callbackFailed(error.reason) }
        guard (try? JSONReader.read(answer, as: .json)) != nil else {
            throw .callbackFailed("Response body is not valid json format.")
        }
        return answer
    }

    /// The path decoded, the query as it is, a line break, the body.
    private static func signedText(_ target: [UInt8], _ body: [UInt8]) -> [UInt8] {
        let path = Array(target.prefix { $0 != UInt8(ascii: "?") })
        var out = ByteWriter(capacity: target.count + body.count + 1)
        if !Percent.decode(path.span, plusIsSpace: false, into: &out) {
            out.reset()
            out.append(path)
        }
        out.append(target.dropFirst(path.count))
        out.append("\n")
        out.append(body)
        return out.array
    }
}

extension OSSSide {
    /// What the uploader gets: the answer of the application's server where a callback was asked for, else OSS's own.
    func relay(
        _ callback: OSSUploadCallback?, _ object: StoredObject, _ call: Call, _ response: SandboxResponse
    ) throws(OSSError) -> SandboxResponse {
        guard let callback else { return response }
        let content = try callbacks.send(callback, callback.body(object, call))
        var relayed = SandboxResponse(200, "application/json", content)
        relayed.fields += response.fields.filter { !$0.name.span.equals(ignoringCase: "content-type") }
        return relayed
    }

    /// Whether it is the public half of the key that signs callbacks, which is where no bucket is.
    func isForCallbackKey(_ head: SandboxRequest) -> Bool {
        head.isMethod("GET") && head.path.span.equals(OSSCallbacks.keyPath)
            && OSSRequest.bucket(ofHost: head.host) == nil
    }

    /// The public half of the key that signs callbacks.
    func callbackKey() throws(OSSError) -> SandboxResponse {
        guard let key = callbacks.publicKey else {
            throw OSSError(
                404, "NoSuchKey", "The sandbox was started without --callback-host, so it signs no callbacks.")
        }
        return SandboxResponse(200, "application/x-x509-ca-cert", key)
    }
}
