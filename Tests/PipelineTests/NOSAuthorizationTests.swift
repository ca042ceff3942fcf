import Foundation
import Testing

@testable import TestService

@Suite("Signed NOS requests and URLs over HTTP")
struct NOSAuthorizationTests {
    private static let own: Set = ["method", "url", "headers", "bucket", "object", "key"]
    private static let host = "demo-files.\(Setup.nosEndpoint)"

    // MARK: /nos/authorization

    private func read(
        _ answer: Answer, grant: String = "objects", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SentURL {
        let url = try Verified.nosHeader(answer.json)
        answer.expectTerms(
            grant: grant, lifetime: 900, limitedBy: "requested", deadline: nil, sourceLocation: sourceLocation)
        #expect(url.scheme == "https", sourceLocation: sourceLocation)
        #expect(url.host == NOSAuthorizationTests.host, sourceLocation: sourceLocation)
        #expect(answer.json.names == NOSAuthorizationTests.own.union(Answer.terms), sourceLocation: sourceLocation)
        let date = moment(Answer.age, writtenAs: answer.json["headers"]?["Date"]?.string, by: httpDate)
        #expect(
            date.map { answer.json["expiresAt"] == .string(iso8601($0 + 900)) } == true,
            sourceLocation: sourceLocation)
        return url
    }

    @Test func `a request is signed with its Date, and GET is what nobody need say`() throws {
        let service = try Service.shared(.requests)
        for query in ["", "&method=GET", "&bucket=demo-files"] {
            let answer = try service.get("/nos/authorization?object=in/a.txt\(query)")
            let url = try read(answer)
            #expect(url.target == "/in%2Fa.txt")
            #expect(answer.json["method"] == "GET")
            #expect(answer.json["headers"]?.names == ["Authorization", "Date"])
            #expect(answer.json["bucket"] == "demo-files")
            #expect(answer.json["object"] == "in/a.txt")
            #expect(answer.json["key"] == "in/a.txt")
        }
    }

    @Test func `headers that the grant lists are signed, told, and given in any of three ways`() throws {
        let service = try Service.shared(.requests)
        let md5 = "d41d8cd98f00b204e9800998ecf8427e"
        for answer in [
            try service.get(
                "/nos/authorization?key=in/a&method=PUT&header=Content-Type:text/plain;%20charset%3Dutf-8"
                    + "&header=content-md5:\(md5)&header=X-NOS-Meta-B:%20zwei%20drei%20&header=x-nos-meta-a:1:2"),
            try service.post(
                "/nos/authorization",
                json: """
                    {"object":"in/a","method":"PUT","header":["content-type: text/plain; charset=utf-8",
                     "CONTENT-MD5:\(md5)","x-nos-meta-b:zwei drei","x-nos-meta-a:1:2"]}
                    """),
            try service.post(
                "/nos/authorization",
                json: """
                    {"object":"in/a","method":"PUT","header":{"Content-Type":"text/plain; charset=utf-8",
                     "Content-MD5":"\(md5)","x-nos-meta-b":"zwei drei","x-nos-meta-a":"1:2"}}
                    """),
            try service.post(
                "/nos/authorization", "application/x-www-form-urlencoded",
                "object=in/a&method=PUT&header=content-type:text/plain;+charset=utf-8&header=content-md5:\(md5)"
                    + "&header=x-nos-meta-b:zwei+drei&header=x-nos-meta-a:1:2"),
        ] {
            _ = try read(answer)
            let headers = answer.json["headers"]
            #expect(headers?["content-type"] == "text/plain; charset=utf-8")
            #expect(headers?["content-md5"] == .string(md5))
            #expect(headers?["x-nos-meta-b"] == "zwei drei")
            #expect(headers?["x-nos-meta-a"] == "1:2")
            #expect(headers?.names.count == 6)
        }
    }

