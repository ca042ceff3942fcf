import Testing

@testable import TestService

@Suite("Signed OSS requests and URLs over HTTP")
struct OSSAuthorizationTests {
    private static let own: Set = ["method", "url", "headers", "bucket", "key"]
    private static let host = "demo-bucket.\(Setup.ossEndpoint)"

    // MARK: /oss/authorization

    private func read(
        _ answer: Answer, grant: String = "objects", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SentOSSRequest {
        let request = try SentOSSRequest(answer.json)
        answer.expectTerms(
            grant: grant, lifetime: 900, limitedBy: "requested", deadline: nil, sourceLocation: sourceLocation)
        #expect(request.url.scheme == "https", sourceLocation: sourceLocation)
        #expect(request.url.host == OSSAuthorizationTests.host, sourceLocation: sourceLocation)
        #expect(answer.json.names == OSSAuthorizationTests.own.union(Answer.terms), sourceLocation: sourceLocation)
        let moment = try #require(request.moment)
        #expect(Answer.age.contains(moment - now), sourceLocation: sourceLocation)
        #expect(answer.json["expiresAt"] == .string(iso8601(moment + 900)), sourceLocation: sourceLocation)
        return request
    }

    @Test func `a request is signed with its date in version 4, and GET is what nobody need say`()
        throws
    {
        let service = try Service.shared(.ossRequests)
        for query in ["", "&method=GET", "&bucket=demo-bucket", "&version=v4"] {
            let answer = try service.get("/oss/authorization?key=in/a.txt\(query)")
            let request = try read(answer)
            #expect(request.url.target == "/in/a.txt")
            #expect(request.method == "GET")
            #expect(answer.json["headers"]?.names == ["Authorization", "x-oss-content-sha256", "x-oss-date"])
            #expect(request.fields["authorization"]?.hasPrefix("OSS4-HMAC-SHA256 ") == true)
            #expect(answer.json["bucket"] == "demo-bucket")
            #expect(answer.json["key"] == "in/a.txt")
        }
        let answer = try service.get("/oss/authorization?key=in/a.txt&version=v1")
        #expect(try read(answer).fields["authorization"]?.hasPrefix("OSS \(Setup.ossAccessKey):") == true)
        #expect(answer.json["headers"]?.names == ["Authorization", "x-oss-date"])
        for version in ["V4", "v2", "4", "v4%20"] {
            try service.get("/oss/authorization?key=in/a.txt&version=\(version)")
                .expectProblem(400, "invalid_parameter", "version")
        }
    }

    @Test(arguments: ["v4", "v1"])
    func `headers that the grant lists are signed, told, and given in any of three ways`(
        _ version: String
    ) throws {
        let service = try Service.shared(.ossRequests)
        let md5 = "1B2M2Y8AsgTpgAmY7PhCfg=="
        for answer in [
            try service.get(
                "/oss/authorization?key=in/a&method=PUT&header=Content-Type:text/plain;%20charset%3Dutf-8"
                    + "&header=content-md5:\(percent(md5))&header=X-OSS-Meta-B:%20zwei%20%20drei%20"
                    + "&header=x-oss-meta-a:1:2&version=\(version)"),
            try service.post(
                "/oss/authorization",
                json: """
                    {"key":"in/a","method":"PUT","version":"\(version)","header":["content-type: text/plain; charset=utf-8",
                     "CONTENT-MD5:\(md5)","x-oss-meta-b:zwei  drei","x-oss-meta-a:1:2"]}
                    """),
            try service.post(
                "/oss/authorization",
                json: """
                    {"key":"in/a","method":"PUT","version":"\(version)","header":{"Content-Type":"text/plain; charset=utf-8",
                     "Content-MD5":"\(md5)","x-oss-meta-b":"zwei  drei","x-oss-meta-a":"1:2"}}
                    """),
            try service.post(
                "/oss/authorization", "application/x-www-form-urlencoded",
                "key=in/a&method=PUT&header=content-type:text/plain;+charset=utf-8&header=content-md5:\(percent(md5))"
                    + "&header=x-oss-meta-b:zwei++drei&header=x-oss-meta-a:1:2&version=\(version)"),
        ] {
            let fields = try read(answer).fields
            #expect(fields["content-type"] == "text/plain; charset=utf-8")
            #expect(fields["content-md5"] == md5)
            #expect(fields["x-oss-meta-b"] == "zwei  drei")
            #expect(fields["x-oss-meta-a"] == "1:2")
            #expect(fields.count == (version == "v4" ? 7 : 6))
        }
    }

    @Test func `version 4 signs other headers, too, and version 1 says that it does not`() throws {
        let service = try Service.shared(.ossRequests)
        let asked = "/oss/authorization?key=in/a&method=PUT&header=range:bytes%3D0-1&header=Cache-Control:no-cache"
        let field = try read(try service.get(asked)).fields["authorization"] ?? ""
        #expect(field.contains(",AdditionalHeaders=cache-control;range,"))
        for header in ["range:bytes%3D0-1", "cache-control:x", "content-length:1"] {
            try service.get("/oss/authorization?key=in/a&method=PUT&version=v1&header=\(header)")
                .expectProblem(400, "invalid_parameter", "version v1 signs content-type")
        }
    }

    /// Method, queries and what is sent of them.
    private static let parts = [
        ("POST", ["uploads"], "uploads="), ("POST", ["uploadId=ab-1"], "uploadId=ab-1"),
        ("PUT", ["uploadId=ab-1", "partNumber=2"], "partNumber=2&uploadId=ab-1"),
        ("GET", ["uploadId=ab-1", "max-parts=5"], "max-parts=5&uploadId=ab-1"),
        ("DELETE", ["uploadId=ab-1"], "uploadId=ab-1"), ("DELETE", [], ""), ("HEAD", [], ""),
        ("HEAD", ["objectMeta"], "objectMeta="), ("HEAD", ["versionId=x"], "versionId=x"),
        ("POST", ["append", "position=0"], "append=&position=0"),
        ("GET", ["response-content-type=a/b"], "response-content-type=a%2Fb"),
        ("PUT", ["x-oss-traffic-limit=819200"], "x-oss-traffic-limit=819200"),
    ]

    @Test(arguments: ["v4", "v1"])
    func `all that is in the table is signed, an upload in parts from its beginning to its end`(
        _ version: String
    ) throws {
        let service = try Service.shared(.ossRequests)
        for (method, queries, sent) in OSSAuthorizationTests.parts {
            let query = queries.map { "&query=\(percent($0))" }.joined()
            let target = "key=in/b&method=\(method)\(query)&version=\(version)"
            let answer = try service.get("/oss/authorization?\(target)")
            #expect(try read(answer).url.target == (sent.isEmpty ? "/in/b" : "/in/b?\(sent)"))
            #expect(answer.json["method"] == .string(method))
            let url = try SentOSSRequest(try service.get("/oss/presigned-url?\(target)").json)
            #expect(url.method == method)
            #expect(url.query.count == queries.count)
        }
        for json in [#"{"uploads":""}"#, #"["uploads"]"#, #""uploads""#] {
            let answer = try service.post(
                "/oss/authorization", json: #"{"key":"in/b","method":"POST","query":\#(json)}"#)
            #expect(try read(answer).url.target == "/in/b?uploads=")
        }
    }

    @Test func `R4: methods, sub-resources, queries, headers and versions are those of the grant`()
        throws
    {
        let service = try Service.shared(.ossRequests)
        #expect(try read(try service.get("/oss/authorization?key=out/a"), grant: "reading").url.path == "/out/a")
        for (query, clause) in [
            ("method=PUT", "methods"), ("method=DELETE", "methods"), ("query=uploadId%3D1", "subresources"),
            ("query=response-content-type%3Da", "query"), ("header=content-type:a/b", "headers"),
            ("header=x-oss-meta-a:1", "headers"), ("header=range:bytes%3D0-1", "headers"), ("version=v1", "versions"),
        ] {
            let answer = try service.get("/oss/authorization?key=out/a&\(query)")
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == .string(clause))
        }
        try service.get("/oss/authorization?grant=objects").expectProblem(400, "missing_parameter", "key")
        let small = try service.get("/oss/authorization?key=out/a&method=put")
        small.expectProblem(400, "invalid_parameter", "write PUT")
        #expect(small.json["parameter"] == "method")
        for extra in ["expires=60", "contentType=a/b", "contentMd5=x"] {
            try service.get("/oss/authorization?key=in/a&\(extra)").expectProblem(400, "unknown_parameter")
        }
    }

    // MARK: /oss/presigned-url

    @Test(arguments: ["v4", "v1"])
    func `a URL carries key, end and signature`(_ version: String) throws {
        let service = try Service.shared(.ossRequests)
        for key in ["in/a.txt", "in/照片 1+2&=%.jpg", "in/~*.~", "in/a/b c", "in/a%2Fb", "in/a//b"] {
            let answer = try service.get("/oss/presigned-url?key=\(percent(key))&expires=60&version=\(version)")
            let request = try SentOSSRequest(answer.json)
            let deadline = try #require(answer.json["deadline"]?.integer)
            answer.expectTerms(grant: "links", lifetime: 60, limitedBy: "requested", deadline: deadline)
            #expect(request.url.host == OSSAuthorizationTests.host)
            #expect(request.url.key == key)
            #expect(request.moment.map { $0 + (request.lifetime ?? 0) } == deadline)
            #expect(request.lifetime == (version == "v4" ? 60 : nil))
            #expect(answer.json["headers"]?.names == [])
            #expect(answer.json["method"] == "GET")
            #expect(answer.json["key"] == .string(key))
            #expect(answer.json.names == OSSAuthorizationTests.own.union(Answer.terms).union(["deadline"]))
        }
        let answer = try service.get("/oss/presigned-url?key=in/a&version=\(version)")
        answer.expectTerms(
            grant: "links", lifetime: 300, limitedBy: "grant", deadline: answer.json["deadline"]?.integer)
    }

    @Test(arguments: ["v4", "v1"])
    func `R5: a URL lives for a second to seven days`(_ version: String) throws {
        let service = try Service.shared(.ossRequests)
        for seconds in [Int64(1), 604_800] {
            let answer = try service.get("/oss/presigned-url?key=in/a&expires=\(seconds)&version=\(version)")
            let request = try SentOSSRequest(answer.json)
            answer.expectTerms(
                grant: "links", lifetime: seconds, limitedBy: "requested",
                deadline: request.moment.map { $0 + (request.lifetime ?? 0) })
        }
        for seconds in ["0", "-1", "604801", "1.5", "1e3", "", "+1", "99999999999999999999"] {
            try service.get("/oss/presigned-url?key=in/a&expires=\(percent(seconds))&version=\(version)")
                .expectProblem(400, "invalid_parameter", "expires")
        }
    }

    @Test(arguments: ["v4", "v1"])
    func `R5: a URL ends with the caller's own key`(_ version: String) throws {
        let answer = try Service.shared(.ossRequests)
            .get("/oss/presigned-url?ext=jpg&version=\(version)", APIKey.ending.bearer)
        answer.expectSuccess()
        #expect(answer.json["limitedBy"] == "caller")
        let request = try SentOSSRequest(answer.json)
        #expect(request.moment.map { $0 + (request.lifetime ?? 0) } == APIKey.ending.notAfter)
    }

    @Test func `callers are told what may be signed for them, and where`() throws {
        let answer = try Service.shared(.ossRequests).get("/grants")
        let grants = answer.json["grants"]?.list ?? []
        let links = try #require(grants.first { $0["name"] == "links" })
        #expect(links["methods"]?.list?.count == 5)
        #expect(links["subresources"]?.list?.contains("uploadId") == true)
        #expect(links["query"]?.list?.contains("max-parts") == true)
        #expect(links["region"] == .string(Setup.ossRegion))
        #expect(links["endpoint"] == .string(Setup.ossEndpoint))
        #expect(grants.first { $0["name"] == "images" }?["contentTypes"]?.list?.first == "image/*")
        #expect(grants.first { $0["name"] == "small" }?["maxSize"] == 1024)
        #expect(grants.first { $0["name"] == "reading" }?["versions"] == .list(["v4"]))
    }

    @Test(arguments: ["v4", "v1"])
    func `a URL to upload by is signed with the type and the MD5 that must be sent`(
        _ version: String
    ) throws {
        let service = try Service.shared(.ossRequests)
        let md5 = "1B2M2Y8AsgTpgAmY7PhCfg=="
        for more in [
            "contentType=image/png&contentMd5=\(percent(md5))",
            "header=Content-Type:image/png&contentMd5=\(percent(md5))",
            "header=content-type:image/png&header=content-md5:\(percent(md5))",
        ] {
            let answer = try service.get("/oss/presigned-url?key=in/a.png&method=PUT&version=\(version)&\(more)")
            let request = try SentOSSRequest(answer.json)
            #expect(request.method == "PUT")
            #expect(request.fields == ["content-type": "image/png", "content-md5": md5])
        }
        for twice in [
            "contentType=a/b&header=content-type:a/b", "contentMd5=\(percent(md5))&header=Content-MD5:\(percent(md5))",
        ] {
            try service.get("/oss/presigned-url?key=in/a&method=PUT&\(twice)").expectProblem(400, "invalid_parameter")
        }
        for wrong in ["x", "1B2M2Y8AsgTpgAmY7PhCfg=", "1B2M2Y8AsgTpgAmY7PhCfh==", "d41d8cd98f00b204e9800998ecf8427e"] {
            try service.get("/oss/presigned-url?key=in/a&method=PUT&contentMd5=\(percent(wrong))")
                .expectProblem(400, "invalid_parameter")
        }
    }

    // MARK: The clauses

    @Test(arguments: ["v4", "v1"])
    func `what is written has one of the content types of the grant, which OSS would else guess`(
        _ version: String
    ) throws {
        let service = try Service.shared(.ossRequests)
        let asked = "/oss/presigned-url?key=images/a&version=\(version)&method="
        for type in ["image/png", "image/svg+xml", "text/plain; charset=utf-8"] {
            let request = try SentOSSRequest(try service.get("\(asked)PUT&contentType=\(percent(type))").json)
            #expect(request.fields == ["content-type": type])
        }
        for type in [
            "text/html", "image/", "image", "IMAGE/png", "text/plain", "text/plain; charset=utf-8; x",
            "image/png,text/html",
            "image/png;x", "image/ png", "image/*", "ximage/png",
        ] {
            let answer = try service.get("\(asked)PUT&contentType=\(percent(type))")
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == "contentTypes")
        }
        #expect(try service.get("\(asked)PUT").json["clause"] == "contentTypes")
        #expect(try service.get("\(asked)GET&header=content-type:text/html").json["clause"] == "contentTypes")
        #expect(try SentOSSRequest(try service.get("\(asked)GET").json).fields.isEmpty)
    }

