import Foundation
import TestPeers
import Testing

@testable import TestService

@Suite("Faults of the vendor, as clients see them")
struct STSFaultTests {
    @Test func `the environment's key signs, its token goes along, and a private cloud's signature is RPC`() throws {
        let requests = Requests()
        let peer = try ClientPeer(
            { peer, _ in
                while true {
                    requests.add(try peer.request())
                    try peer.answer(STSFault.credentials())
                }
            })
        defer { _ = peer.stop() }
        var setup = Setup.vendor("environment", ["http://127.0.0.1:\(peer.port)"], Setup.patient)
        let pair = #"accessKey: "LTAI5e2e", secretKey: "secret-of-the-end-to-end-tests","#
        setup.credentials = setup.credentials.replacing(pair, with: #"identity: "environment","#)
        let environment = [
            "ALIBABA_CLOUD_ACCESS_KEY_ID": "STS.own", "ALIBABA_CLOUD_ACCESS_KEY_SECRET": "own-secret",
            "ALIBABA_CLOUD_SECURITY_TOKEN": "own-token",
        ]
        try Service.run(setup, .inProcess, environment) { try $0.get("/distribute-token.json").expectSuccess() }
        setup.credentials = setup.credentials.replacing("endpoints:", with: #"signature: "rpc", endpoints:"#)
        try Service.run(setup, .inProcess, environment) { try $0.get("/distribute-token.json").expectSuccess() }
        #expect(requests.all.count == 2)
        let (acs3, rpc) = (try #require(requests.all.first), try #require(requests.all.last))
        #expect(acs3.contains("Authorization: ACS3-HMAC-SHA256 Credential=STS.own,"))
        #expect(acs3.contains("x-acs-security-token: own-token"))
        #expect(rpc.contains("AccessKeyId=STS.own&") && rpc.contains("SecurityToken=own-token"))
        #expect(rpc.contains("SignatureMethod=HMAC-SHA1") && !rpc.contains("Authorization:"))
        #expect(requests.all.allSatisfy { !$0.contains("own-secret") })
    }

    private final class Requests: @unchecked Sendable {
        private let lock = NSLock()
        private var texts: [String] = []
        func add(_ text: String) { lock.withLock { texts.append(text) } }
        var all: [String] { lock.withLock { texts } }
    }

    @Test func `a request that waits has as long as that takes, and is told the end in the SDK's words`() throws {
        let peer = try ClientPeer({ peer, _ in peer.hang() })
        defer { _ = peer.stop() }
        let setup = Setup.vendor(
            "impatient", ["http://127.0.0.1:\(peer.port)"], server: "limits: { requestTimeout: \"500ms\" },")
        try Service.run(setup) { service in
            let answer = try service.get("/distribute-token.json", "X-Request-Id: mine")
            #expect(answer.status == 503)
            #expect(answer.json["StatusCode"] == 503 && answer.json["ErrorCode"]?.string != nil, "\(answer.text)")
            #expect(answer["X-Request-Id"] == "mine")
        }
    }
}
