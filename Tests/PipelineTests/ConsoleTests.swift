import Foundation
import Testing

@testable import TestSamples
@testable import TestService

@Suite("The page for operators", .timeLimit(.minutes(20)))
struct ConsoleTests {
    private static let operatorKey = APIKey(key: "key-of-who-looks-0123456789abc", id: "looker")

    private static let shown: Setup = {
        var setup = Setup(name: "console", rest: Setup.open.rest)
        setup.admin += ", console: true, auth: [\(operatorKey.entry)]"
        return setup
    }()

    private static let files = ["/console", "/console/console.css", "/console/console.js", "/console/icon.svg"]
    private static let data = ["/console/status", "/console/grants", "/console/asks"]
    private static let actions = ["/console/inspect", "/console/mint", "/console/verify"]

    /// The grants of a sandbox.
    private static let tried: Setup = {
        var setup = Setup(
            name: "console-sandbox",
            rest: """
                authentication: { apiKeys: [\(APIKey.alice.entry)], jwt: [{ id: "login", issuer: "login", audience: "uploads",
                    algorithms: ["RS256"], jwksUrl: "https://login.example.com/keys" }] },
                  grants: {
                    "links": { route: "oss.presigned-url", credential: "try", callers: ["apiKey:alice"],
                      bucket: "demo-bucket", keyPrefix: "demo/", methods: ["GET", "PUT"], contentTypes: ["image/*"] },
                    "reading": { route: "oss.presigned-url", credential: "try", callers: ["apiKey:alice"],
                      bucket: "demo-bucket", keyPrefix: "read/", methods: ["GET"] },
                    "small": { route: "oss.presigned-url", credential: "try", callers: ["jwt:login"],
                      bucket: "demo-bucket", keyPrefix: "small/${caller.id}/", methods: ["GET", "PUT"],
                      versions: ["v4"], maxSize: "1MiB" },
                  },
                """)
        setup.credentials = """
            credentials: {
                "try": { provider: "oss", sandbox: true, accessKey: "tried", secretKey: "a-secret-that-opens-nothing",
                  region: "cn-hangzhou", endpoint: "http://oss.localhost:8090" },
              }
            """
        setup.admin += ", console: true, auth: [\(operatorKey.entry)]"
        return setup
    }()

    private static func inquiry(
        _ route: String = "oss.presigned-url",
        _ parameters: String = #"{"method":"PUT","key":"demo/a.png","contentType":"image/png"}"#,
        _ more: String = ""
    ) -> String {
        #"{"caller":"apiKey:alice","route":"\#(route)","parameters":\#(parameters)\#(more)}"#
    }

    @Test func `without admin.console nothing of it is there`() throws {
        let admin = try Service.shared(.open).admin
        for path in Self.files + Self.data {
            try admin.get(path).expectProblem(404, "not_found", "admin: { console: true }")
        }
        for path in Self.actions { try admin.post(path, json: "{}").expectProblem(404, "not_found") }
    }

    @Test func `each file is served as it was when the program was built`() throws {
        let admin = try Service.shared(Self.shown).admin
        for path in Self.files {
            let name = path == "/console" ? "console.html" : try #require(path.split(separator: "/").last)
            let file = try Repository.text("Sources/CConsole/Page/\(name)")
            #expect(try admin.get(path).body == Array(file.utf8), "\(path)")
        }
    }

    @Test func `its files are for everybody and tell nothing, and what it asks needs a key`() throws {
        let admin = try Service.shared(Self.shown).admin
        for path in Self.files {
            let answer = try admin.get(path)
            #expect(answer.status == 200, "\(path)")
            let policy = answer["Content-Security-Policy"] ?? ""
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; "))
            #expect(policy.contains("; img-src 'self'; connect-src 'self'; "), "it sends nothing elsewhere: \(policy)")
            #expect(answer["X-Content-Type-Options"] == "nosniff")
        }
        for credential in [[], [APIKey.alice.bearer]] {
            let answers =
                try Self.data.map { try admin.ask("GET", $0, credential) }
                + Self.actions.map {
                    try admin.ask("POST", $0, ["Content-Type: application/json"] + credential, body: "{}")
                }
            for answer in answers {
                answer.expectProblem(401, "unauthenticated")
                let members = ["type", "title", "status", "detail", "code", "requestId"]
                guard case .object(let told) = answer.json else {
                    Issue.record("\(answer.text)")
                    continue
                }
                #expect(Set(told.keys).isSubset(of: members), "nothing of the page: \(answer.text)")
            }
        }
    }

    @Test func `a sandbox can be tried, and the page may send files there and nowhere else`() throws {
        let admin = try Service.shared(Self.tried).admin
        let trials = try admin.get("/console/status", Self.operatorKey.bearer).json["sandbox"]?.list ?? []
        #expect(trials.map { $0["grant"]?.string } == ["links", "small"], "by URLs alone a file is put and read")
        #expect(trials.first?["route"] == "oss.presigned-url" && trials.first?["caller"] == "apiKey:alice")
        #expect(trials.first?["key"] == "demo/" && trials.first?["signsLength"] == false)
        #expect(trials.last?["caller"] == "jwt:login/42", "a caller, not an issuer of tokens: explain and mint take it")
        #expect(trials.last?["key"] == "small/${caller.id}/" && trials.last?["signsLength"] == true)
        #expect(trials.first?["signsType"] == true && trials.last?["signsType"] == false)
        let policy = try admin.get("/console")["Content-Security-Policy"] ?? ""
        #expect(policy.contains("; connect-src 'self' http://oss.localhost:8090 http://*.oss.localhost:8090; "))
        #expect(policy.contains("; img-src 'self' blob:; "))
    }