    @Test func `R18: a size is held by a signed Content-Length, or the grant owns that it is not`()
        throws
    {
        let service = try Service.shared(.ossRequests)
        let asked = "/oss/presigned-url?method=PUT&key="
        for length in ["0", "1024"] {
            let request = try SentOSSRequest(try service.get("\(asked)small/a&header=content-length:\(length)").json)
            #expect(request.fields == ["content-length": length])
            #expect(request.url.parameter("x-oss-additional-headers") == "content-length")
        }
        for (target, clause) in [
            ("small/a", "maxSize"), ("small/a&header=content-length:1025", "maxSize"),
            ("small/a&header=content-length:9223372036854775807", "maxSize"),
            ("hoped/a&header=content-length:1025", "maxSize"), ("small/a&version=v1", "versions"),
        ] {
            #expect(try service.get(asked + target).json["clause"] == .string(clause))
        }
        for length in ["-1", "1e3", "01", "+1", "99999999999999999999", "1,1"] {
            try service.get("\(asked)small/a&header=content-length:\(percent(length))")
                .expectProblem(400, "invalid_parameter")
        }
        for target in ["hoped/a", "hoped/a&version=v1", "hoped/a&header=content-length:1024"] {
            _ = try SentOSSRequest(try service.get(asked + target).json)
        }
    }

