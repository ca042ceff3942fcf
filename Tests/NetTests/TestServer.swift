import Bytes
import Dispatch
import Foundation
import HTTP
import Testing

@testable import Net

/// `/echo` gives the body back, `/from` the address of who asks (of those that tests have), `/who` the names in the client's certificate, `/checked` until when it is not revoked, `/big/N` N bytes that depend on their place, anything else its path and query.
final class EchoHandler: RequestHandler {
    func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering {
        response.contentType = .text
        if request.path.equals("/echo") {
            response.body.append(request.body)
        } else if request.path.equals("/who") {
            let names = request.certificate?.names.map { "\($0.kind):\($0.value.text)" } ?? ["nobody"]
            response.body.append(Array(names.joined(separator: " ").utf8))
        } else if request.path.equals("/until") {
            response.body.append(decimal: request.certificate?.notAfter ?? 0)
        } else if request.path.equals("/checked") {
            response.body.append(decimal: request.certificate?.checkedUntil ?? 0)
        } else if request.path.equals("/from") {
            response.body.append(text: EchoHandler.name(request.client))
        } else if request.path.begins(with: "/big/"),
            let count = Int(request.path.extracting(5..<request.path.count).text)
        {
            Pattern.write(count, into: &response.body)
        } else {
            response.body.append(request.path)
            response.body.append(UInt8(ascii: "?"))
            response.body.append(request.query)
        }
        return .done
    }

    private static func name(_ client: ClientAddress) -> String {
        let known = ["127.0.0.1", "203.0.113.9", "203.0.113.10", "2001:db8::9"]
        return known.first { IPAddress($0).map { ClientAddress($0) } == client } ?? (client == .none ? "none" : "?")
    }

    func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool { false }

    func respond(
        to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
        into response: inout Response
    ) {
        response.status =
            switch error.kind {
            case .malformed: 400
            case .uriTooLong: 414
            case .headersTooLarge: 431
            case .bodyTooLarge: 413
            case .timeout: 408
            case .overloaded: 503
            }
    }
}

/// Bytes of which no two nearby runs are alike, so that a lost or repeated piece shows: one block of an odd length, over
/// and over.
enum Pattern {
    private static let block = (0..<10_007).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }

    static func write(_ count: Int, into out: inout ByteWriter) {
        for _ in 0..<count / block.count { out.append(block) }
        out.append(block[..<(count % block.count)])
    }

    static func bytes(_ count: Int) -> [UInt8] {
        var out = ByteWriter(capacity: count)
        write(count, into: &out)
        return out.array
    }

    /// By memory, since comparing arrays takes its time where nothing is optimised.
    static func matches(_ bytes: [UInt8], count: Int) -> Bool {
        Pattern.bytes(count).withUnsafeBytes { expected in
            bytes.withUnsafeBytes { actual in
                guard actual.count == count, let first = actual.baseAddress, let second = expected.baseAddress else {
                    return actual.count == count
                }
                return memcmp(first, second, count) == 0
            }
        }
    }
}

/// A server that runs on a thread of its own. It gives everybody and everything two minutes, longer than anybody waits here: a
/// test shortens the one time that it is about, and no other ends anything, however slow the machine is.
final class TestServer {
    let port: UInt16
    let connections: OpenConnections
    private let server: Server
    private var settings: Server.Settings
    private let returned = DispatchSemaphore(value: 0)
    private var isStopped = false

    init(
        _ transport: TransportKind, _ adjust: (inout Server.Settings) -> Void = { _ in },
        makeHandler: (LoopAccess) -> any RequestHandler = { _ in EchoHandler() }
    ) throws {
        let address = try socketAddress("127.0.0.1:0")
        var settings = Server.Settings(addresses: [address], workers: 1)
        settings.transport = transport
        settings.limits.headerTimeout = 120_000
        settings.limits.requestTimeout = 120_000
        settings.limits.writeTimeout = 120_000
        settings.limits.answerTimeout = 120_000
        settings.limits.idleTimeout = 120_000
        settings.limits.drainTimeout = 120_000
        adjust(&settings)
        self.settings = settings
        var connections: OpenConnections?
        server = try Server(settings, resolver: Resolver()) { access in
            connections = access.connections
            return makeHandler(access)
        }
        self.connections = try #require(connections)
        port = try #require(server.addresses.first).port
        let (server, returned) = (server, returned)
        Thread {
            server.run(); returned.signal()
        }.start()
    }

    func replaceIdentity(with identity: TLSIdentity) {
        settings.identity = identity
        server.renew(settings)
    }

    /// Asks it to stop; it ends when what is under way is finished.
    func beginStop() { server.stop() }

    /// - Returns: whether `run` returned in time.
    func stop(within seconds: Double = 60) -> Bool {
        server.stop()
        return hasReturned(within: seconds)
    }

    func hasReturned(within seconds: Double = 60) -> Bool {
        if !isStopped { isStopped = returned.wait(timeout: .now() + seconds) == .success }
        return isStopped
    }
}

/// Runs `body` with a server that is stopped afterwards, whatever happens.
func withServer(
    _ transport: TransportKind, _ adjust: (inout Server.Settings) -> Void = { _ in },
    _ body: (TestServer) throws -> Void
) throws {
    let server = try TestServer(transport, adjust)
    defer { #expect(server.stop()) }
    try body(server)
}
