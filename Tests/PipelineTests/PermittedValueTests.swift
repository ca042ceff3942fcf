import Testing

@testable import TestService

@Suite("Refusals name the values that a grant permits, where /grants tells them")
struct PermittedValueTests {
    @Test(arguments: [
        ("maxSize=1001", "maxSize: must be at most the grant's, in bytes: 1000"),
        ("maxSize=9", "minSize: maxSize must be at least the grant's minSize, in bytes: 10"),
        ("contentType=image/gif", "contentTypes: the type must be one of the grant's: image/png, image/jpeg"),
    ])
    func `a form's sizes and types are told`(_ query: String, _ words: String) throws {
        let service = try Service.shared(.forms)
        try service.get("/oss/post-policy?key=pictures/a.png&\(query)").expectProblem(403, "not_in_grant", words)
        let grants = try service.get("/grants").json["grants"]?.list
        let grant = try #require(grants?.first { $0["name"] == "pictures" })
        #expect(grant["maxSize"] == 1000 && grant["minSize"] == 10)
        #expect(grant["contentTypes"] == .list(["image/png", "image/jpeg"]))
    }

    @Test(arguments: [
        ("/oss/authorization?key=out/a&method=PUT", "methods: the method must be one of the grant's: GET"),
        ("/oss/authorization?key=out/a&version=v1", "versions: the version must be one of the grant's: v4"),
        (
            "/oss/presigned-url?key=small/a&method=PUT",
            "ask with header=content-length:BYTES, of at most the grant's maxSize: 1024"
        ),
        (
            "/oss/presigned-url?key=small/a&method=PUT&header=content-length:1025",
            "maxSize: the body must have at most so many bytes: 1024"
        ),
        (
            "/oss/presigned-url?key=images/a&method=PUT&header=content-type:text/html",
            "contentTypes: the content type must be one of the grant's: image/*, text/plain; charset=utf-8"
        ),
    ])
    func `a signed request's methods, versions, types and sizes are told`(_ target: String, _ words: String) throws {
        try Service.shared(.ossRequests).get(target).expectProblem(403, "not_in_grant", words)
    }

    @Test func `a header's value may be a number in JSON`() throws {
        let service = try Service.shared(.ossRequests)
        for value in ["18", "\"18\""] {
            let json = "{\"key\":\"small/a\",\"method\":\"PUT\",\"header\":{\"content-length\":\(value)}}"
            let answer = try service.post("/oss/presigned-url", json: json)
            answer.expectSuccess()
            #expect(answer.json["headers"]?["content-length"] == "18")
        }
        for value in ["[18]", "true", "null", "{}"] {
            let json = "{\"key\":\"small/a\",\"method\":\"PUT\",\"header\":{\"content-length\":\(value)}}"
            try service.post("/oss/presigned-url", json: json).expectProblem(400, "invalid_parameter", "header")
        }
        try service.post("/oss/presigned-url", json: "{\"key\":\"small/a\",\"method\":\"PUT\",\"header\":[18]}")
            .expectProblem(400, "invalid_parameter", "header")
    }

    private static let ticketed = Setup(
        name: "permitted-values",
        credentials: """
            credentials: {
                "oss": {
                  provider: "oss", accessKey: "\(Setup.ossAccessKey)", secretKey: { env: "E2E_OSS_SECRET" },
                  region: "cn-hangzhou",
                },
              }
            """,
        rest: """
            authentication: { apiKeys: [\(APIKey.alice.entry)], tickets: { secret: "\(Setup.ticketSecret)" } },
              grants: {
                "forms": {
                  route: "oss.post-policy", credential: "oss", callers: ["apiKey:alice"], bucket: "demo-bucket",
                  keyPrefix: "forms/", maxSize: 1000, contentTypes: "image/png",
                },
              },
            """)

    @Test func `a ticket, which may not ask for /grants, is not told`() throws {
        let service = try Service.shared(Self.ticketed)
        let made = try service.ask(
            "POST", "/tickets", [APIKey.alice.bearer, "Content-Type: application/x-www-form-urlencoded"],
            body: "grant=forms&key=forms/a.png")
        let ticket = try #require(made.json["ticket"]?.string)
        let refused = "maxSize=1001"
        try service.get("/oss/post-policy?key=forms/a.png&\(refused)", APIKey.alice.bearer)
            .expectProblem(403, "not_in_grant", "in bytes: 1000")
        let answer = try service.get("/oss/post-policy?ticket=\(ticket)&\(refused)")
        answer.expectProblem(403, "not_in_grant", "maxSize: must be at most the grant's, in bytes")
        #expect(!answer.text.contains("1000"))
    }
}
