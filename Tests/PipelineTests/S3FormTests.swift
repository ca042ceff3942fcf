import Foundation
import Testing

@testable import TestService

@Suite("S3 forms over HTTP")
struct S3FormTests {
    /// A form, and its policy's conditions, as AWS's pages verify it.
    private struct Form {
        let url: String
        let fields: [String: String]
        let expiration: String
        let conditions: [JSON]

        init(_ answer: Answer, region: String = Setup.s3Region) throws {
            url = answer.json["url"]?.string ?? ""
            var fields: [String: String] = [:]
            for name in answer.json["fields"]?.names ?? [] { fields[name] = answer.json["fields"]?[name]?.string }
            self.fields = fields
            let policy = fields["policy"] ?? ""
            let json = try JSON(String(decoding: try #require(Data(base64Encoded: policy)), as: UTF8.self))
            expiration = json["expiration"]?.string ?? ""
            conditions = try #require(json["conditions"]?.list)
            let date = fields["x-amz-date"] ?? ""
            #expect(moment(-900...60, writtenAs: date, by: basicISO8601) != nil)
            let scope = "\(date.prefix(8))/\(region)/s3/aws4_request"
            #expect(fields["x-amz-credential"] == "\(Setup.s3AccessKey)/\(scope)")
            #expect(fields["x-amz-algorithm"] == "AWS4-HMAC-SHA256")
            var key = Array("AWS4\(Setup.s3Secret)".utf8)
            for part in scope.components(separatedBy: "/") + [policy] {
                key = Digests.hmacSHA256(key: key, Array(part.utf8))
            }
            #expect(fields["x-amz-signature"] == Digests.hex(key))
        }

        /// The names of the fields that conditions admit.
        var named: Set<String> { Set(conditions.map { Form.name(of: $0) }) }

        private static func name(of condition: JSON) -> String {
            if let name = condition.names.first { return name }
            let name = condition.list.flatMap { $0.count > 1 ? $0[1].string : nil } ?? ""
            return String(name.dropFirst())
        }

        func has(_ condition: String) throws -> Bool { conditions.contains(try JSON(condition)) }
    }

    @Test func `a form pins bucket, key, size and status, and has no field that no condition names`() throws {
        let service = try Service.shared(.s3Requests)
        let answer = try service.get("/s3/post-policy?key=forms/%E4%B8%AD%20a.png")
        let form = try Form(answer)
        #expect(form.url == "https://demo-bucket.\(Setup.s3Endpoint)/")
        #expect(form.fields["key"] == "forms/中 a.png" && form.fields["success_action_status"] == "201")
        let unnamed = Set(form.fields.keys).subtracting(form.named)
        #expect(unnamed == ["policy", "x-amz-signature"])
        #expect(try form.has(#"{"bucket":"demo-bucket"}"#))
        #expect(try form.has(#"["eq","$key","forms/中 a.png"]"#))
        #expect(try form.has(#"["content-length-range",0,1024]"#))
        #expect(try form.has(#"["starts-with","$Content-Type",""]"#))
        #expect(answer.json["expiresAt"]?.string?.prefix(19) == form.expiration.prefix(19))
        let smaller = try Form(try service.get("/s3/post-policy?key=forms/a&maxSize=7&contentType=text/html"))
        #expect(try smaller.has(#"["content-length-range",0,7]"#))
        #expect(try smaller.has(#"{"Content-Type":"text/html"}"#))
        #expect(smaller.fields["Content-Type"] == "text/html")
    }

    @Test func `a form below a prefix lets the file name the object`() throws {
        let service = try Service.shared(.s3Requests)
        let answer = try service.get("/s3/post-policy?keyPrefix=forms/1/")
        let form = try Form(answer)
        #expect(form.fields["key"] == "forms/1/${filename}" && answer.json["keyPrefix"] == "forms/1/")
        #expect(try form.has(#"["starts-with","$key","forms/1/"]"#))
        try service.get("/s3/post-policy?keyPrefix=forms/1").expectProblem(400, "invalid_parameter", "keyPrefix")
    }

    @Test func `a type is one of the grant's, and named where the grant has several`() throws {
        let service = try Service.shared(.s3Requests)
        let form = try Form(try service.get("/s3/post-policy?key=pictures/a&contentType=image/png"))
        #expect(form.fields["Content-Type"] == "image/png")
        #expect(form.fields["x-amz-security-token"] == "a/token+of==" && form.named.contains("x-amz-security-token"))
        for more in ["", "&contentType=text/html", "&contentType=image/"] {
            let answer = try service.get("/s3/post-policy?key=pictures/a\(more)")
            #expect(answer.status == 403 && answer.json["clause"] == "contentTypes" || answer.status == 400, "\(more)")
        }
        #expect(try service.get("/s3/post-policy?key=forms/a&maxSize=1025").json["clause"] == "maxSize")
        let one = try Form(try service.get("/s3/post-policy?grant=dotted-forms"), region: "auto")
        #expect(one.fields["Content-Type"] == "image/png" && one.fields["key"]?.hasPrefix("one/") == true)
        #expect(one.url == "https://storage.example.com:9000/my.dotted.bucket/")
    }

    @Test(arguments: ["key=out/a", "key=forms/../a", "key=forms/$%7Bfilename%7D", "keyPrefix=out/", "keyPrefix=/", ""])
    func `nothing is signed that is outside the grant`(query: String) throws {
        let answer = try Service.shared(.s3Requests).get("/s3/post-policy?\(query)&grant=forms")
        #expect((400...403).contains(answer.status) && answer.json["fields"] == nil, "\(answer.status)")
    }
}
