import Foundation
import Testing

@testable import TestService

/// What Uppy's client of Companion asks (`CompanionS3.ts` of @uppy/aws-s3).
@Suite("Uploads in parts to S3, as Companion has them", .timeLimit(.minutes(20)))
struct S3MultipartTests {
    private static let alice = APIKey.alice.bearer

    private func run<Result>(
        _ s3: FakeS3, previous: String = "", secret: String = Setup.s3Secret, _ body: (Service) throws -> Result
    ) throws -> Result {
        try Service.run(
            Setup.s3Uploads("s3 uploads", s3, secret: secret, previous: previous), .inProcess, Setup.environment, body)
    }

    private func create(_ service: Service, _ members: String, _ fields: String...) throws -> Answer {
        try service.ask("POST", "/s3/multipart", ["Content-Type: application/json"] + fields, body: "{\(members)}")
    }

    @Test func `Uppy's whole flow: begin, parts, list, complete, and abort`() throws {
        let s3 = try FakeS3()
        try run(s3) { service in
            let begun = try create(
                service,
                #""filename": "a b.bin", "type": "text/plain", "metadata": {"name": "a", "n": {"x": [1, null]}}"#,
                Self.alice)
            begun.expectSuccess()
            #expect(begun.json["key"] == "up/a b.bin" && begun.json["bucket"] == "demo-files")
            #expect(s3.sent.last?.target == "/demo-files/up/a%20b.bin?uploads=")
            #expect(s3.sent.last?.fields["content-type"] == "text/plain")
            let id = try #require(begun.json["uploadId"]?.string)
            #expect(id == SealedUpload.text(of: "apiKey:alice", key: "up/a b.bin"))
            #expect(id.utf8.allSatisfy { "-_".utf8.contains($0) || Character(UnicodeScalar($0)).isLetter || $0 < 58 })

            // Where it goes on, the key stands in the query, also of a POST.
            let part = try service.get("/s3/multipart/\(id)/7?key=up/a+b.bin", Self.alice)
            part.expectSuccess()
            let url = try #require(part.json["url"]?.string)
            let sent = try SentS3Request(JSON(#"{"method":"PUT","url":"\#(url)"}"#))
            #expect(sent.query == ["partNumber": "7", "uploadId": FakeS3.uploadID] && sent.lifetime == 600)
            #expect(sent.url.path == "/demo-files/up/a%20b.bin" && part.json["expires"] == 600)
            let batch = try service.get("/s3/multipart/\(id)/batch?key=up/a+b.bin&partNumbers=1,2", Self.alice)
            batch.expectSuccess()
            for number in ["1", "2"] {
                let url = try #require(batch.json["presignedUrls"]?[number]?.string)
                let sent = try SentS3Request(JSON(#"{"method":"PUT","url":"\#(url)"}"#))
                #expect(sent.query["partNumber"] == number)
            }
            let listed = try service.get("/s3/multipart/\(id)?key=up/a%20b.bin", Self.alice)
            #expect(
                listed.text == """
                    [{"PartNumber":1,"ETag":"\\"e1\\"","Size":5242880},{"PartNumber":2,"ETag":"\\"e2\\"","Size":7}]

                    """)
            #expect(s3.sent.last?.target == "/demo-files/up/a%20b.bin?uploadId=2~id%2B%2F%3D1")
            let ended = try service.ask(
                "POST", "/s3/multipart/\(id)/complete?key=up/a%20b.bin",
                ["Content-Type: application/json", Self.alice],
                body: #"{"parts": [{"PartNumber": 2, "ETag": "\"e2\""}, {"PartNumber": 1, "ETag": "e1"}]}"#)
            #expect(
                ended.text == """
                    {"location":"http://s3.localhost:\(s3.port)/demo-files/up/a%20b.bin","key":"up/a b.bin","bucket":"demo-files"}

                    """)
            #expect(s3.sent.last?.fields["if-none-match"] == "*")
            #expect(
                s3.sent.last?.body == """
                    <CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Part><PartNumber>1</PartNumber>\
                    <ETag>e1</ETag></Part><Part><PartNumber>2</PartNumber><ETag>"e2"</ETag></Part></CompleteMultipartUpload>
                    """)
            let aborted = try service.ask("DELETE", "/s3/multipart/\(id)?key=up/a%20b.bin", [Self.alice])
            #expect(aborted.status == 200 && aborted.text == "{}\n")
            #expect(s3.sent.last?.method == "DELETE" && s3.sent.count == 4)
            #expect(s3.refused.isEmpty, "\(s3.refused)")
        }
    }

    @Test func `an upload's id holds for its caller, its key and its bucket, whoever may have them`() throws {
        let s3 = try FakeS3()
        try run(s3) { service in
            let own = SealedUpload.text(of: "apiKey:alice", key: "up/a")
            let flipped = String(own.dropLast()) + (own.hasSuffix("A") ? "E" : "A")
            let attempts: [(id: String, key: String, caller: String)] = [
                // Another's upload, though the grant is the other's, too.
                (own, "up/a", APIKey.bob.bearer), (own, "up/b", Self.alice), (own, "images/a", Self.alice),
                (SealedUpload.text(of: "apiKey:bob", key: "up/a"), "up/a", Self.alice),
                (SealedUpload.text(of: "anonymous", key: "up/a"), "up/a", Self.alice),
                (SealedUpload.text(of: "apiKey:alice", bucket: "other-files", key: "up/a"), "up/a", Self.alice),
                (SealedUpload.text(of: "apiKey:alice", key: "up/a", secret: "another-secret"), "up/a", Self.alice),
                // The same bytes, otherwise cut: one part must not be read as another's.
                (SealedUpload.text("a" + FakeS3.uploadID, of: "apiKey:alice", key: "up/"), "up/a", Self.alice),
                (SealedUpload.text("", of: "apiKey:alice", key: "up/a"), "up/a", Self.alice),
                (FakeS3.uploadID.replacing("/", with: ""), "up/a", Self.alice), ("x", "up/a", Self.alice),
                (flipped, "up/a", Self.alice), (own + "A", "up/a", Self.alice), (own + "=", "up/a", Self.alice),
            ]
            for (id, key, caller) in attempts {
                for (method, rest) in [
                    ("GET", ""), ("GET", "/1"), ("GET", "/batch"), ("DELETE", ""), ("POST", "/complete"),
                ] {
                    let answer = try service.ask(
                        method, "/s3/multipart/\(id)\(rest)?key=\(key)\(rest == "/batch" ? "&partNumbers=1" : "")",
                        ["Content-Type: application/json", caller],
                        body: method == "POST" ? #"{"parts": [{"PartNumber": 1, "ETag": "e"}]}"# : nil)
                    answer.expectProblem(403, "not_in_grant")
                    #expect(answer.json["clause"] == "uploadId", "\(id) \(key) \(answer.text)")
                }
            }
            #expect(s3.sent.isEmpty && s3.refused.isEmpty)
            // What nobody has to be known for is anybody's.
            let open = try create(service, #""filename": "a""#)
            let id = try #require(open.json["uploadId"]?.string)
            try service.get("/s3/multipart/\(id)/1?key=open/a").expectSuccess()
            let known = try service.get("/s3/multipart/\(id)/1?key=open/a", Self.alice)
            known.expectProblem(403, "not_in_grant")
        }
    }

    @Test func `ids hold over restarts and in every instance, and over a new key as long as the old one is believed`()
        throws
    {
        let s3 = try FakeS3()
        let id = SealedUpload.text(of: "apiKey:alice", key: "up/a")
        func answer(_ secret: String, _ previous: String) throws -> Answer {
            try run(s3, previous: previous, secret: secret) { try $0.get("/s3/multipart/\(id)/1?key=up/a", Self.alice) }
        }
        try answer(Setup.s3Secret, "").expectSuccess()
        try answer("a-new-secret-of-the-end-to-end-tests", "").expectProblem(403, "not_in_grant")
        let old = """
            previous: [{ accessKey: "AKIAOLD", secretKey: "\(Setup.s3Secret)", until: "\(iso8601(now + 3600))" }],
            """
        let kept = try answer("a-new-secret-of-the-end-to-end-tests", old)
        kept.expectSuccess()
        #expect(kept.json["url"]?.string?.contains("2~id%2B%2F%3D1") == true)
    }

    @Test func `the grant is judged at every call: keys, types and lifetimes`() throws {
        let s3 = try FakeS3()
        try run(s3) { service in
            func expectRefusal(_ answer: Answer, _ clause: String) {
                answer.expectProblem(403, "not_in_grant")
                #expect(answer.json["clause"] == .string(clause), "\(answer.text)")
            }
            expectRefusal(try create(service, #""key": "out/a", "grant": "uploads""#, Self.alice), "keyPrefix")
            expectRefusal(
                try create(service, #""filename": "a.txt", "type": "text/html", "grant": "images""#, Self.alice),
                "contentTypes")
            expectRefusal(try create(service, #""filename": "a.txt", "grant": "images""#, Self.alice), "contentTypes")
            try create(service, #""filename": "a", "type": "image/png""#, Self.alice).expectProblem(
                400, "ambiguous_grant")
            try create(service, #""key": "images/a.png", "type": "image/png""#, Self.alice).expectSuccess()
            for (method, rest) in [("GET", ""), ("GET", "/1"), ("DELETE", "")] {
                let id = SealedUpload.text(of: "apiKey:alice", key: "out/a")
                let answer = try service.ask(method, "/s3/multipart/\(id)\(rest)?key=out/a", [Self.alice])
                answer.expectProblem(403, "not_in_grant")
            }
            let id = SealedUpload.text(of: "apiKey:alice", key: "up/a")
            try service.get("/s3/multipart/\(id)/1?key=up/a&expires=601", Self.alice)
                .expectProblem(400, "invalid_parameter", "expires")
            // An id is no key: the client says which, and is held to it.
            try service.get("/s3/multipart/\(id)/1", Self.alice).expectProblem(400, "missing_parameter", "key")
        }
        #expect(s3.sent.count == 1)
    }

    @Test func `bad input is told which field, why and what would be right`() throws {
        let s3 = try FakeS3()
        try run(s3) { service in
            for (members, field) in [
                (#""filename": "../a""#, "filename"), (#""filename": "/a""#, "filename"),
                (#""filename": """#, "filename"),
                (#""filename": "a/./b""#, "filename"), (#""filename": "a\u0000""#, "filename"),
                (#""filename": "a", "key": "up/a""#, "key"), (#""filename": "a", "type": "a\nb""#, "type"),
                (#""filename": "a", "uploadId": "x""#, "uploadId"),
                (#""filename": "a", "operation": "merge""#, "operation"),
            ] { try create(service, members, Self.alice).expectProblem(400, "invalid_parameter", field) }
            try create(service, #""type": "a/b""#, Self.alice).expectProblem(400, "missing_parameter", "key")
            let id = SealedUpload.text(of: "apiKey:alice", key: "up/a")
            for number in ["0", "10001", "-1", "99999999999999999999", "1.5", "x", "%31%30%30%30%31"] {
                try service.get("/s3/multipart/\(id)/\(number)?key=up/a", Self.alice)
                    .expectProblem(400, "invalid_parameter", "partNumber")
            }
            for numbers in ["", "0", "1,,2", "1,1", "1;2", Array(repeating: "1", count: 101).joined(separator: ",")] {
                try service.get("/s3/multipart/\(id)/batch?key=up/a&partNumbers=\(numbers)", Self.alice)
                    .expectProblem(400, "invalid_parameter", "partNumbers")
            }
            for parts in [
                "[]", "{}", #"[{"PartNumber": 1}]"#, #"[{"PartNumber": 0, "ETag": "e"}]"#,
                #"[{"PartNumber": 1.5, "ETag": "e"}]"#,
                #"[{"PartNumber": 10001, "ETag": "e"}]"#, #"[{"PartNumber": 1, "ETag": ""}]"#,
                #"[{"PartNumber": 1, "ETag": "</ETag><x>"}]"#, #"[{"PartNumber": 1, "ETag": "a b"}]"#,
                #"[{"PartNumber": 1, "ETag": "e"}, {"PartNumber": 1, "ETag": "e"}]"#, #""e""#, "null",
            ] {
                let answer = try service.ask(
                    "POST", "/s3/multipart/\(id)/complete?key=up/a", ["Content-Type: application/json", Self.alice],
                    body: #"{"parts": \#(parts)}"#)
                answer.expectProblem(400, "invalid_parameter", "parts")
            }
            try service.ask("POST", "/s3/multipart/\(id)/complete?key=up/a", [Self.alice])
                .expectProblem(400, "missing_parameter", "parts")
            for (method, path, allowed) in [
                ("POST", id, "GET, HEAD, DELETE, OPTIONS"), ("PUT", id, "GET, HEAD, DELETE, OPTIONS"),
                ("GET", "\(id)/complete", "POST, OPTIONS"), ("DELETE", "\(id)/1", "GET, HEAD, OPTIONS"),
            ] {
                let answer = try service.ask(method, "/s3/multipart/\(path)?key=up/a", [Self.alice])
                answer.expectProblem(405, "method_not_allowed")
                #expect(answer["allow"] == allowed)
            }
            for path in ["/s3/multipart/", "/s3/multipart//1", "/s3/multipart/\(id)/1/2", "/s3/multipart/\(id)/"] {
                try service.get("\(path)?key=up/a", Self.alice).expectProblem(404, "not_found")
            }
            try service.get("/s3/multipart/%zz/1?key=up/a", Self.alice).expectProblem(400, "malformed_request")
            try service.get("/s3/multipart/%FF/1?key=up/a", Self.alice).expectProblem(
                400, "invalid_parameter", "uploadId")
        }
        #expect(s3.sent.isEmpty)
    }

    @Test(
        "what S3 refuses is no success",
        arguments: [
            ("404 Not Found", "<Error><Code>NoSuchUpload</Code></Error>", 404),
            ("400 Bad Request", "<Error><Code>InvalidPart</Code></Error>", 400),
            ("412 Precondition Failed", "<Error><Code>PreconditionFailed</Code></Error>", 400),
            ("403 Forbidden", "<Error><Code>AccessDenied</Code></Error>", 502),
            ("200 OK", "<Error><Code>InternalError</Code></Error>", 502), ("200 OK", "", 502), ("200 OK", "<a>", 502),
            ("200 OK", FakeS3.document("CompleteMultipartUploadResult", "<Key>up/b</Key>"), 502),
        ])
    func failures(_ status: String, _ body: String, _ expected: Int) throws {
        let s3 = try FakeS3 { _ in (status, body) }
        try run(s3) { service in
            let id = SealedUpload.text(of: "apiKey:alice", key: "up/a")
            let answer = try service.ask(
                "POST", "/s3/multipart/\(id)/complete?key=up/a", ["Content-Type: application/json", Self.alice],
                body: #"{"parts": [{"PartNumber": 1, "ETag": "e"}]}"#)
            #expect(answer.status == expected && !answer.text.contains("location"), "\(answer.text)")
        }
    }

    @Test func `an upload of another key, or without an id, is not handed on`() throws {
        for body in [
            "<Key>up/b</Key><UploadId>u</UploadId>", "<Key>up/a</Key>", "<Key>up/a</Key><UploadId></UploadId>",
            "<Key>up/a</Key><UploadId>u</UploadId><UploadId>v</UploadId>",
            "<Key>up/a</Key><UploadId>\(String(repeating: "u", count: 1025))</UploadId>",
        ] {
            let s3 = try FakeS3 { _ in ("200 OK", FakeS3.document("InitiateMultipartUploadResult", body)) }
            try run(s3) { try create($0, #""key": "up/a""#, Self.alice).expectProblem(502, "upstream_failed") }
            // An upload that has begun is aborted; one without an id cannot be.
            let aborted = s3.sent.filter { $0.method == "DELETE" }.map(\.target)
            #expect(
                aborted == (body.hasSuffix("up/b</Key><UploadId>u</UploadId>") ? ["/demo-files/up/a?uploadId=u"] : []))
        }
    }

    /// As SeaweedFS spells keys, and fails for long names.
    private static func seaweed(_ sent: FakeS3.Sent) -> (status: String, body: String)? {
        let path = sent.target.prefix { $0 != "?" }.dropFirst("/demo-files/".count)
        var key = (String(path).removingPercentEncoding ?? "").replacing("\\", with: "/")
            .replacing("\u{FFFF}", with: "\u{FFFD}")
        guard key.split(separator: "/").allSatisfy({ $0.utf8.count <= 255 }) else {
            return ("500 Internal Server Error", "<Error><Code>InternalError</Code></Error>")
        }
        while key.contains("//") { key = key.replacing("//", with: "/") }
        guard sent.method == "POST" else { return nil }
        let isBegin = sent.target.hasSuffix("?uploads=")
        return (
            "200 OK",
            FakeS3.document(
                isBegin ? "InitiateMultipartUploadResult" : "CompleteMultipartUploadResult",
                "<Key>\(key)</Key>" + (isBegin ? "<UploadId>\(FakeS3.uploadID)</UploadId>" : ""))
        )
    }

    @Test func `a key that S3 spells differently is served; a file name with such a key is refused before any call`()
        throws
    {
        let s3 = try FakeS3(Self.seaweed)
        try run(s3) { service in
            for name in [#"a//b.png"#, #"a\\b.png"#, #"a\uFFFFb.png"#] {
                let begun = try create(service, #""key": "up/\#(name)""#, Self.alice)
                begun.expectSuccess()
                let id = try #require(begun.json["uploadId"]?.string)
                let key = try #require(begun.json["key"]?.string)
                let ended = try service.ask(
                    "POST", "/s3/multipart/\(id)/complete?key=\(percent(key))",
                    ["Content-Type: application/json", Self.alice],
                    body: #"{"parts": [{"PartNumber": 1, "ETag": "e"}]}"#)
                ended.expectSuccess()
            }
            let calls = s3.sent.count
            let long = String(repeating: "x", count: 256)
            for name in [#"a//b.png"#, #"a\\b.png"#, #"a\uFFFFb.png"#, #"C:\\fakepath\\b.png"#, long, "a/\(long)/b"] {
                try create(service, #""filename": "\#(name)""#, Self.alice)
                    .expectProblem(400, "invalid_parameter", "filename")
            }
            for key in [#"up/..\\..\\out/a"#, #"up/a\\..\\b"#] {
                try create(service, #""key": "\#(key)""#, Self.alice).expectProblem(400, "invalid_parameter", "key")
            }
            #expect(s3.sent.count == calls)
            try create(service, #""filename": "\#(long.dropLast())""#, Self.alice).expectSuccess()
        }
    }

    @Test func `a caller whose requests S3 fails on keeps no other caller from being served`() throws {
        let s3 = try FakeS3(Self.seaweed)
        try run(s3) { service in
            let long = String(repeating: "x", count: 300)
            for _ in 0..<10 {
                try create(service, #""key": "up/\#(long)""#, Self.alice).expectProblem(503, "upstream_unavailable")
                try create(service, #""key": "open/\#(long)""#).expectProblem(503, "upstream_unavailable")
                try create(service, #""filename": "a""#, APIKey.bob.bearer).expectSuccess()
            }
            try create(service, #""filename": "a""#, Self.alice).expectSuccess()
        }
    }

    @Test func `no GET or HEAD changes anything at S3, with or without a ticket`() throws {
        let s3 = try FakeS3()
        try run(s3) { service in
            let id = SealedUpload.text(of: "apiKey:alice", key: "up/a")
            let parts = percent(#"[{"PartNumber":1,"ETag":"e"}]"#)
            for query in [
                "key=up/a", "filename=a", "operation=create&key=up/a", "operation=abort&key=up/a&uploadId=\(id)",
                "operation=complete&key=up/a&uploadId=\(id)&parts=\(parts)", "operation=abort",
            ] {
                for method in ["GET", "HEAD"] {
                    let answer = try service.ask(method, "/s3/multipart?\(query)", [Self.alice])
                    #expect(answer.status == 405 && answer["allow"] == "POST, OPTIONS", "\(method) \(query)")
                }
            }
            for fixed in [
                #""key": "up/a""#, #""operation": "abort", "key": "up/a", "uploadId": "\#(id)""#,
            ] {
                let minted = try service.post("/tickets", json: "{\"grant\": \"uploads\", \(fixed)}", Self.alice)
                let ticket = try #require(minted.json["ticket"]?.string)
                let answer = try service.get("/s3/multipart?ticket=\(ticket)")
                answer.expectProblem(405, "method_not_allowed")
                try service.post("/s3/multipart?ticket=\(ticket)", json: "{}")
                    .expectSuccess()
            }
            #expect(s3.sent.map(\.method) == ["POST", "DELETE"])
            let listed = try service.get("/s3/multipart?operation=list&key=up/a&uploadId=\(id)", Self.alice)
            listed.expectSuccess()
            try service.get("/s3/multipart?operation=part&partNumber=1&key=up/a&uploadId=\(id)", Self.alice)
                .expectSuccess()
        }
    }

    @Test func `a page may ask by Uppy's headers and methods`() throws {
        let s3 = try FakeS3()
        try run(s3) { service in
            for (path, methods) in [
                ("/s3/multipart", "GET, POST"), ("/s3/multipart/a", "GET, DELETE"), ("/s3/params", "GET"),
            ] {
                let answer = try service.ask(
                    "OPTIONS", path,
                    ["Origin: http://127.0.0.1:\(service.port)", "Access-Control-Request-Method: GET"])
                #expect(answer.status == 204 && answer["access-control-allow-methods"] == methods)
                #expect(answer["access-control-allow-headers"]?.hasSuffix(", Uppy-Auth-Token, Uppy-Versions") == true)
            }
        }
    }

    @Test func `a form is asked for by a file's name, as Companion has it`() throws {
        let s3 = try FakeS3()
        try run(s3) { service in
            let answer = try service.get(
                "/s3/params?filename=a+b.png&type=image%2Fpng&metadata%5Bname%5D=a&metadata%5Bx%5D=", Self.alice)
            answer.expectSuccess()
            #expect(
                answer.json["method"] == "POST"
                    && answer.json["url"] == .string("http://s3.localhost:\(s3.port)/demo-files/"))
            let fields = answer.json["fields"]
            #expect(fields?["key"] == "up/a b.png" && fields?["Content-Type"] == "image/png")
            #expect(fields?["success_action_status"] == "201")
            let named = try service.get("/s3/params?filename=photo.png&type=image/png", APIKey.bob.bearer)
            let key = try #require(named.json["fields"]?["key"]?.string)
            #expect(key.hasPrefix("mine/") && key.hasSuffix(".png") && !key.contains("photo"))
            for (query, code, field) in [
                ("filename=../a", "invalid_parameter", "filename"), ("type=image/png", "missing_parameter", "key"),
                ("filename=a&nonsense%5Bx%5D=1", "unknown_parameter", ""),
            ] { try service.get("/s3/params?\(query)", Self.alice).expectProblem(400, code, field) }
            try service.post("/s3/params", json: #"{"filename": "a"}"#, Self.alice)
                .expectProblem(405, "method_not_allowed")
            let html = try service.get("/s3/params?filename=a.html&type=text/html", APIKey.bob.bearer)
            html.expectProblem(403, "not_in_grant")
            #expect(html.json["clause"] == "contentTypes")
        }
    }
}
