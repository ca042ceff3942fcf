import Bytes
import Crypto
import HTTP
import Net

/// Callbacks as OSS sends them: signed by a key pair of the sandbox's own, which is made when it starts, to hosts that its operator has
/// named. A verifier finds the public half at the sandbox's port, under the path that the vendor's has.
struct OSSCallbacks: Sendable {
    /// The URL that callbacks name: the vendor's own, so that a verifier believes it; its host has to be the sandbox for a verifier
    /// that is to find this key (`keyHost` of countersign's `oss.callback`).
    private static let keyURL: StaticString = "http://gosspublic.alicdn.com/callback_pub_key_v1.pem"
    static let keyPath: StaticString = "/callback_pub_key_v1.pem"

    /// Seconds that a server has for its answer.
    private static let patience = 5
    private static let longestAnswer = 64 << 10

    /// Where callbacks may go.
    private let hosts: [HostPort]
    /// nil where no host may be called.
    private let key: RSAKeyPair?

    init(to hosts: [HostPort]) throws(CryptoError) {
        self.hosts = hosts
        key = hosts.isEmpty ? nil : try RSAKeyPair()
    }

    var publicKey: [UInt8]? { key?.publicPEM }

    /// Asks the callback's servers, one after the other, until one answers.
    /// - Parameter body: with its variables replaced.
    /// - Returns: the answer's content, which is JSON.
    func send(_ callback: OSSCallback, _ body: [UInt8]) throws(OSSError) -> [UInt8] {
        var failure = OSSError.callbackFailed("callbackUrl names no URL.")
        for url in callback.urls {
            do throws(OSSError) { return try send(callback, body, to: url) } catch { failure = error }
        }
        throw failure
    }

    private func send(_ callback: OSSCallback, _ body: [UInt8], to url: [UInt8]) throws(OSSError) -> [UInt8] {
        guard let (authority, target) = OSSCallbacks.parts(of: url) else {
            throw .callbackFailed("The sandbox calls http:// alone: \(url.text)")
        }
        guard let key, let address = HostPort(authority.text),
            hosts.contains(where: { $0.address == address.address && $0.port == address.port })
        else { throw .callbackFailed("The sandbox was started without --callback-host \(authority.text)") }
        guard let signature = try? key.sign(OSSCallbacks.signedText(target, body).span, .md5) else {
            throw .internalError
        }
        var out = ByteWriter(capacity: 1024 + body.count)
        out.append("POST ")
        out.append(target)
        out.append(" HTTP/1.1\r\nHost: ")
        // No line of the client's ends the field.
        out.append((callback.host ?? authority).map { $0.isVisible ? $0 : UInt8(ascii: "_") })
        out.append("\r\nConnection: close\r\nUser-Agent: ehttp-client/0.0.1\r\nContent-Type: ")
        out.append(callback.isJSON ? "application/json" : "application/x-www-form-urlencoded")
        out.append("\r\nauthorization: ")
        Base64.standard.encode(signature.span, into: &out)
        out.append("\r\nx-oss-pub-key-url: ")
        Base64.standard.encode(OSSCallbacks.keyURL.bytes, into: &out)
        out.append("\r\nContent-Length: ")
        out.append(decimal: body.count)
        out.append("\r\n\r\n")
        out.append(body)
        return try OSSCallbacks.content(
            of: BlockingExchange.send(out.array, to: SocketAddress(address), seconds: OSSCallbacks.patience))
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

    private static func content(of answer: [UInt8]?) throws(OSSError) -> [UInt8] {
        guard let answer else {
            throw .callbackFailed("No answer of the callback's server came in time.")
        }
        var reader = ResponseReader(limit: longestAnswer)
        do throws(ResponseReader.Fault) {
            try reader.receive(answer.span)
            if !reader.isComplete { try reader.close() }
        } catch {
            throw .callbackFailed("The response of the callback is no HTTP: \(error.reason)")
        }
        guard reader.status == 200 else { throw .callbackFailed("Error status : \(reader.status).") }
        guard (try? JSONReader.read(reader.body, as: .json)) != nil else {
            throw .callbackFailed("Response body is not valid json format.")
        }
        return reader.body
    }

    /// Authority and target of a URL with `http`; nil for any other.
    private static func parts(of url: [UInt8]) -> (authority: [UInt8], target: [UInt8])? {
        let scheme = Array("http://".utf8)
        guard url.starts(with: scheme), ByteSet.target.union("[]").contains(all: url) else { return nil }
        let rest = url.dropFirst(scheme.count)
        let authority = Array(rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") })
        let target = Array(rest.dropFirst(authority.count))
        return (authority, target.first == UInt8(ascii: "/") ? target : [UInt8(ascii: "/")] + target)
    }
}

extension OSSSide {
    /// What the uploader gets: the answer of the application's server where a callback was asked for, else OSS's own.
    func relay(
        _ callback: OSSCallback?, _ object: StoredObject, _ call: Call, _ response: SandboxResponse
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
