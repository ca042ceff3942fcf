import Testing

@testable import TestService

@Suite("What the service asks NOS by itself", .timeLimit(.minutes(20)))
struct NOSFetchTests {
    private func run<Result>(_ nos: FakeNOS, _ body: (Service) throws -> Result) throws -> Result {
        try Service.run(Setup.nosFiles("nos files", nos), .inProcess, Setup.environment, body)
    }

    private func listing(_ keys: String..., rest: String = "") -> String {
        "{\"items\":[\(keys.map(FakeNOS.item).joined(separator: ","))]\(rest)}\n"
    }

    @Test func `a listing comes back in Kodo's shape, inside the grant, however it is asked for`() throws {
        let nos = try FakeNOS()
        try run(nos) { service in
            let photos = listing("photos/a.jpg", "photos/b & c.jpg", "photos/sub/d.jpg", "photos/中 文.jpg")
            for answer in [
                try service.get("/nos/files"), try service.get("/nos/files?bucket=demo-files&prefix=photos/"),
                try service.post("/nos/files", json: "{}"),
                try service.post("/nos/files", "application/x-www-form-urlencoded", "grant=photos"),
            ] {
                answer.expectSuccess()
                #expect(answer.text == photos)
            }
            #expect(Set(nos.targets) == ["/?prefix=photos%2F"])
            let page = try service.get("/nos/files?limit=1")
            #expect(page.text == listing("photos/a.jpg", rest: #","marker":"photos/a.jpg""#))
            let more = try service.post(
                "/nos/files", json: #"{"prefix":"photos/中","delimiter":"/","marker":"photos/a.jpg","limit":1000}"#)
            #expect(more.text == listing("photos/中 文.jpg"))
            #expect(
                nos.targets.last
                    == "/?prefix=photos%2F%E4%B8%AD&delimiter=%2F&marker=photos%2Fa.jpg&max-keys=1000")
            #expect(try service.get("/nos/files", APIKey.alice.bearer).text == listing())
            #expect(nos.targets.last == "/?prefix=users%2FapiKey-alice%2F")
            let all = try service.get("/nos/files?grant=every", APIKey.bob.bearer)
            #expect(all.json["items"]?.list?.count == FakeNOS.keys.count && nos.targets.last == "/")
            #expect(nos.refused.isEmpty, "\(nos.refused)")
        }
    }

    @Test func `what lies outside the grant is not asked for`() throws {
        let nos = try FakeNOS()
        try run(nos) { service in
            for (target, status, code) in [
                ("/nos/files?prefix=private/", 403, "not_in_grant"), ("/nos/files?prefix=photo", 403, "not_in_grant"),
                ("/nos/files?bucket=other-files", 403, "not_in_grant"),
                ("/nos/files?prefix=photos/../private/", 400, "invalid_parameter"),
                ("/nos/files?prefix=", 400, "invalid_parameter"), ("/nos/files?limit=0", 400, "invalid_parameter"),
                ("/nos/files?limit=1001", 400, "invalid_parameter"),
                ("/nos/files?marker=%0A", 400, "invalid_parameter"),
                ("/nos/files?object=photos/a.jpg", 400, "unknown_parameter"),
                ("/nos/files?expires=60", 400, "unknown_parameter"),
                ("/nos/files?max-keys=5", 400, "unknown_parameter"), ("/nos/files?versions", 400, "unknown_parameter"),
            ] {
                try service.get(target).expectProblem(status, code)
            }
            #expect(try service.ask("HEAD", "/nos/files").status == 200)
            #expect(try service.ask("HEAD", "/nos/files?prefix=private/").status == 403)
            #expect(nos.targets.isEmpty && nos.refused.isEmpty)
        }
    }

    @Test func `a marker outside the prefix, or with more of a query in it, widens nothing`() throws {
        let nos = try FakeNOS()
        try run(nos) { service in
            for marker in ["a", "photos", "private/", "x%26prefix%3D", "%3F%23%26prefix%3Dprivate%2F"] {
                let answer = try service.get("/nos/files?marker=\(marker)")
                answer.expectSuccess()
                #expect(answer.text.contains("private") == false)
                #expect(
                    nos.targets.last == "/?prefix=photos%2F&marker=\(marker.replacing("private/", with: "private%2F"))")
            }
        }
    }

    @Test(arguments: [
        ("404 None", 404, "not_found"), ("403 No", 502, "upstream_failed"), ("200 OK", 502, "upstream_failed"),
        ("301 Moved", 502, "upstream_failed"),
    ])
    func `what NOS says beside a listing is not handed on`(status: String, ours: Int, code: String) throws {
        let hostile = FakeNOS.document(
            "<IsTruncated>false</IsTruncated>" + FakeNOS.contents("photos/a.jpg") + FakeNOS.contents("private/e.jpg"))
        let nos = try FakeNOS { _ in (status, hostile) }
        try run(nos) { service in
            let answer = try service.get("/nos/files")
            answer.expectProblem(ours, code)
            #expect(!answer.text.contains("private") && !answer.text.contains("a.jpg"))
        }
    }

    @Test func `a prefix that NOS spells differently is told to its caller, and keeps no other from being served`()
        throws
    {
        let nos = try FakeNOS { target in
            guard target.contains("photos%2F%2Fa") else { return nil }
            return (
                "200 OK",
                FakeNOS.document("<IsTruncated>false</IsTruncated>")
                    .replacing("<Prefix>photos/</Prefix>", with: "<Prefix>photos/a</Prefix>")
            )
        }
        try run(nos) { service in
            for _ in 0..<10 { #expect(try service.get("/nos/files?prefix=photos//a").text == listing()) }
            try service.get("/nos/files").expectSuccess()
        }
    }

    @Test func `an answer that is cut off, or larger than 1 MiB, is refused`() throws {
        let whole = FakeNOS.document("<IsTruncated>false</IsTruncated>" + FakeNOS.contents("photos/a.jpg"))
        for (number, body) in [
            String(whole.dropLast(20)), whole + String(repeating: " ", count: 1 << 20), whole + whole, "<html></html>",
        ].enumerated() {
            let nos = try FakeNOS { _ in ("200 OK", body) }
            try run(nos) { service in
                try service.get("/nos/files").expectProblem(502, "upstream_failed")
                #expect(nos.targets.count == 1, "\(number)")
            }
        }
    }

    @Test func `a whole page of a thousand keys is told`() throws {
        let keys = (0..<1000).map { "photos/\($0)-" + String(repeating: "中", count: 200) }
        let body = FakeNOS.document(
            "<IsTruncated>true</IsTruncated><NextMarker>photos/z</NextMarker>" + keys.map(FakeNOS.contents).joined())
        let nos = try FakeNOS { _ in ("200 OK", body) }
        try run(nos) { service in
            let answer = try service.get("/nos/files?limit=1000")
            answer.expectSuccess()
            #expect(answer.json["items"]?.list?.compactMap { $0["key"]?.string } == keys)
            #expect(answer.json["marker"]?.string == "photos/z")
        }
    }
}