    @Test func `an upload in parts is signed from its beginning to its end`() throws {
        let service = try Service.shared(.requests)
        let asks = [
            ("POST", "&query=uploads", "?uploads"), ("POST", "&query=uploadId%3Dab-1", "?uploadId=ab-1"),
            ("PUT", "&query=uploadId%3Dab-1&query=partNumber%3D2", "?partNumber=2&uploadId=ab-1"),
            ("GET", "&query=uploadId%3Dab-1", "?uploadId=ab-1"),
            ("DELETE", "&query=uploadId%3Dab-1", "?uploadId=ab-1"), ("DELETE", "", ""), ("HEAD", "", ""),
        ]
        for (method, query, sent) in asks {
            let answer = try service.get("/nos/authorization?key=in/b&method=\(method)\(query)")
            #expect(try read(answer).target == "/in%2Fb\(sent)")
            #expect(answer.json["method"] == .string(method))
        }
        for json in [#"{"uploads":""}"#, #"["uploads"]"#, #""uploads""#] {
            let answer = try service.post(
                "/nos/authorization", json: #"{"key":"in/b","method":"POST","query":\#(json)}"#)
            #expect(try read(answer).target == "/in%2Fb?uploads")
        }
    }

    @Test func `R4: methods and sub-resources are those of the grant`() throws {
        let service = try Service.shared(.requests)
        #expect(try read(try service.get("/nos/authorization?key=out/a"), grant: "reading").path == "/out%2Fa")
        for (query, clause) in [
            ("method=PUT", "methods"), ("method=DELETE", "methods"), ("query=uploadId%3D1", "query"),
            ("header=content-type:a/b", "headers"), ("header=x-nos-meta-a:1", "headers"),
        ] {
            let answer = try service.get("/nos/authorization?key=out/a&\(query)")
            answer.expectProblem(403, "not_in_grant")
            #expect(answer.json["clause"] == .string(clause))
        }
        try service.get("/nos/authorization?grant=objects").expectProblem(400, "missing_parameter", "object")
        try service.get("/nos/authorization?key=in/a&expires=60").expectProblem(400, "unknown_parameter")
    }

    // MARK: /nos/presigned-url

    @Test func `a URL carries key, end and signature`() throws {
        let service = try Service.shared(.requests)
        for key in ["in/a.txt", "in/照片 1+2&=%.jpg", "in/~*.~", "in/a/b c", "in/a%2Fb"] {
            let answer = try service.get("/nos/presigned-url?key=\(percent(key))&expires=60")
            let (url, deadline) = try Verified.nosURL(answer.json)
            answer.expectTerms(grant: "links", lifetime: 60, limitedBy: "requested", deadline: deadline)
            #expect(url.scheme == "https")
            #expect(url.host == NOSAuthorizationTests.host)
            #expect(url.key == key)
            #expect(url.parameters.map(\.name) == ["NOSAccessKeyId", "Expires", "Signature"])
            #expect(answer.json["headers"]?.names == [])
            #expect(answer.json["method"] == "GET")
            #expect(answer.json["deadline"]?.integer == deadline)
            #expect(answer.json.names == NOSAuthorizationTests.own.union(Answer.terms).union(["deadline"]))
        }
        let answer = try service.get("/nos/presigned-url?key=in/a")
        answer.expectTerms(
            grant: "links", lifetime: 300, limitedBy: "grant", deadline: try Verified.nosURL(answer.json).deadline)
    }

    @Test func `a URL to upload by is signed with the type that must be sent`() throws {
        let answer = try Service.shared(.requests)
            .get("/nos/presigned-url?key=in/a.png&method=PUT&header=Content-Type:image/png")
        _ = try Verified.nosURL(answer.json)
        #expect(answer.json["method"] == "PUT")
        #expect(answer.json["headers"]?.names == ["content-type"])
        #expect(answer.json["headers"]?["content-type"] == "image/png")
    }

    @Test func `an unscoped grant is for any bucket that can be part of a host's name`() throws {
        let service = try Service.shared(.requests)
        let answer = try service.get("/nos/presigned-url?bucket=other-1&key=a", APIKey.bob.bearer)
        #expect(try Verified.nosURL(answer.json).url.host == "other-1.\(Setup.nosEndpoint)")
        for bucket in ["Other", "a.b", "a_b", "ab", "-abc", "abc-", "evil.example"] {
            try service.get("/nos/presigned-url?bucket=\(bucket)&key=a", APIKey.bob.bearer)
                .expectProblem(400, "invalid_parameter", "bucket")
        }
        try service.get("/nos/presigned-url?key=a", APIKey.bob.bearer)
            .expectProblem(400, "missing_parameter", "bucket")
    }
}
