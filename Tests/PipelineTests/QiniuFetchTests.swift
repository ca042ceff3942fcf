import Foundation
import TestPeers
import Testing

@testable import TestService

@Suite("What the service asks Kodo by itself")
struct QiniuFetchTests {
    private func run<Result>(
        _ kodo: FakeKodo, server: String = "", limits: String = Setup.patientFetches,
        _ body: (Service) throws -> Result
    ) throws -> Result {
        let setup = Setup.fetches("fetches", kodo.url, server: server, limits: limits)
        return try Service.run(setup, .inProcess, Setup.environment, body)
    }

    private func listing(_ keys: String...) -> String {
        "{\"items\":[\(keys.map(FakeKodo.item).joined(separator: ","))]}\n"
    }

    @Test func `Kodo's own words come back, inside the grant, however they are asked for`() throws {
        let kodo = try FakeKodo()
        try run(kodo, server: #"cors: { origins: ["https://app.example.com"] },"#) { service in
            let photos = listing("photos/a.jpg", "photos/sub/b.jpg", "photos/中 文.jpg")
            for answer in [
                try service.get("/qiniu/files"), try service.get("/qiniu/files?bucket=demo-media&prefix=photos/"),
                try service.post("/qiniu/files", json: "{}"),
                try service.post("/qiniu/files", "application/x-www-form-urlencoded", "grant=photos"),
            ] {
                answer.expectSuccess()
                #expect(answer.text == photos)
            }
            #expect(Set(kodo.seen.map(\.target)) == ["/list?bucket=demo-media&prefix=photos%2F"])
            let more = try service.post(
                "/qiniu/files", json: #"{"prefix":"photos/中","delimiter":"/","marker":"a+b=","limit":1000}"#)
            #expect(more.text == listing("photos/中 文.jpg"))
            #expect(
                kodo.seen.last?.target
                    == "/list?bucket=demo-media&prefix=photos%2F%E4%B8%AD&delimiter=%2F&marker=a%2Bb%3D&limit=1000")
            let page = try service.get("/qiniu/files?limit=1", "Origin: https://app.example.com")
            #expect(page.text == "{\"items\":[\(FakeKodo.item("photos/a.jpg"))],\"marker\":\"eyJjIjow\"}\n")
            #expect(page["Access-Control-Allow-Origin"] == "https://app.example.com" && page["Vary"] == "Origin")

            let look = try service.get("/qiniu/stat?key=photos/a.jpg")
            look.expectSuccess()
            #expect(
                look.text.hasPrefix(#"{"fsize":1500,"hash":"Fm","mimeType":"image/jpeg","putTime":16995552007137820"#))
            let buckets = try service.get("/qiniu/buckets", APIKey.bob.bearer)
            buckets.expectSuccess()
            #expect(buckets.text == "[\"demo-media\",\"secret-bucket\"]\n")
            #expect(try service.get("/qiniu/files", APIKey.alice.bearer).text == listing("users/apiKey-alice/d.txt"))
            #expect(
                try service.get("/qiniu/files?grant=every&bucket=demo-media&prefix=private/", APIKey.bob.bearer).text
                    == listing("private/c.jpg"))
            #expect(kodo.refused.isEmpty, "\(kodo.refused)")
        }
    }

