import Bytes
import Dispatch
import Foundation
import HTTP
import Testing

@testable import Net

/// `/echo` gives the body back, `/big/N` N bytes that depend on their place, anything else its path and query.
final class EchoHandler: RequestHandler {
    func respond(to request: borrowing Request, at instant: Instant, into response: inout Response) {
        response.contentType = .text
        if request.path.equals("/echo") {
            response.body.append(request.body)
        } else if request.path.begins(with: "/big/"), let count = Int(request.path.extracting(5..<request.path.count).text) {
            response.body.append(pattern(count))
        } else {
            response.body.append(request.path)
            response.body.append(UInt8(ascii: "?"))
            response.body.append(request.query)
        }
    }

    func respond(to error: RequestError, at instant: Instant, into response: inout Response) {
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

/// Bytes of which no two nearby runs are alike, so that a lost or repeated piece shows.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
}

/// A server that runs on a thread of its own.
final class TestServer {
    let port: UInt16
    private let server: Server
    private let returned = DispatchSemaphore(value: 0)
    private var isStopped = false

    init(_ transport: TransportKind, _ adjust: (inout Server.Settings) -> Void = { _ in }) throws {
        let address = try socketAddress("127.0.0.1:0")
        var settings = Server.Settings(addresses: [address], workers: 1)
        settings.transport = transport
        settings.drainTimeout = 3000
        adjust(&settings)
        server = try Server(settings) { EchoHandler() }
        port = try #require(server.addresses.first).port
        let (server, returned) = (server, returned)
        Thread { server.run(); returned.signal() }.start()
    }

    /// Asks it to stop; it ends when what is under way is finished.
    func beginStop() { server.stop() }

    /// - Returns: whether `run` returned in time.
    func stop(within seconds: Double = 5) -> Bool {
        server.stop()
        return hasReturned(within: seconds)
    }

    func hasReturned(within seconds: Double) -> Bool {
        if !isStopped { isStopped = returned.wait(timeout: .now() + seconds) == .success }
        return isStopped
    }
}

/// Runs `body` with a server that is stopped afterwards, whatever happens.
func withServer(
    _ transport: TransportKind, _ adjust: (inout Server.Settings) -> Void = { _ in }, _ body: (TestServer) throws -> Void
) throws {
    let server = try TestServer(transport, adjust)
    defer { #expect(server.stop()) }
    try body(server)
}
