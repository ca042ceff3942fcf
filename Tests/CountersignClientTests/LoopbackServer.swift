import Foundation

/// A request as a server gets it.
struct ReceivedRequest: Sendable {
    let method: String
    /// As it stands on the request line.
    let target: String
    /// By names in lower case.
    let fields: [String: String]
    var body = Data()

    var path: String { String(target.prefix { $0 != "?" }) }

    /// The query's parameters, or a form's in the body.
    var query: [String: String] { ReceivedRequest.parameters(target.drop { $0 != "?" }.dropFirst()) }
    var form: [String: String] { ReceivedRequest.parameters(String(decoding: body, as: UTF8.self)[...]) }

    private static func parameters(_ text: Substring) -> [String: String] {
        var found: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let name = pair.prefix { $0 != "=" }
            found[name.removingPercentEncoding ?? ""] = pair.dropFirst(name.count + 1).removingPercentEncoding
        }
        return found
    }
}

/// What a server does with a request.
struct Reply: Sendable {
    var status = 200
    var fields: [String: String] = [:]
    var body = Data()
    /// Closes the connection instead.
    var isCut = false

    static let cut = Reply(isCut: true)

    static func json(_ text: String, status: Int = 200, fields: [String: String] = [:]) -> Reply {
        Reply(status: status, fields: fields, body: Data(text.utf8))
    }
}

/// An HTTP server on loopback, with a thread for each connection.
final class LoopbackServer: Sendable {
    typealias Handler = @Sendable (ReceivedRequest) -> Reply
    /// After how many bytes of a request's body its connection is cut; nil for never.
    typealias Cutter = @Sendable (ReceivedRequest) -> Int?

    let port: UInt16
    var url: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/") }
    private let listener: Int32
    private let handler: Handler
    private let cutter: Cutter

    struct Failure: Error { let call: String }

    init(cutting cutter: @escaping Cutter = { _ in nil }, _ handler: @escaping Handler) throws {
        self.handler = handler
        self.cutter = cutter
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let bound = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard listener >= 0, bound else { throw Failure(call: "listen") }
        port = UInt16(bigEndian: name.sin_port)
        // The thread holds the server's parts, and not the server, so that it ends with it.
        Thread { LoopbackServer.serve(descriptor, handler, cutter) }.start()
    }

    /// The thread closes it: closed here, its number could be another server's while the thread still waits at it.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(_ listener: Int32, _ handler: @escaping Handler, _ cutter: @escaping Cutter) {
        defer { close(listener) }
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            // A process that another test starts meanwhile must not hold it open.
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            var time = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
            Thread {
                Connection(client, handler, cutter).run()
                close(client)
            }.start()
        }
    }
}

private final class Connection {
    private let descriptor: Int32
    private let handler: LoopbackServer.Handler
    private let cutter: LoopbackServer.Cutter
    private var held = Data()

    init(_ descriptor: Int32, _ handler: @escaping LoopbackServer.Handler, _ cutter: @escaping LoopbackServer.Cutter) {
        self.descriptor = descriptor
        self.handler = handler
        self.cutter = cutter
    }

    func run() {
        while let request = next() {
            let reply = handler(request)
            guard !reply.isCut, write(reply, toHead: request.method == "HEAD") else { return }
        }
    }

    private func next() -> ReceivedRequest? {
        let separator = Data("\r\n\r\n".utf8)
        var end = held.range(of: separator)
        while end == nil {
            guard more() else { return nil }
            end = held.range(of: separator)
        }
        guard let end else { return nil }
        let lines = String(decoding: held[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        held = Data(held[end.upperBound...])
        let words = lines[0].components(separatedBy: " ")
        guard words.count == 3 else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }
            fields[name.lowercased()] = line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        }
        var request = ReceivedRequest(method: words[0], target: words[1], fields: fields)
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        let limit = cutter(request)
        if fields["expect"] != nil { _ = write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
        while held.count < length {
            if let limit, held.count >= limit { return nil }
            guard more() else { return nil }
        }
        if limit != nil { return nil }
        request.body = Data(held.prefix(length))
        held = Data(held.dropFirst(length))
        return request
    }

    private func more() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        held.append(contentsOf: buffer[..<count])
        return true
    }

    private func write(_ reply: Reply, toHead: Bool) -> Bool {
        var head = "HTTP/1.1 \(reply.status) Status\r\nContent-Length: \(reply.body.count)\r\n"
        for (name, value) in reply.fields { head += "\(name): \(value)\r\n" }
        return write(Data((head + "\r\n").utf8) + (toHead ? Data() : reply.body))
    }

    private func write(_ data: Data) -> Bool {
        var rest = Array(data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