    @Test func `it issues by grants of a sandbox alone, and what the caller would get`() throws {
        let admin = try Service.shared(Self.tried).admin
        let key = Self.operatorKey.bearer
        let minted = try admin.post("/console/mint", json: Self.inquiry(), key, "X-Request-Id: by-the-operator")
        #expect(minted.status == 200, "\(minted.text)")
        #expect(minted.json["url"]?.string?.hasPrefix("http://demo-bucket.oss.localhost:8090/demo/a.png?") == true)
        #expect(minted.json["method"] == "PUT" && minted.json["grant"] == "links")
        #expect(minted["X-Request-Id"] == "by-the-operator")
        let named = try admin.post(
            "/console/mint", json: Self.inquiry("oss.presigned-url", #"{"key":"demo/a"}"#, #","grant":"links""#), key)
        #expect(named.json["method"] == "GET", "\(named.text)")
        let small = try admin.post(
            "/console/mint",
            json: #"{"caller":"jwt:login/42","route":"oss.presigned-url","#
                + #""parameters":{"method":"PUT","key":"small/42/a.png","header":{"content-length":18}}}"#, key)
        #expect(small.json["grant"] == "small", "\(small.text)")
        #expect(small.json["headers"]?["content-length"]?.string == "18")
        let real = try Service.shared(Self.shown).admin
        try real.post("/console/mint", json: Self.inquiry("qiniu.uptoken", #"{"key":"hers/a"}"#), key)
            .expectProblem(403, "forbidden", "sandbox: true")
        try admin.post("/console/mint", json: Self.inquiry("oss.presigned-url", #"{"key":"private/a"}"#), key)
            .expectProblem(403, "not_in_grant")
        let counted = try admin.get("/console/status", key).json["requests"]?["clauses"]
        #expect(counted?["keyPrefix"] == 1, "refusals are counted by clause: \(String(describing: counted))")
        try admin.post(
            "/console/mint",
            json: Self.inquiry("oss.presigned-url", #"{"key":"demo/a"}"#, #","at":"2020-01-01T00:00:00Z""#), key
        )
        .expectProblem(400, "invalid_parameter", "at is for an explanation")
        for body in ["", "[]", "{}", #"{"caller":"nobody"}"#, #"{"caller":"anonymous","route":"x"}"#] {
            try admin.post("/console/mint", json: body, key).expectProblem(400, "invalid_parameter")
        }
        try admin.get("/console/mint", key).expectProblem(405, "method_not_allowed")
        try admin.post("/console/mint", "text/plain", Self.inquiry(), key).expectProblem(415, "unsupported_media_type")
    }

    @Test func `without an audit there is nothing to verify`() throws {
        let admin = try Service.shared(Self.shown).admin
        try admin.post("/console/verify", json: "{}", Self.operatorKey.bearer).expectProblem(
            404, "not_found", "no audit")
        for body in ["", "[]", #"{"file":"/etc/passwd"}"#] {
            try admin.post("/console/verify", json: body, Self.operatorKey.bearer).expectProblem(
                400, "invalid_parameter")
        }
    }

    @Test func `no page but its own may ask, and no other host name`() throws {
        let admin = try Service.shared(Self.shown).admin
        let key = Self.operatorKey.bearer
        let own = "127.0.0.1:\(admin.port)"
        let body = #"{"text":"AK:sig:eyJzY29wZSI6ImEifQ=="}"#
        #expect(
            try admin.post("/console/inspect", json: body, key, "Host: \(own)", "Origin: http://\(own)").status != 403)
        for origin in ["http://evil.example", "http://127.0.0.1:1", "null", "http://localhost:\(admin.port)"] {
            try admin.post("/console/inspect", json: body, key, "Host: \(own)", "Origin: \(origin)")
                .expectProblem(403, "forbidden")
        }
        try admin.get("/console/status", key, "Sec-Fetch-Site: cross-site").expectProblem(403, "forbidden")
        try admin.get("/console", "Host: evil.example").expectProblem(421, "misdirected")
    }

    @Test func `it tells how the service is, and refuses what is no question of a list`() throws {
        let admin = try Service.shared(Self.shown).admin
        let status = try admin.get("/console/status", Self.operatorKey.bearer)
        status.expectSuccess()
        let json = status.json
        #expect(json["configuration"]?["generation"] == 1 && json["audit"] == .null)
        #expect(json["requests"]?["times"]?.list?.count == (json["requests"]?["bounds"]?.list?.count ?? 0) + 1)
        for query in ["?after=x", "?other=1", "?search=%zz", "?search=\(String(repeating: "a", count: 201))"] {
            #expect(try admin.get("/console/grants" + query, Self.operatorKey.bearer).status == 400, "\(query)")
        }
        try admin.get("/console/asks", Self.operatorKey.bearer).expectProblem(404, "not_found", "no audit")
    }

    @Test func `it inspects what was issued, and says what would be right of anything else`() throws {
        let service = try Service.shared(Self.shown)
        let issued = try service.get("/qiniu/uptoken?key=hers/a", APIKey.alice.bearer).json
        let token = try #require(issued["uptoken"]?.string)
        let key = Self.operatorKey.bearer
        let told = try service.admin.post("/console/inspect", json: "{\"text\":\"\(token)\"}", key)
        told.expectSuccess()
        #expect(told.json["verdict"] == "genuine")
        for body in ["", "[]", "{}", #"{"text":1}"#, #"{"text":""}"#, #"{"text":"what is this"}"#] {
            try service.admin.post("/console/inspect", json: body, key).expectProblem(400, "invalid_parameter")
        }
        let long = String(repeating: "a", count: 300_000)
        #expect(try service.admin.post("/console/inspect", json: "{\"text\":\"\(long)\"}", key).status >= 400)
    }
}
