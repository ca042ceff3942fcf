import Bytes
import HTTP
import Net

/// The callback of an upload: a POST to the application's server, whose answer the client gets.
struct KodoCallback: Sendable {
    static let form = Array("application/x-www-form-urlencoded".utf8)
    static let json = Array("application/json".utf8)

    /// Seconds that a server has for its answer.
    private static let patience = 10
    private static let longestAnswer = 48 * 1024

    /// Where callbacks may go: addresses of this machine.
    let hosts: [HostPort]
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
        guard let (authority, target) = KodoCallback.parts(of: url) else {
            throw Failure(url: url, reason: "the sandbox calls http:// alone, with a host that --callback-host names")
        }
        guard let address = HostPort(authority.text), hosts.contains(where: { $0.isSame(as: address) }) else {
            throw Failure(url: url, reason: "--callback-host does not name \(authority.text)")
        }
        let request = request(callback, to: callback.host ?? authority, target, body, at: now)
        var out = ByteWriter(capacity: 1024 + body.count)
        out.append("POST ")
        out.append(target)
        out.append(" HTTP/1.1\r\n")
        for field in request.fields {
            out.append(field.name)
            out.append(": ")
            out.append(field.value)
            out.append("\r\n")
        }
        guard let authorization = try? signatures.authorization(of: request, by: accessKey) else {
            throw Failure(url: url, reason: "the callback cannot be signed")
        }
        out.append("Authorization: ")
        out.append(authorization)
        out.append("\r\nContent-Length: ")
        out.append(decimal: body.count)
        out.append("\r\nConnection: close\r\n\r\n")
        out.append(body)
        let answer = BlockingExchange.send(
            out.array, to: SocketAddress(address), seconds: KodoCallback.patience)
        return try KodoCallback.content(of: answer, from: url)
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

    private static func content(of answer: [UInt8]?, from url: [UInt8]) throws(Failure) -> [UInt8] {
        guard let answer else { throw Failure(url: url, reason: "no answer from \(url.text)") }
        var reader = ResponseReader(limit: longestAnswer)
        do throws(ResponseReader.Fault) {
            try reader.receive(answer.span)
            if !reader.isComplete { try reader.close() }
        } catch {
            throw Failure(url: url, reason: "\(error.reason)")
        }
        guard reader.status == 200 else {
            throw Failure(url: url, reason: "the server of the callback answers with status \(reader.status)")
        }
        guard (try? JSONReader.read(reader.body, as: .json)) != nil else {
            throw Failure(url: url, reason: "the server of the callback does not answer with JSON")
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

extension HostPort {
    /// Whether both name the same address, however they spell it.
    func isSame(as other: HostPort) -> Bool { address == other.address && port == other.port }
}
