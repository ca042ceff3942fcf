import Foundation
import TestPeers
import Testing

@testable import TestService

/// What the audit has of operations that change something at S3.
@Suite("The audit of uploads in parts", .timeLimit(.minutes(20)))
struct MultipartAuditTests {
    private static let alice = APIKey.alice.bearer
    private static let id = SealedUpload.text(of: "apiKey:alice", key: "up/a")
    private static let complete = (
        target: "/s3/multipart/\(id)/complete?key=up/a", body: #"{"parts": [{"PartNumber": 1, "ETag": "e"}]}"#
    )
    private static let json = "Content-Type: application/json"

    /// Runs a service, and returns its audit at the end.
    private func trail(_ s3: FakeS3, durability: String = "batch", _ body: (Service) throws -> Void) throws
        -> AuditTrail
    {
        let service = try Service(Setup.s3Uploads("s3 audit", s3).audited(durability), .epoll)
        defer { service.stop() }
        try body(service)
        service.process.signal(SIGTERM)
        _ = try service.process.wait()
        let trail = try AuditTrail(service)
        try trail.expectWhole()
        return trail
    }

    /// Each line of a call as "event operation outcome".
    /// - Parameter answer: of the request; nil for all requests.
    private func calls(_ trail: AuditTrail, for answer: Answer? = nil) -> [String] {
        trail.lines.filter { line in
            ["calling", "called"].contains(line["event"]?.string)
                && (answer == nil || line["requestId"]?.string == answer?["X-Request-Id"])
        }.map { line in
            ["event", "operation", "outcome", "cause"].compactMap { line[$0]?.string }.joined(separator: " ")
        }
    }

    @Test(arguments: ["batch", "none"])
    func `each operation that changes something has a line before its call and one with the outcome`(
        _ durability: String
    ) throws {
        let s3 = try FakeS3 { sent in
            if sent.target.contains("up/absent") {
                return ("404 Not Found", "<Error><Code>NoSuchUpload</Code></Error>")
            }
            return sent.target.contains("up/odd") ? ("200 OK", "<html>") : nil
        }
        var answers: [Answer] = []
        let trail = try trail(s3, durability: durability) { service in
            answers = [
                try service.ask("POST", "/s3/multipart", [Self.json, Self.alice], body: #"{"key": "up/a"}"#),
                try service.ask("POST", Self.complete.target, [Self.json, Self.alice], body: Self.complete.body),
                try service.ask("DELETE", "/s3/multipart/\(Self.id)?key=up/a", [Self.alice]),
                try service.ask("POST", "/s3/multipart", [Self.json, Self.alice], body: #"{"key": "up/absent"}"#),
                try service.ask("POST", "/s3/multipart", [Self.json, Self.alice], body: #"{"key": "up/odd"}"#),
                try service.get("/s3/multipart/\(Self.id)?key=up/a", Self.alice),
            ]
        }
        #expect(answers.map(\.status) == [200, 200, 200, 404, 502, 200])
        #expect(
            answers.map { calls(trail, for: $0) } == [
                ["calling create", "called create ok"], ["calling complete", "called complete ok"],
                ["calling abort", "called abort ok"], ["calling create", "called create absent"],
                ["calling create", "called create malformed"], [],
            ])
        for (answer, event) in zip(answers, ["called", "called", "called", "called", "called", "fetched"]) {
            let lines = trail.lines.filter { $0["requestId"]?.string == answer["X-Request-Id"] }
            #expect(lines.last?["event"]?.string == event)
            for line in lines {
                #expect(line["principal"] == "apiKey:alice" && line["route"] == "s3.multipart")
                #expect(line["grant"] == "uploads" && line["bucket"] == "demo-files")
                #expect(line["key"]?.string?.hasPrefix("up/") == true)
            }
        }
        #expect(trail.lines(of: "fetched").map { $0["operation"]?.string } == ["list"])
    }

    @Test func `a client that leaves while S3 completes its upload leaves both lines`() throws {
        let gate = Gate()
        let s3 = try FakeS3 { _ in
            gate.pass()
            return nil
        }
        let trail = try trail(s3) { service in
            let client = try service.connect()
            try client.send(
                service.text("POST", Self.complete.target, [Self.json, Self.alice], body: Self.complete.body))
            gate.awaitCaller()
            client.reset()
            try waitForDeparture(of: service)
            gate.open()
        }
        #expect(calls(trail) == ["calling complete", "called complete ok"])
    }

    @Test func `an upload whose client leaves before it has the answer is aborted, and the audit says so`() throws {
        let gate = Gate()
        let s3 = try FakeS3 { sent in
            if sent.method == "POST" { gate.pass() }
            return nil
        }
        let trail = try trail(s3) { service in
            let client = try service.connect()
            try client.send(
                service.text("POST", "/s3/multipart", [Self.json, Self.alice], body: #"{"key": "up/a"}"#))
            gate.awaitCaller()
            client.reset()
            try waitForDeparture(of: service)
            gate.open()
            try waitFor("the upload to be aborted") { s3.sent.count == 2 }
        }
        #expect(s3.sent.map(\.method) == ["POST", "DELETE"])
        #expect(
            calls(trail) == [
                "calling create", "called create ok", "calling abort undelivered", "called abort ok undelivered",
            ])
    }

    private func waitForDeparture(of service: Service) throws {
        try waitFor("the client to be gone") {
            try service.admin.get("/metrics").text.contains("\ncountersign_http_requests_abandoned_total 1\n")
        }
    }

    private func waitFor(_ what: String, _ isSo: () throws -> Bool) throws {
        let end = Date.now.addingTimeInterval(60)
        while try !isSo() {
            guard Date.now < end else { throw Program.Failure(description: "waited for ever for \(what)") }
            poll(nil, 0, 5)
        }
    }
}