    @Test func `who asks again and again uses up its own share of the calls, and nobody else's`() throws {
        let kodo = try FakeKodo()
        try run(kodo, limits: #"callsPerCaller: "5/h", patience: "20s""#) { service in
            for number in 1...40 {
                let answer = try service.get("/qiniu/files", APIKey.alice.bearer)
                if number <= 5 { answer.expectSuccess() } else { answer.expectProblem(429, "rate_limited") }
                if number == 40 { #expect(answer["Retry-After"].flatMap(Int.init) ?? 0 > 600) }
            }
            #expect(kodo.seen.count == 5)
            try service.get("/qiniu/buckets", APIKey.bob.bearer).expectSuccess()
            try service.get("/qiniu/files").expectSuccess()
            let metrics = try service.admin.get("/metrics").text
            #expect(metrics.contains("countersign_limits_hit_total{limit=\"callsPerCaller\"} 35\n"))
        }
        try run(kodo, limits: "callsPerCaller: null") { service in
            for _ in 0..<300 { try service.get("/qiniu/files", APIKey.alice.bearer).expectSuccess() }
        }
    }

    @Test func `what lies outside the grant is not asked for`() throws {
        let kodo = try FakeKodo()
        try run(kodo) { service in
            for (target, status, code) in [
                ("/qiniu/files?prefix=private/", 403, "not_in_grant"),
                ("/qiniu/files?prefix=photo", 403, "not_in_grant"),
                ("/qiniu/files?bucket=secret-bucket", 403, "not_in_grant"),
                ("/qiniu/files?prefix=photos/../private/", 400, "invalid_parameter"),
                ("/qiniu/files?prefix=", 400, "invalid_parameter"), ("/qiniu/files?limit=0", 400, "invalid_parameter"),
                ("/qiniu/files?limit=1001", 400, "invalid_parameter"),
                ("/qiniu/files?marker=%0A", 400, "invalid_parameter"),
                ("/qiniu/files?key=photos/a.jpg", 400, "unknown_parameter"),
                ("/qiniu/files?expires=60", 400, "unknown_parameter"), ("/qiniu/stat", 400, "missing_parameter"),
                ("/qiniu/stat?key=private/c.jpg", 403, "not_in_grant"), ("/qiniu/stat?key=photos", 403, "not_in_grant"),
                ("/qiniu/stat?prefix=photos/", 400, "unknown_parameter"), ("/qiniu/buckets", 401, "unauthenticated"),
            ] {
                try service.get(target).expectProblem(status, code)
            }
            try service.get("/qiniu/buckets", APIKey.alice.bearer).expectProblem(403, "not_in_grant")
            try service.get("/qiniu/files", "Origin: https://evil.example.com").expectProblem(403, "forbidden")
            // HEAD asks whether, and fetches nothing.
            for target in ["/qiniu/files", "/qiniu/stat?key=photos/a.jpg"] {
                #expect(try service.ask("HEAD", target).status == 200)
            }
            #expect(try service.ask("HEAD", "/qiniu/files?prefix=private/").status == 403)
            #expect(kodo.seen.isEmpty && kodo.refused.isEmpty)
        }
    }

    @Test func `what Kodo says beyond the prefix is not handed on`() throws {
        let items = ["private/c.jpg", "photos/a.jpg", "photos", "Photos/a.jpg", "users/x"].map(FakeKodo.item)
        let body =
            "{\"items\":[\(items.joined(separator: ","))],\"commonPrefixes\":[\"photos/sub/\",\"private/\"],"
            + "\"debug\":{\"key\":\"private/c.jpg\"},\"marker\":\"m\"}"
        let kodo = try FakeKodo { connection, _, _ in
            try connection.answer(body)
            return true
        }
        try run(kodo) { service in
            let answer = try service.get("/qiniu/files")
            answer.expectSuccess()
            #expect(
                answer.text
                    == "{\"items\":[\(FakeKodo.item("photos/a.jpg"))],\"commonPrefixes\":[\"photos/sub/\"],"
                    + "\"marker\":\"m\"}\n")
        }
    }

    @Test func `a key or bucket that is not there is 404, a wrong marker 400, and Kodo is not blamed`()
        throws
    {
        let kodo = try FakeKodo()
        try run(kodo) { service in
            for _ in 0..<8 {
                try service.get("/qiniu/stat?key=photos/none.jpg").expectProblem(404, "not_found", "no such")
            }
            try service.get("/qiniu/files?grant=every&bucket=none", APIKey.bob.bearer).expectProblem(404, "not_found")
            try service.get("/qiniu/files?marker=wrong").expectProblem(400, "invalid_parameter", "marker")
            try service.get("/qiniu/stat?key=photos/a.jpg").expectSuccess()
        }
    }

