import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// One of several replicas, whose Redis says what the test wants.
@Suite("A replica", .waiting, .timeLimit(.minutes(20)))
struct ReplicaTests {
    private static func setup(port: UInt16, beside more: String = "") -> Setup {
        Setup(
            name: "replica",
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry)], tickets: { secret: "\(Setup.ticketSecret)" } },
                  cluster: {
                    servers: ["redis://127.0.0.1:\(port)"], instance: "a", key: "\(Setup.clusterKey)", \(more)
                  },
                  grants: {
                    "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"],
                      bucket: "demo-media", keyPrefix: "photos/" },
                    "files": { route: "qiniu.files", credential: "qiniu", callers: ["apiKey:alice"],
                      bucket: "demo-media", keyPrefix: "photos/" },
                  },
                """)
    }

    private func token(_ service: Service) throws -> Answer {
        try service.get("/qiniu/uptoken?key=photos/a.jpg", APIKey.alice.bearer)
    }

    private func ticket(_ service: Service, for grant: String) throws -> Answer {
        try service.post("/tickets", json: #"{"grant": "\#(grant)", "uses": 1}"#, APIKey.alice.bearer)
    }

    /// Waits until the service says so of itself and Redis.
    private func wait(for state: String, of service: Service) throws {
        let deadline = Date.now.addingTimeInterval(30)
        while try service.admin.get("/readyz").json["parts"]?["cluster"]?.string != state {
            try #require(Date.now < deadline, "never: \(state)")
            usleep(5_000)
        }
    }

    @Test func `a ticket whose uses are counted is not for a route whose vendor acts first`() throws {
        let peer = try RedisPeer { _, _ in nil }
        try Service.run(ReplicaTests.setup(port: peer.port)) { service in
            try wait(for: "ok", of: service)
            #expect(try ticket(service, for: "photos").status == 200)
            let refused = try ticket(service, for: "files")
            refused.expectProblem(400, "invalid_parameter")
            #expect(refused.json["parameter"] == "uses")
            let uncounted = try service.post("/tickets", json: #"{"grant": "files"}"#, APIKey.alice.bearer)
            #expect(uncounted.status == 200)
        }
    }

    @Test func `while Redis is gone no ticket that counts is made, and all else is served`() throws {
        let peer = try RedisPeer { words, _ in words.first == "INFO" ? .end : nil }
        try Service.run(ReplicaTests.setup(port: peer.port)) { service in
            try ticket(service, for: "photos").expectProblem(503, "cluster_unavailable")
            #expect(try service.post("/tickets", json: #"{"grant": "photos"}"#, APIKey.alice.bearer).status == 200)
            #expect(try token(service).status == 200)
        }
    }

    @Test(arguments: ["serve", "refuse"])
    func `after staleAfter without Redis a replica serves or refuses, as it is told`(_ whenStale: String) throws {
        let peer = try RedisPeer { words, _ in words.first == "INFO" ? .end : nil }
        let setup = ReplicaTests.setup(port: peer.port, beside: "staleAfter: \"30s\", whenStale: \"\(whenStale)\",")
        try Service.run(setup) { service in
            #expect(try token(service).status == 200)
            let made = try #require(
                service.post("/tickets", json: #"{"grant": "photos", "expires": 600}"#, APIKey.alice.bearer)
                    .json["ticket"]?.string)
            service.pass(milliseconds: 29_000)
            #expect(try token(service).status == 200)
            service.pass(milliseconds: 2_000)
            let asks = [
                try token(service), try service.get("/qiniu/uptoken?ticket=\(made)"),
                try service.post("/tickets", json: #"{"grant": "photos"}"#, APIKey.alice.bearer),
            ]
            let ready = try service.admin.get("/readyz")
            guard whenStale == "refuse" else {
                #expect(asks.allSatisfy { $0.status == 200 } && ready.status == 200)
                return
            }
            for answer in asks { answer.expectProblem(503, "cluster_unavailable") }
            #expect(ready.status == 503)
        }
    }

    @Test func `a replica that hears Redis is never stale`() throws {
        let peer = try RedisPeer { _, _ in nil }
        let setup = ReplicaTests.setup(port: peer.port, beside: #"staleAfter: "1s", whenStale: "refuse","#)
        try Service.run(setup) { service in
            try wait(for: "ok", of: service)
            service.pass(milliseconds: 3_600_000)
            #expect(try token(service).status == 200)
        }
    }
}
