import Bytes
import Foundation
import Net

@testable import Sandbox

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server of callbacks on a port of the system's choice, which keeps what it is asked.
final class CallbackServer: Sendable {
    private let socket: LoopbackSocket
    private let seen = Guarded([String]())

    /// - Parameter answer: what it says to everybody, as it is sent.
    init(answering answer: String) throws {
        guard let any = HostPort("127.0.0.1:0") else { throw CocoaError(.featureUnsupported) }
        let (socket, seen) = (try LoopbackSocket(any), seen)
        self.socket = socket
        Thread {
            while let descriptor = socket.next(patience: 60) {
                let request = CallbackServer.read(descriptor)
                seen.withLock { $0.append(request) }
                _ = unsafe Array(answer.utf8).withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
                close(descriptor)
            }
        }.start()
    }

    deinit { socket.stop() }

    var host: HostPort? { HostPort("\(socket.address)") }
    var url: String { "http://\(socket.address)" }
    var requests: [String] { seen.withLock { $0 } }

    /// A request with a Content-Length.
    private static func read(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.range(of: "\r\n\r\n"),
                let length = text.firstMatch(of: #/Content-Length: (\d+)/#)?.output.1,
                text[end.upperBound...].utf8.count >= Int(length) ?? 0
            {
                return text
            }
            let count = unsafe room.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return text }
            bytes += room[..<count]
        }
    }
}
