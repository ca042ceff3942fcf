import Bytes
import HTTP

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connection to another server for a thread that may wait; event loops never do. Every wait has a deadline, in monotonic
/// milliseconds.
package final class WaitingStream {
    /// Why it is of no use any more.
    package enum Fault: Error, Sendable, CustomStringConvertible {
        case resolve(Resolver.Fault)
        /// In the system's words.
        case connect(reason: String)
        case tls(TLSFault)
        case timeout
        case lost

        package var description: String {
            switch self {
            case .resolve(let fault): fault.description
            case .connect(let reason): "cannot connect: \(reason)"
            case .tls(let fault): fault.description
            case .timeout: "no answer in time"
            case .lost: "the connection was lost"
            }
        }

        fileprivate init(_ fault: StreamFault) {
            switch fault {
            case .lost: self = .lost
            case .tls(let fault): self = .tls(fault)
            }
        }
    }

    private let descriptor: Int32
    private var stream: SocketStream
    private let bell: Bell
    private var buffer = [UInt8](repeating: 0, count: 16 * 1024)

    /// Connects to the first address of the host that can be connected to.
    /// - Parameters:
    ///   - host: a name, or a numeric address. The system looks the name up, and may take longer than the deadline.
    ///   - trust: what the server's certificate is verified by, for that host; nil for no TLS.
    ///   - bell: ends a wait of `read`.
    package init(
        to host: String, port: UInt16, trusting trust: TLSTrust?, waking bell: Bell, until deadline: Int64
    ) throws(Fault) {
        guard let origin = Origin(host, port, trusting: trust) else { throw .resolve(.badName) }
        self.bell = bell
        descriptor = try WaitingStream.connect(to: origin, bell, until: deadline)
        stream = SocketStream(descriptor)
        guard let trust else { return }
        let session = TLSSession(origin, trust, descriptor, resuming: nil, at: SystemClock.monotonicMilliseconds())
        guard let session else { throw .connect(reason: "OpenSSL has no memory for TLS") }
        stream.secure(with: session)
        while try wait(after: stream.handshake(), until: deadline) == nil { session.beginTurn() }
    }

    deinit {
        stream.finish()
        systemClose(descriptor)
    }

    private static func connect(to origin: Origin, _ bell: Bell, until deadline: Int64) throws(Fault) -> Int32 {
        let addresses: [IPAddress]
        switch origin.knownAddresses.map(Resolver.Outcome.success) ?? SystemLookup.addresses(of: origin.host) {
        case .success(let found): addresses = found
        case .failure(let fault): throw .resolve(fault)
        }
        var reason = "no address"
        for address in addresses {
            do throws(ClientSocket.Failure) {
                let descriptor = try ClientSocket.open(SocketAddress(address, port: origin.port))
                do throws(ClientSocket.Failure) {
                    while SystemClock.monotonicMilliseconds() < deadline {
                        _ = bell.wait(until: deadline, (descriptor, .write))
                        if try ClientSocket.isConnected(descriptor) { return descriptor }
                    }
                    reason = "not accepted in time"
                } catch {
                    reason = error.reason
                }
                systemClose(descriptor)
            } catch {
                reason = error.reason
            }
        }
        throw .connect(reason: reason)
    }

    /// Sends all of the bytes.
    package func write(_ bytes: Span<UInt8>, until deadline: Int64) throws(Fault) {
        var sent = 0
        while sent < bytes.count {
            stream.beginTurn()
            let transfer = stream.write(bytes.extracting(sent..<bytes.count))
            sent += try wait(after: transfer, until: deadline) ?? 0
        }
    }

    /// Waits until something comes, the bell is rung, or the time is over.
    /// - Returns: what came; empty for the other two.
    package func read(until deadline: Int64) throws(Fault) -> [UInt8] {
        switch stream.read(into: &buffer) {
        case .moved(let count): return Array(buffer[..<count])
        case .wait(let interest):
            guard bell.wait(until: deadline, (descriptor, interest)) else { return [] }
            guard case .moved(let count) = try settled(stream.read(into: &buffer)) else { return [] }
            return Array(buffer[..<count])
        case .ended: throw .lost
        case .failed(let fault): throw Fault(fault)
        }
    }

    private func settled(_ transfer: Transfer) throws(Fault) -> Transfer {
        switch transfer {
        case .moved, .wait: return transfer
        case .ended: throw .lost
        case .failed(let fault): throw Fault(fault)
        }
    }

    /// - Returns: the bytes that were moved; nil where the socket had to be waited for.
    private func wait(after transfer: Transfer, until deadline: Int64) throws(Fault) -> Int? {
        switch try settled(transfer) {
        case .moved(let count): return count
        case .wait(let interest):
            guard SystemClock.monotonicMilliseconds() < deadline else { throw .timeout }
            _ = bell.wait(until: deadline, (descriptor, interest))
            return nil
        case .ended, .failed: throw .lost
        }
    }
}

// Unsafe: a thread's own.
extension WaitingStream: @unchecked Sendable {}
