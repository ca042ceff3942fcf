import Bytes
import Foundation
import HTTP

/// A client of a service in the process of the tests. While it waits for an answer, time passes for the service alone.
final class InProcessClient: Client {
    private let service: InProcessService
    private let connection: InProcessService.Connection
    private var come: [UInt8] = []

    /// - Parameters:
    ///   - source: the address that it connects from.
    ///   - listener, certificate: as in `InProcessService.connect`.
    init(
        _ service: InProcessService, from source: UInt32 = loopback, to listener: Int = 0,
        showing certificate: String? = nil
    ) throws {
        let bytes = [24, 16, 8, 0].map { "\(source >> $0 & 0xFF)" }
        guard let address = IPAddress(bytes.joined(separator: ".")) else {
            throw Program.Failure(description: "no address: \(source)")
        }
        self.service = service
        connection = try service.connect(from: ClientAddress(address), to: listener, showing: certificate)
        super.init()
    }

    deinit { service.close(connection) }

    override var ahead: Int64 { service.clock.seconds }

    override func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        service.receive(Array(bytes), on: connection)
        return bytes.count
    }

    override func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if come.isEmpty {
            guard let more = service.read(from: connection, within: 60_000) else { return 0 }
            come = more
        }
        guard !come.isEmpty else {
            errno = EAGAIN
            return -1
        }
        let count = min(buffer.count, come.count)
        buffer.copyBytes(from: come.prefix(count))
        come.removeFirst(count)
        return count
    }

    /// Waits until its request is answered by what other threads do for it, such as to read a file; no time passes for the service.
    func waitForOtherThreads() throws {
        let deadline = Date.now.addingTimeInterval(Program.patience)
        while service.isParked(connection) {
            guard Date.now < deadline else { throw Program.Failure(description: "the request waits for ever") }
            service.catchUp()
            usleep(1_000)
        }
    }

    override func readEnd(into buffer: UnsafeMutableRawBufferPointer) -> Int { read(into: buffer) }

    override func finishSending() { service.finishSending(connection) }

    override func reset() { service.close(connection) }

    override func hasNews(within seconds: Double) -> Bool {
        if super.hasNews(within: 0) || !come.isEmpty { return true }
        guard let more = service.read(from: connection, within: Int64(seconds * 1000)) else { return true }
        come = more
        return !more.isEmpty
    }
}
