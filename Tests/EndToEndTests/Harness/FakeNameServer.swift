import Foundation
import Glibc
import Synchronization

@testable import TestService

/// A name server on this machine, for a service that sees other files instead of the system's (`Service.mounting`).
final class FakeNameServer: Sendable {
    /// What it does with a question.
    enum Manner: String, CaseIterable, Sendable { case silent, failing, absent, answering }

    private final class State: @unchecked Sendable {
        private let lock = NSLock()
        private var current = Manner.silent
        private var count = 0

        var manner: Manner {
            get { lock.withLock { current } }
            set { lock.withLock { current = newValue } }
        }

        var questions: Int { lock.withLock { count } }
        func take() -> Manner {
            lock.withLock {
                count += 1
                return current
            }
        }
    }

    private static let made = Atomic(1)

    private let address: String
    private let folder: String
    private let descriptor: Int32
    private let state = State()

    init() throws {
        // Name servers have one port, but this machine has many addresses: no other's, and no other test run's.
        let number = FakeNameServer.made.add(1, ordering: .relaxed).newValue
        address = "127.\(getpid() >> 8 & 0xFF).\(getpid() & 0xFF).\(number & 0xFF)"
        folder = try Keeper.makeFolder()
        try Keeper.write("nameserver \(address)\n", to: folder + "/resolv.conf")
        try Keeper.write("hosts: dns\n", to: folder + "/nsswitch.conf")
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var socketAddress = sockaddr_in()
        socketAddress.sin_family = sa_family_t(AF_INET)
        socketAddress.sin_port = UInt16(53).bigEndian
        inet_pton(AF_INET, address, &socketAddress.sin_addr)
        let descriptor = descriptor
        let result = withUnsafePointer(to: &socketAddress) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Program.Failure(description: "cannot bind \(address):53: error \(errno)") }
        let state = state
        Thread.detachNewThread { FakeNameServer.serve(descriptor, state) }
    }

    deinit {
        // Its thread hears of it, and closes the socket.
        shutdown(descriptor, Int32(SHUT_RD))
    }

    var manner: Manner {
        get { state.manner }
        set { state.manner = newValue }
    }

    var questions: Int { state.questions }

    /// What has a service ask here for every name.
    var starter: [String] {
        let mounts = ["resolv.conf", "nsswitch.conf"].map { "mount --bind \(folder)/\($0) /etc/\($0)" }
        return Service.mounting(mounts.joined(separator: " && "))
    }

    private static func serve(_ descriptor: Int32, _ state: State) {
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 2048)
        while true {
            var from = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = withUnsafeMutablePointer(to: &from) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &buffer, buffer.count, 0, $0, &size)
                }
            }
            guard count > 0 else { return }
            guard let answer = answer(to: Array(buffer[..<count]), state.take()) else { continue }
            withUnsafePointer(to: &from) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = sendto(descriptor, answer, answer.count, 0, $0, size)
                }
            }
        }
    }

    /// What is answered to a question (RFC 1035, section 4); every name is this machine's.
    private static func answer(to question: [UInt8], _ manner: Manner) -> [UInt8]? {
        guard manner != .silent, question.count > 12 else { return nil }
        var end = 12
        while end < question.count, question[end] != 0 { end += 1 + Int(question[end]) }
        end += 5
        guard end <= question.count else { return nil }
        let code: UInt8 = [.failing: 2, .absent: 3][manner] ?? 0
        let hasAddress = manner == .answering && question[end - 3] == 1
        let head = question[..<2] + [0x81, 0x80 | code, 0, 1, 0, hasAddress ? 1 : 0, 0, 0, 0, 0]
        let address: [UInt8] = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]
        return head + question[12..<end] + (hasAddress ? address : [])
    }
}
