import Glibc
import TestTraits
import Testing

@testable import Gateway
@testable import Lifecycle

/// Sockets that a process has from whoever started it.
@Suite(.waiting) struct SocketActivationTests {
    @Test func `as many sockets are taken as can be handed on with two descriptors more, and none of too many`() async {
        await #expect(processExitsWith: .success) {
            func sockets(_ count: Int) -> Int {
                SocketActivation(["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "\(count)"]).sockets.count
            }
            exit(sockets(599) == 0 && sockets(598) == 598 && sockets(0) == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
