import TestPeers
import Testing

@testable import TestService

@Suite("The time that S3 has to complete an upload", .timeLimit(.minutes(20)))
struct S3CompletionTests {
    @Test func `completing an upload may take longer than patience, and listing its parts may not`() throws {
        let (alice, gate) = (APIKey.alice.bearer, Gate())
        let id = SealedUpload.text(of: "apiKey:alice", key: "up/a")
        let s3 = try FakeS3 { _ in
            gate.pass()
            return nil
        }
        let setup = Setup.s3Uploads("s3 completion", s3, limits: #"patience: "100ms""#)
        try Service.run(setup, .epoll) { service in
            let client = try service.connect()
            let fields = ["Content-Type: application/json", alice]
            try client.send(
                service.text(
                    "POST", "/s3/multipart/\(id)/complete?key=up/a", fields,
                    body: #"{"parts": [{"PartNumber": 1, "ETag": "e"}]}"#))
            gate.awaitCaller()
            // Longer than patience.
            try service.get("/s3/multipart/\(id)?key=up/a", alice).expectProblem(503, "upstream_unavailable")
            gate.open()
            #expect(try client.answer().status == 200)
        }
    }
}
