import Testing

@testable import Bytes
@testable import Sandbox

/// Web pages of this machine may use the sandbox, and no others.
@Suite struct PageOriginTests {
    /// A vendor whose every answer has an ETag.
    private struct AnySide: VendorSide {
        let label: StaticString = "any"

        func recognises(_ request: SandboxRequest) -> Bool { true }

        func answer(_ request: SandboxRequest, _ body: BodyReader, at now: Int64) -> SandboxResponse {
            SandboxResponse(200, fields: [NameValue("ETag", Array("\"e\"".utf8))])
        }
    }

    /// The answer, and its fields by their names.
    private func answer(_ method: String, _ fields: [String: String]) throws -> (status: Int, fields: [String: String])
    {
        let request = SandboxRequest(
            Array(method.utf8), target: Array("/a".utf8),
            fields: fields.map { NameValue(Array($0.key.utf8), Array($0.value.utf8)) })
        let response = try Sandbox([AnySide()]).answer(request, BodyReader([]), at: Fixture.now)
        let found = response.fields.map { ($0.name.text, $0.value.text) }
        return (response.status, Dictionary(found, uniquingKeysWith: { "\($0), \($1)" }))
    }

    private func preflight(from origin: String) throws -> (status: Int, fields: [String: String]) {
        try answer(
            "OPTIONS",
            [
                "Origin": origin, "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "content-type,x-oss-meta-a",
            ])
    }

    @Test(arguments: [
        "http://localhost:8000", "http://localhost", "https://localhost", "http://127.0.0.1:8000", "http://[::1]:8000",
        "http://[::1]",
    ])
    func `a page of this machine may send what it asks for, and read the answer with its fields`(origin: String) throws
    {
        let leave = try preflight(from: origin)
        #expect(leave.status == 200)
        #expect(leave.fields["Access-Control-Allow-Origin"] == origin)
        #expect(leave.fields["Access-Control-Allow-Methods"] == "PUT")
        #expect(leave.fields["Access-Control-Allow-Headers"] == "content-type,x-oss-meta-a")
        #expect(leave.fields["ETag"] == nil, "the vendor is not asked")

        let answer = try answer("PUT", ["Origin": origin])
        #expect(answer.status == 200)
        #expect(answer.fields["Access-Control-Allow-Origin"] == origin)
        #expect(answer.fields["Access-Control-Expose-Headers"]?.contains("ETag") == true)
        #expect(answer.fields["Vary"] == "Origin")
    }

    @Test(arguments: [
        "http://example.com", "http://localhost.example.com", "http://127.0.0.1.example.com", "http://192.0.2.1:8000",
        "null",
        "localhost:8000", "http://", "file://localhost", "http://localhost:8000.example.com", "http://localhost:",
    ])
    func `a page from elsewhere gets no leave, and cannot read the answer`(origin: String) throws {
        let refusal = try preflight(from: origin)
        #expect(refusal.status == 403)
        #expect(!refusal.fields.keys.contains { $0.hasPrefix("Access-Control-") })
        let answer = try answer("PUT", ["Origin": origin])
        #expect(!answer.fields.keys.contains { $0.hasPrefix("Access-Control-") })
    }

    @Test func `OPTIONS that is no preflight is the vendor's, and so is a request of no page`() throws {
        #expect(try answer("OPTIONS", ["Origin": "http://localhost"]).fields["ETag"] == "\"e\"")
        let answer = try answer("PUT", [:])
        #expect(answer.fields == ["ETag": "\"e\""])
    }
}
