import Bytes
import HTTP
import Net

/// Calls the application's servers for the vendors, after uploads: plain HTTP, and to no address but those that were named at the start.
struct CallbackClient: Sendable {
    /// Why there is no answer to relay.
    struct Failure: Error {
        let reason: String
    }

    /// Where a call goes.
    struct Destination {
        fileprivate let address: HostPort
        /// As the URL has it: what the Host field is, unless the vendor is told another.
        let authority: [UInt8]
        /// Path and query.
        let target: [UInt8]
    }

    /// Seconds that a server has for its answer.
    private static let patience = 10
    private static let longestAnswer = 48 * 1024

    /// Addresses of this machine.
    let hosts: [HostPort]

    /// Reads a URL, and refuses it where no call may go there.
    func destination(_ url: [UInt8]) throws(Failure) -> Destination {
        let scheme = Array("http://".utf8)
        guard url.starts(with: scheme), ByteSet.target.union("[]").contains(all: url) else {
            throw Failure(reason: "the sandbox calls http:// alone")
        }
        let rest = url.dropFirst(scheme.count)
        let authority = Array(rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") })
        let target = Array(rest.dropFirst(authority.count))
        let hasPort = authority.last != UInt8(ascii: "]") && authority.contains(UInt8(ascii: ":"))
        guard let address = HostPort(authority.text + (hasPort ? "" : ":80")),
            hosts.contains(where: { $0.address == address.address && $0.port == address.port })
        else { throw Failure(reason: "--callback-host does not name \(authority.text)") }
        return Destination(
            address: address, authority: authority,
            target: target.first == UInt8(ascii: "/") ? target : [UInt8(ascii: "/")] + target)
    }

    /// Sends a request with its fields as they are, and waits for the answer.
    /// - Returns: the content of the answer, whose status is 200.
    func send(_ request: SandboxRequest, to destination: Destination) throws(Failure) -> [UInt8] {
        var out = ByteWriter(capacity: 1024 + request.body.count)
        out.append(request.method)
        out.append(" ")
        out.append(request.target)
        out.append(" HTTP/1.1\r\n")
        for field in request.fields { out.append(line: field) }
        out.append("Content-Length: ")
        out.append(decimal: request.body.count)
        out.append("\r\nConnection: close\r\n\r\n")
        out.append(request.body)
        let address = SocketAddress(destination.address)
        guard let answer = BlockingExchange.send(out.array, to: address, seconds: CallbackClient.patience) else {
            throw Failure(reason: "no answer from \(destination.authority.text)")
        }
        var reader = ResponseReader(limit: CallbackClient.longestAnswer)
        do throws(ResponseReader.Fault) {
            try reader.receive(answer.span)
            if !reader.isComplete { try reader.close() }
        } catch {
            throw Failure(reason: "\(error.reason)")
        }
        guard reader.status == 200 else {
            throw Failure(reason: "\(destination.authority.text) answers with status \(reader.status)")
        }
        return reader.body
    }
}