    @Test func `who asks waits as long as patience says, and not longer`() throws {
        let slow = try FakeKodo { connection, _, _ in
            connection.pause(milliseconds: 2000)
            return false
        }
        try run(slow) { try $0.get("/qiniu/files").expectSuccess() }
        let hanging = try FakeKodo { connection, _, _ in
            connection.hang()
            return true
        }
        try run(hanging, limits: #"patience: "100ms""#) { service in
            let answer = try service.get("/qiniu/files")
            answer.expectProblem(503, "upstream_unavailable")
            #expect(answer["Retry-After"] != nil)
        }
    }

    @Test func `Kodo is asked no oftener than callsPerSecond and callBurst say`() throws {
        let kodo = try FakeKodo()
        try run(kodo, limits: "callsPerSecond: 1, callBurst: 1, \(Setup.patientFetches)") { service in
            let clients = try (0..<20).map { _ in try service.connect() }
            for client in clients { try client.send(service.text("GET", "/qiniu/files")) }
            let answers = try clients.map { try $0.answer().status }
            // One at once, and those whose turn comes while they wait.
            #expect(answers.contains(200) && answers.contains(503) && Set(answers).count == 2, "\(answers)")
            #expect(kodo.seen.count == answers.count { $0 == 200 })
        }
    }

    @Test func `what fails is asked again at once, with a signature of its own`() throws {
        let kodo = try FakeKodo { connection, _, number in
            switch number {
            case 1: connection.reset()
            case 2: try connection.answer("{\"error\":\"x\"}", status: "503 Down")
            default: return false
            }
            return true
        }
        try run(kodo) { service in
            try service.get("/qiniu/stat?key=photos/a.jpg").expectSuccess()
            #expect(kodo.seen.count == 3 && kodo.refused.isEmpty)
        }
    }

    @Test func `answers come in the order of a connection's requests, others are not kept waiting`() throws {
        let kodo = try FakeKodo { connection, seen, _ in
            if seen.target.hasPrefix("/list") { connection.pause(milliseconds: 400) }
            return false
        }
        try run(kodo) { service in
            let client = try service.connect()
            let targets = [
                "/qiniu/files", "/livez", "/qiniu/stat?key=photos/a.jpg", "/qiniu/files?limit=1", "/nothing",
            ]
            try client.send(targets.map { service.text("GET", $0) }.joined())
            for _ in 0..<20 { #expect(try service.get("/livez").status == 200) }
            #expect(try client.answer().text == listing("photos/a.jpg", "photos/sub/b.jpg", "photos/中 文.jpg"))
            #expect(try client.answer().text == "{\"status\":\"ok\"}\n")
            #expect(try client.answer().text.hasPrefix("{\"fsize\":1500"))
            #expect(try client.answer().text.contains("\"marker\""))
            #expect(try client.answer().status == 404)
        }
    }

    @Test func `60 who wait at once get their own answers`() throws {
        let count = 60
        let kodo = try FakeKodo { connection, seen, _ in
            connection.pause(milliseconds: 200)
            let key = (seen.target.components(separatedBy: "prefix=").last ?? "").removingPercentEncoding ?? ""
            try connection.answer("{\"items\":[\(FakeKodo.item(key))]}")
            return true
        }
        try run(kodo) { service in
            let clients = try (0..<count).map { _ in try service.connect() }
            for (number, client) in clients.enumerated() {
                try client.send(service.text("GET", "/qiniu/files?prefix=photos/\(number)"))
            }
            for (number, client) in clients.enumerated() {
                let answer = try client.answer()
                #expect(answer.status == 200 && answer.text == listing("photos/\(number)"), "\(answer.text)")
            }
            #expect(kodo.seen.count >= count && kodo.refused.isEmpty)
        }
    }
}
