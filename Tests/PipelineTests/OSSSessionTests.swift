import Foundation
import TestPeers
import Testing

@testable import TestService

@Suite("Requests to OSS that sessions of STS sign, over HTTP")
struct OSSSessionTests {
    /// Reads what was signed, by the one of the vendor's sessions that it names, and holds it to the session's end.
    private func read(
        _ answer: Answer, _ vendor: SessionVendor, lifetime: Int64?, limitedBy limit: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SentOSSRequest {
        answer.expectSuccess(sourceLocation: sourceLocation)
        let session = try #require(
            vendor.sessions.first { answer.text.contains($0.accessKey) }, "\(answer.text)",
            sourceLocation: sourceLocation)
        for session in vendor.sessions { #expect(!answer.text.contains(session.secret)) }
        let request = try SentOSSRequest(
            answer.json, accessKey: session.accessKey, secret: session.secret, token: session.token)
        let end = try #require(request.end(of: answer.json), sourceLocation: sourceLocation)
        #expect(end <= session.end, sourceLocation: sourceLocation)
        #expect(answer.json["expiresAt"] == .string(iso8601(end)), "\(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.json["limitedBy"] == .string(limit), "\(answer.text)", sourceLocation: sourceLocation)
        let held = try #require(answer.json["expiresIn"]?.integer, sourceLocation: sourceLocation)
        if let lifetime {
            #expect(held == lifetime, sourceLocation: sourceLocation)
        } else {
            #expect(end == session.end, sourceLocation: sourceLocation)
        }
        if let inURL = request.lifetime { #expect(inURL == held, sourceLocation: sourceLocation) }
        if let deadline = answer.json["deadline"] { #expect(deadline == .integer(end)) }
        return request
    }

    private static let asks = [
        "/oss/presigned-url?key=in/a%20b.txt", "/oss/presigned-url?key=in/a&method=PUT&contentType=text/plain",
        "/oss/presigned-url?key=in/a&method=PUT&contentType=image/png&header=x-oss-meta-a:1",
        "/oss/presigned-url?key=in/a&query=response-content-type%3Da/b",
        "/oss/authorization?key=in/a", "/oss/authorization?key=in/a&method=PUT&header=content-type:text/plain",
        "/oss/authorization?key=in/a&method=POST&query=uploads",
    ]

    @Test(arguments: ["v4", "v1"])
    func `a session's key signs, its token is where the vendor looks for it, and the first to ask waits for it`(
        _ version: String
    ) throws {
        let vendor = try SessionVendor()
        defer { vendor.stop() }
        try Service.run(.signing("signing", at: vendor.port)) { service in
            for _ in 0..<2 {
                for ask in OSSSessionTests.asks {
                    let isURL = ask.contains("presigned")
                    let answer = try service.get("\(ask)&version=\(version)")
                    _ = try read(
                        answer, vendor, lifetime: isURL ? 300 : 900, limitedBy: isURL ? "grant" : "requested")
                }
            }
            // A grant has one session, whoever asks; it is no shorter than what they ask for, though it is older.
            for caller in [APIKey.alice, .bob] {
                let asked = "/oss/presigned-url?key=users/apiKey-\(caller.id)/a&version=\(version)&expires=3000"
                let request = try read(
                    try service.get(asked, caller.bearer), vendor, lifetime: 3000, limitedBy: "requested")
                #expect(request.url.key == "users/apiKey-\(caller.id)/a")
            }
            let log = service.stop().err
            for session in vendor.sessions {
                #expect(!log.contains(session.secret) && !log.contains(session.token))
            }
        }
        #expect(vendor.calls.count == 3)
    }

    @Test(arguments: ["v4", "v1"])
    func `R5: nothing is said to hold longer than the session does`(_ version: String) throws {
        let vendor = try SessionVendor(life: 800)
        defer { vendor.stop() }
        try Service.run(.signing("short", at: vendor.port)) { service in
            // The first waits for the session, the others do not.
            for seconds in [604_800, 801, 3600] {
                let asked = "/oss/presigned-url?key=in/a&version=\(version)&expires=\(seconds)"
                _ = try read(try service.get(asked), vendor, lifetime: nil, limitedBy: "credential")
            }
            _ = try read(
                try service.get("/oss/presigned-url?key=in/a&version=\(version)&expires=600"), vendor, lifetime: 600,
                limitedBy: "requested")
            // A dated request holds for 15 minutes else.
            for _ in 0..<2 {
                _ = try read(
                    try service.get("/oss/authorization?key=in/a&version=\(version)"), vendor, lifetime: nil,
                    limitedBy: "credential")
            }
        }
    }

    @Test func `R5: of the caller's own end and the session's, the earlier counts`() throws {
        let vendor = try SessionVendor()
        defer { vendor.stop() }
        try Service.run(.signing("ending", at: vendor.port)) { service in
            let asked = "/oss/presigned-url?key=users/apiKey-ending/a&expires=7200"
            for _ in 0..<2 {
                let answer = try service.get(asked, APIKey.ending.bearer)
                #expect(answer.json["limitedBy"] == "caller")
                #expect(answer.json["deadline"]?.integer == APIKey.ending.notAfter)
            }
            _ = try read(
                try service.get("/oss/presigned-url?key=users/apiKey-bob/a&expires=7200", APIKey.bob.bearer), vendor,
                lifetime: nil, limitedBy: "credential")
        }
    }

    @Test func `a session may do what the grant names, on its keys, and is called after it`() throws {
        let vendor = try SessionVendor()
        defer { vendor.stop() }
        let fields = "signingLifetime: \"20m\", ossEndpoint: \"oss.internal:8443\", \(Setup.patient)"
        try Service.run(.signing("least", at: vendor.port, fields)) { service in
            let answer = try service.get("/oss/presigned-url?key=in/a")
            answer.expectSuccess()
            #expect(answer.json["url"]?.string?.hasPrefix("https://demo-bucket.oss.internal:8443/in/a?") == true)
            try service.get("/oss/authorization?key=in/a").expectSuccess()
            try service.get("/oss/presigned-url?key=users/apiKey-bob/a", APIKey.bob.bearer).expectSuccess()
        }
        func policy(_ actions: String, _ keys: String) -> String {
            #"{"Version":"1","Statement":[{"Effect":"Allow","Action":[\#(actions)],"#
                + #""Resource":["acs:oss:*:*:demo-bucket/\#(keys)"]}]}"#
        }
        #expect(
            vendor.calls.map { $0["Policy"] } == [
                policy(#""oss:GetObject","oss:PutObject""#, "in/*"),
                policy(
                    #""oss:GetObject","oss:PutObject","oss:DeleteObject","oss:ListParts","oss:AbortMultipartUpload""#,
                    "in/*"),
                policy(#""oss:GetObject""#, "users/*"),
            ])
        #expect(vendor.calls.allSatisfy { $0["DurationSeconds"] == "1200" && $0["RoleArn"] == Setup.roleARN })
        for (call, grant) in zip(vendor.calls, ["links", "objects", "own"]) {
            #expect(call["RoleSessionName"]?.hasPrefix("\(grant)-") == true)
        }
    }

    @Test func `a hundred at once who find no session make one call, and each gets what it asked for`() throws {
        let vendor = try SessionVendor(pause: 400)
        defer { vendor.stop() }
        try Service.run(.signing("hundred", at: vendor.port)) { service in
            let clients = try (0..<100).map { _ in try service.connect() }
            for (number, client) in clients.enumerated() {
                try client.send(
                    service.text(
                        "GET",
                        "/oss/presigned-url?key=in/\(number)&expires=\(100 + number)"
                            + "&version=\(number % 2 == 0 ? "v4" : "v1")", ["X-Request-Id: mine-\(number)"]))
            }
            // Nobody else is kept waiting.
            #expect(try service.get("/livez").status == 200)
            for (number, client) in clients.enumerated() {
                let answer = try client.answer()
                let request = try read(answer, vendor, lifetime: Int64(100 + number), limitedBy: "requested")
                #expect(request.url.key == "in/\(number)")
                #expect(answer["X-Request-Id"] == "mine-\(number)")
            }
        }
        #expect(vendor.calls.count == 1)
    }

    @Test func `pipelined behind a request that waits for its session, answers keep their order and their asks`() throws
    {
        let vendor = try SessionVendor(pause: 200)
        defer { vendor.stop() }
        try Service.run(.signing("pipelined", at: vendor.port)) { service in
            let client = try service.connect()
            let targets = [
                "/oss/presigned-url?key=in/first", "/nowhere", "/oss/authorization?key=in/second", "/livez",
                "/oss/presigned-url?key=in/third&version=v1", "/oss/presigned-url?key=out/a",
            ]
            try client.send(targets.map { service.text("GET", $0) }.joined())
            client.finishSending()
            let answers = try targets.map { _ in try client.answer() }
            #expect(answers.map(\.status) == [200, 404, 200, 200, 200, 403])
            #expect(answers.map { $0.json["key"]?.string } == ["in/first", nil, "in/second", nil, "in/third", nil])
        }
    }

    @Test func `a vendor that fails, refuses or hangs is told as it is for sessions that are handed on`() throws {
        let faults = STSFault.all.filter { ["hangs after connect", "500", "no permission", "HTML"].contains($0.name) }
        #expect(faults.count == 4)
        for fault in faults {
            let peer = try ClientPeer(fault.script)
            defer { _ = peer.stop() }
            // Those that answer have the time to.
            let limits = fault.status == 502 ? Setup.patient : "signature: \"acs3\""
            try Service.run(.signing("fault", at: peer.port, limits)) { service in
                for target in ["presigned-url?key=in/a", "authorization?key=in/a&version=v1"] {
                    let answer = try service.get("/oss/\(target)")
                    answer.expectProblem(fault.status, fault.code)
                    #expect(Int(answer["Retry-After"] ?? "") ?? 0 >= 1)
                }
                // What is not granted is refused without the vendor.
                try service.get("/oss/presigned-url?key=out/a").expectProblem(403, "not_in_grant")
                try service.get("/oss/presigned-url?key=in/a&expires=0").expectProblem(400, "invalid_parameter")
                let head = try service.ask("HEAD", "/oss/presigned-url?key=in/a")
                #expect(head.status == 200 && head.body.isEmpty)
                let log = service.stop().err
                #expect(!log.contains("secret-of-the-end-to-end-tests"))
            }
        }
    }

    @Test func `the sandbox's sessions sign as the vendor's do`() throws {
        let service = try Service.shared(.sandboxSigning)
        for ask in OSSSessionTests.asks {
            for version in ["v4", "v1"] {
                let answer = try service.get("\(ask)&version=\(version)")
                answer.expectSuccess()
                #expect(answer.text.contains("STS.SANDBOX"))
                #expect(answer.text.contains("security-token"))
            }
        }
        for own in [
            "header=x-oss-security-token:a", "query=security-token%3Da", "query=x-oss-security-token%3Da",
            "header=security-token:a",
        ] {
            for route in ["presigned-url", "authorization"] {
                #expect([400, 403].contains(try service.get("/oss/\(route)?key=in/a&\(own)").status))
            }
        }
        let long = try service.get("/oss/presigned-url?key=in/a&expires=604800")
        #expect(long.json["limitedBy"] == "credential")
        #expect((1790...3600).contains(long.json["expiresIn"]?.integer ?? 0))
        let grants = try service.get("/grants").json["grants"]?.list ?? []
        #expect(grants.first { $0["name"] == "links" }?["region"] == .string(Setup.ossRegion))
    }
}

extension SentOSSRequest {
    /// When it ends, as the vendor reckons, in seconds since 1970: a dated request after a quarter of an hour, if the answer does
    /// not say that it ends earlier, with its key.
    fileprivate func end(of answer: JSON) -> Int64? {
        guard let moment else { return nil }
        if let lifetime { return moment + lifetime }
        guard fields["authorization"] != nil else { return moment }
        return answer["expiresIn"]?.integer.map { moment + min(900, $0) }
    }
}
