import COpenSSL
import TestPeers
import Testing

/// Runs `body` with a peer that is stopped afterwards, whatever happens.
func withPeer(
    _ script: @escaping ClientPeer.Script, tls certificate: ClientCertificates.Pair? = nil,
    versions: ClosedRange<Int32> = TLS1_2_VERSION...TLS1_3_VERSION, _ body: (ClientPeer) throws -> Void
) throws {
    let peer = try ClientPeer(script, tls: certificate, versions: versions)
    defer { #expect(peer.stop()) }
    try body(peer)
}