    @Test func `a grant of one key is for that alone, which version 1 cannot say of a query`() throws {
        let service = try Service.shared(.ossRequests)
        let asked = "/oss/presigned-url?ext=jpg"
        for more in ["", "&version=v1", "&query=response-content-type%3Da/b"] {
            let answer = try service.get(asked + more, APIKey.alice.bearer)
            #expect(try SentOSSRequest(answer.json).url.key == "users/apiKey-alice/photo.jpg")
            #expect(answer.json["key"] == "users/apiKey-alice/photo.jpg")
        }
        let answer = try service.get("\(asked)&version=v1&query=response-content-type%3Da/b", APIKey.alice.bearer)
        answer.expectProblem(403, "not_in_grant", "ask for v4")
        #expect(answer.json["clause"] == "versions")
    }

    @Test func `version 1 signs no key that reads like one with a query`() throws {
        let service = try Service.shared(.ossRequests)
        for key in ["in/a?acl", "in/a?uploadId=1", "in/a?x-oss-process=b", "in/a?b&acl", "in/a?new=1"] {
            for route in ["authorization", "presigned-url"] {
                let asked = "/oss/\(route)?key=\(percent(key))"
                let answer = try service.get("\(asked)&version=v1")
                answer.expectProblem(403, "not_in_grant", "a ?")
                #expect(answer.json["clause"] == "key")
                #expect(try SentOSSRequest(try service.get(asked).json).url.key == key)
            }
        }
        for key in ["in/a?", "in/what? no", "in/a?/b"] {
            let request = try SentOSSRequest(try service.get("/oss/presigned-url?key=\(percent(key))&version=v1").json)
            #expect(request.url.key == key)
        }
    }

    @Test func `an unscoped grant is for any bucket that OSS can have`() throws {
        let service = try Service.shared(.ossRequests)
        let answer = try service.get("/oss/presigned-url?bucket=other-1&key=a", APIKey.bob.bearer)
        #expect(try SentOSSRequest(answer.json).url.host == "other-1.\(Setup.ossEndpoint)")
        for bucket in ["Other", "a.b", "a_b", "ab", "-abc", "abc-", "evil.example"] {
            try service.get("/oss/presigned-url?bucket=\(bucket)&key=a", APIKey.bob.bearer)
                .expectProblem(400, "invalid_parameter", "bucket")
        }
        try service.get("/oss/presigned-url?key=a", APIKey.bob.bearer)
            .expectProblem(400, "missing_parameter", "bucket")
    }
}
