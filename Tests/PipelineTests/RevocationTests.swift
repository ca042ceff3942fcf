import Foundation
import TestPeers
import Testing

@testable import TestService

/// Who is denied or loses a credential while a request is on its way.
@Suite("Revocation: R12, R19", .timeLimit(.minutes(20)))
struct RevocationTests {
    @Test(arguments: Transport.everywhere)
    func `R12: a caller that is denied while its body is on its way gets nothing, nor one without its key`(
        _ transport: Transport
    ) throws {
        func setup(_ authentication: String) -> Setup {
            Setup(
                name: "denying",
                rest: """
                    authentication: { \(authentication) }, grants: {
                        "own": { route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"], bucket: "media",
                          keyPrefix: "own/" },
                      },
                    """)
        }
        let keys = "apiKeys: [\(APIKey.alice.entry), \(APIKey.aliceToo.entry)]"
        try Service.run(setup(keys), transport) { service in
            let body = #"{"key": "own/a"}"#
            let fields = ["Content-Type: application/json", APIKey.alice.bearer, "Expect: 100-continue"]
            let head = service.text("POST", "/qiniu/uptoken", fields, body: body).dropLast(body.utf8.count)
            func begin() throws -> Client {
                let client = try service.connect()
                try client.send(String(head))
                #expect(try client.answer().status == 100)
                return client
            }
            let early = try begin()
            try service.reload(setup(keys + ", deny: [\"apiKey:alice\"]"), transport, generation: 2)
            try early.send(body)
            try early.answer().expectProblem(403, "forbidden")
            try service.reload(setup(keys), transport, generation: 3)
            let later = try begin()
            try service.reload(setup("apiKeys: [\(APIKey.aliceToo.entry)]"), transport, generation: 4)
            try later.send(body)
            try later.answer().expectProblem(401, "unauthenticated")
        }
    }

    @Test
    func
        `R12, R19: who waits for a session gets none once it is denied, has no key, or grant or credential are others`()
        throws
    {
        let changes: [(Setup) -> Setup] = [
            { $0.replacing("apiKeys: [", with: "deny: [\"apiKey:alice\"], apiKeys: [") },
            { $0.replacing(APIKey.alice.entry, with: APIKey.aliceToo.entry) },
            { $0.replacing("callers: [\"apiKey:alice\"]", with: "callers: [\"apiKey:bob\"]") },
            { $0.replacing("\"own\": {", with: "\"other\": {") },
            { $0.replacing("secret-of-the-end-to-end-tests", with: "another-secret-of-the-end-to-end-tests") },
            { $0.replacing("role/", with: "role/other-") },
        ]
        for change in changes {
            let peer = try ClientPeer({ peer, _ in
                _ = try peer.request()
                peer.pause(milliseconds: 2000)
                try peer.answer(STSFault.credentials())
            })
            defer { _ = peer.stop() }
            let setup = Setup.vendor("waiting", ["http://127.0.0.1:\(peer.port)"], Setup.patient)
            try Service.run(setup) { service in
                let client = try service.connect()
                try client.send(service.text("GET", "/distribute-token.json?grant=own", [APIKey.alice.bearer]))
                #expect(peer.connections == 1)
                let changed = change(setup)
                #expect(changed.text(.inProcess) != setup.text(.inProcess))
                try service.reload(changed, generation: 2)
                let answer = try client.answer()
                answer.expectProblem(503, "upstream_unavailable", forSDK: true)
                #expect(answer["Retry-After"] == "1" && answer.json["SecurityToken"] == nil)
            }
        }
    }
}

extension Setup {
    fileprivate func replacing(_ text: String, with other: String) -> Setup {
        var setup = self
        setup.rest = rest.replacing(text, with: other)
        setup.credentials = credentials.replacing(text, with: other)
        return setup
    }
}
