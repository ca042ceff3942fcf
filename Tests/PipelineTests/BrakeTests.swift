import Foundation
import TestPeers
import Testing

@testable import TestService

/// What the operator has stopped is issued to nobody, in whatever way it is asked.
@Suite("The brake", .timeLimit(.minutes(20)))
struct BrakeTests {
    private static let grants = """
        authentication: { apiKeys: [\(APIKey.alice.entry), \(APIKey.bob.entry)],
            tickets: { secret: "\(Setup.ticketSecret)", maxLifetime: "30m" } },
          grants: {
            "hers": { route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"], bucket: "media", keyPrefix: "hers/" },
            "all": { route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"], bucket: "media", keyPrefix: "all/" },
            "public": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true, bucket: "media",
              keyPrefix: "public/" },
            "files": { route: "nos.token", credential: "nos", callers: ["apiKey:alice"], bucket: "files", keyPrefix: "f/" },
          },
        """

    /// With a file of brakes in a folder of its own.
    private static func run(_ setup: Setup, _ body: (Service) throws -> Void) throws {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var setup = setup
        setup.rest += " brake: { file: \"\(folder)/brakes.json\" },"
        try Service.run(setup) { service in try body(service) }
    }

    private static func run(_ body: (Service) throws -> Void) throws {
        try run(Setup(name: "brakes", rest: grants), body)
    }

    private func get(_ service: Service, _ target: String, _ fields: [String] = [APIKey.alice.bearer]) throws -> Answer
    {
        try service.ask("GET", target, fields)
    }

    @Test(
        arguments: [
            ("grant", "hers", [0]), ("grant", "public", [3]), ("caller", "apiKey:alice", [0, 1, 4]),
            ("caller", "anonymous", [3]), ("credential", "qiniu", [0, 1, 2, 3]), ("credential", "nos", [4]),
            ("issuer", "alice", []), ("all", "", [0, 1, 2, 3, 4]), ("caller", "apiKey:nobody", []),
        ])
    func `what a brake covers is refused, all else is given, and a release gives it back`(
        _ kind: String, _ name: String, _ covered: [Int]
    ) throws {
        let asks: [(String, [String])] = [
            ("/qiniu/uptoken?key=hers/a", [APIKey.alice.bearer]), ("/qiniu/uptoken?key=all/a", [APIKey.alice.bearer]),
            ("/qiniu/uptoken?key=all/a", [APIKey.bob.bearer]), ("/qiniu/uptoken?key=public/a", []),
            ("/nos/token?object=f/a&bucket=files", [APIKey.alice.bearer]),
        ]
        try BrakeTests.run { service in
            func refused() throws -> [Int] {
                try asks.indices.filter { index in
                    let answer = try service.ask("GET", asks[index].0, asks[index].1)
                    if answer.status == 200 { return false }
                    answer.expectProblem(403, "stopped")
                    #expect(!answer.text.contains("leaked"))
                    return true
                }
            }
            #expect(try refused().isEmpty)
            try service.brake(kind, name, because: "a key has leaked")
            #expect(try refused() == covered)
            try service.release(kind, name)
            #expect(try refused().isEmpty)
        }
    }

    @Test
    func `it holds for GET, HEAD, POST, tickets that are made and tickets that are used, and the grant is not listed`()
        throws
    {
        try BrakeTests.run { service in
            func ticket() throws -> Answer {
                try service.post("/tickets", json: #"{"grant": "hers", "key": "hers/a"}"#, APIKey.alice.bearer)
            }
            let made = try ticket()
            let text = try #require(made.json["ticket"]?.string)
            func use() throws -> Answer { try service.get("/qiniu/uptoken?ticket=\(text)") }
            #expect(try use().status == 200)
            try service.brake("grant", "hers")
            try use().expectProblem(403, "stopped")
            try ticket().expectProblem(403, "stopped")
            try service.post("/qiniu/uptoken", json: #"{"key": "hers/a"}"#, APIKey.alice.bearer).expectProblem(
                403, "stopped")
            #expect(try service.ask("HEAD", "/qiniu/uptoken?key=hers/a", [APIKey.alice.bearer]).status == 403)
            let listed = try get(service, "/grants").text
            #expect(!listed.contains("\"hers\"") && listed.contains("\"files\""))
            try service.release("grant", "hers")
            #expect(try use().status == 200)
            let id = try #require(made.json["id"]?.string)
            try service.brake("caller", "ticket:\(id)")
            try use().expectProblem(403, "stopped")
            #expect(try get(service, "/qiniu/uptoken?key=hers/a").status == 200)
        }
    }

    @Test func `the body of a caller who is stopped is not read`() throws {
        try BrakeTests.run { service in
            func post(_ path: String) throws -> Answer { try service.post(path, json: "{", APIKey.alice.bearer) }
            for path in ["/qiniu/uptoken", "/nos/token", "/tickets"] {
                #expect(try post(path).status == 400)
                for (kind, name) in [("caller", "apiKey:alice"), ("all", "")] {
                    try service.brake(kind, name)
                    try post(path).expectProblem(403, "stopped")
                    try service.release(kind, name)
                }
                #expect(try post(path).status == 400)
            }
        }
    }

    @Test func `a brake with an end ends by itself`() throws {
        try BrakeTests.run { service in
            try service.brake("all", "", for: 60_000)
            try get(service, "/qiniu/uptoken?key=hers/a").expectProblem(403, "stopped")
            service.pass(milliseconds: 30_000)
            try get(service, "/qiniu/uptoken?key=hers/a").expectProblem(403, "stopped")
            service.pass(milliseconds: 31_000)
            #expect(try get(service, "/qiniu/uptoken?key=hers/a").status == 200)
        }
    }

    @Test(arguments: [("grant", "own"), ("caller", "apiKey:alice"), ("credential", "oss-sts"), ("all", "")])
    func `who waits for a session gets none, nor a session that is remembered`(_ kind: String, _ name: String) throws {
        let peer = try ClientPeer({ peer, _ in
            _ = try peer.request()
            peer.pause(milliseconds: 2000)
            try peer.answer(STSFault.credentials())
        })
        defer { _ = peer.stop() }
        try BrakeTests.run(Setup.vendor("braking", ["http://127.0.0.1:\(peer.port)"], Setup.patient)) { service in
            let client = try service.connect()
            try client.send(service.text("GET", "/distribute-token.json?grant=own", [APIKey.alice.bearer]))
            #expect(peer.connections == 1)
            try service.brake(kind, name)
            let answer = try client.answer()
            answer.expectProblem(503, "upstream_unavailable", forSDK: true)
            #expect(answer.json["SecurityToken"] == nil)
            try service.get("/distribute-token.json?grant=own", APIKey.alice.bearer)
                .expectProblem(403, "stopped", forSDK: true)
            try service.release(kind, name)
            #expect(try service.get("/distribute-token.json?grant=own", APIKey.alice.bearer).status == 200)
            #expect(peer.connections == 1)
        }
    }

    @Test func `it holds over a reload`() throws {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let setup = Setup(name: "brakes", rest: BrakeTests.grants + " brake: { file: \"\(folder)/brakes.json\" },")
        try Service.run(setup) { service in
            try service.brake("grant", "hers")
            try service.reload(setup, generation: 2)
            try get(service, "/qiniu/uptoken?key=hers/a").expectProblem(403, "stopped")
            try service.release("grant", "hers")
            #expect(try get(service, "/qiniu/uptoken?key=hers/a").status == 200)
        }
    }
}
