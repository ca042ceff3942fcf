import COpenSSL
import Crypto
import Foundation
import TestPeers
import Testing

@testable import Net

func serverCertificate(_ pair: ClientCertificates.Pair) throws -> ServerCertificate {
    let chain = Array(try Data(contentsOf: URL(filePath: pair.chain)))
    let key = Array(try Data(contentsOf: URL(filePath: pair.key)))
    return try ServerCertificate(chain: chain.span, key: Secret(key))
}

func entry(_ pair: ClientCertificates.Pair, _ names: String...) throws -> TLSIdentity.Entry {
    TLSIdentity.Entry(names: names.map { Array($0.utf8) }, certificate: try serverCertificate(pair))
}

/// Runs `body` with a server that speaks TLS, with the certificate `good` if no other is given.
func withTLSServer(
    _ transport: TransportKind, _ entries: [TLSIdentity.Entry] = [],
    _ adjust: (inout Server.Settings) -> Void = { _ in }, _ body: (TestServer) throws -> Void
) throws {
    let certificates = try ClientCertificates.shared.get()
    let identity = try TLSIdentity(entries.isEmpty ? [try entry(certificates.good, "localhost")] : entries)
    try withServer(
        transport,
        {
            $0.identity = identity
            adjust(&$0)
        }, body)
}

/// Why a client with such an offer gets no connection; nil when it gets one.
func refusal(_ server: TestServer, _ offer: TLSClient.Offer) throws -> String? {
    do {
        let client = try TLSClient(to: server.port, offer)
        // In TLS 1.3 the client is done before the server is.
        _ = try client.get("/")
        return nil
    } catch let error as TLSClient.Refused {
        return error.reason
    }
}

/// A version of TLS by its name.
struct TLSVersion: Sendable, CaseIterable, CustomTestStringConvertible {
    static let allCases = [TLSVersion(number: TLS1_2_VERSION), TLSVersion(number: TLS1_3_VERSION)]

    let number: Int32
    var testDescription: String { number == TLS1_2_VERSION ? "TLS 1.2" : "TLS 1.3" }
    var offer: TLSClient.Offer { TLSClient.Offer(versions: number...number) }
}
