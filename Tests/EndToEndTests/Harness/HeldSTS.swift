import Foundation
import TestPeers

@testable import TestService

/// An STS that answers only when the test lets it.
final class HeldSTS {
    private let gate = Gate()
    private let peer: ClientPeer

    init() throws {
        let gate = gate
        peer = try ClientPeer({ peer, _ in
            while true {
                _ = try peer.request()
                gate.pass()
                try peer.answer(STSFault.credentials())
            }
        })
    }

    deinit { _ = peer.stop(within: 10) }

    /// How many calls have come.
    var calls: Int { gate.count }

    /// Waits for the first call.
    func awaitCall() { gate.awaitCaller() }

    /// Answers all calls, those that wait and those that follow.
    func answer() { gate.open() }

    /// An account that is asked here, read again only at SIGHUP.
    func setup(_ name: String, server: String = "") -> Setup {
        var setup = Setup.vendor(name, ["http://127.0.0.1:\(peer.port)"], Setup.patient, server: server)
        setup.rest += ReloadTests.quiet
        return setup
    }
}
