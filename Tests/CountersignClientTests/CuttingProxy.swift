import Foundation

/// Hands bytes on between clients and a server on loopback, and cuts the connection by which the client sends a chosen byte.
final class CuttingProxy: Sendable {
    private struct State {
        var sent = 0
        var cuts: [Int]
        var done = 0
    }

    let port: UInt16
    var url: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/") }
    /// How many connections have been cut.
    var cuts: Int { state.value.done }
    private let listener: Int32
    private let state: Locked<State>

    /// - Parameters:
    ///   - cuts: after how many bytes of all clients, ascending.
    ///   - sends: is called each time a client has sent something, before the server sees it.
    init(to server: UInt16, cutting cuts: [Int] = [], sends: @escaping @Sendable () -> Void = {}) throws {
        let state = Locked(State(cuts: cuts))
        self.state = state
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var name = CuttingProxy.loopback(0)
        let bound = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard listener >= 0, bound else { throw LoopbackServer.Failure(call: "listen") }
        port = UInt16(bigEndian: name.sin_port)
        Thread {
            defer { close(listener) }
            while case let client = accept(listener, nil, nil), client >= 0 {
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                Thread { CuttingProxy.serve(client, server, state, sends) }.start()
            }
        }.start()
    }

    /// Its thread closes the listener.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        name.sin_port = port.bigEndian
        return name
    }

    private static func serve(
        _ client: Int32, _ port: UInt16, _ state: Locked<State>, _ sends: @escaping @Sendable () -> Void
    ) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = loopback(port)
        let isConnected = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard server >= 0, isConnected else {
            close(server)
            close(client)
            return
        }
        let back = DispatchSemaphore(value: 0)
        Thread {
            pump(from: server, to: client) { _ in true }
            back.signal()
        }.start()
        pump(from: client, to: server) { count in
            sends()
            return state.update { state in
                state.sent += count
                guard let next = state.cuts.first, state.sent >= next else { return true }
                state.cuts.removeFirst()
                state.done += 1
                return false
            }
        }
        back.wait()
        close(server)
        close(client)
    }

    /// Until one side ends, or `goesOn` says no; then both do.
    private static func pump(from source: Int32, to target: Int32, _ goesOn: (Int) -> Bool) {
        defer {
            shutdown(source, Int32(SHUT_RDWR))
            shutdown(target, Int32(SHUT_RDWR))
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0, goesOn(count) {
            var rest = buffer[..<count]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes { send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }
    }
}
