import Foundation
import Testing

@testable import TestService

/// A request of Iceberg's client (`S3V4RestSignerClient` of apache/iceberg), and what it sends when it has asked.
struct IcebergAsk {
    var method = "GET"
    var uri = "https://demo-bucket.\(Setup.s3Endpoint)/wh/t/data/a.parquet"
    var headers: [String: [String]] = ["amz-sdk-invocation-id": ["b1f0-1"], "User-Agent": ["aws-sdk-java/2.x"]]
    var body: String?
    var region = Setup.s3Region
    var more = ""

    static func delete(_ keys: String...) -> IcebergAsk {
        IcebergAsk(
            method: "POST", uri: "https://demo-bucket.\(Setup.s3Endpoint)/?delete",
            headers: ["Content-MD5": ["1B2M2Y8AsgTpgAmY7PhCfg=="], "Content-Type": ["application/xml"]],
            body: document(keys.map { "<Object><Key>\($0)</Key></Object>" }.joined()))
    }

    static func document(_ content: String) -> String {
        "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(content)<Quiet>true</Quiet></Delete>"
    }

    func with(_ change: (inout IcebergAsk) -> Void) -> IcebergAsk {
        var changed = self
        change(&changed)
        return changed
    }

    var json: String {
        var members: [String: Any] = ["region": region, "uri": uri, "method": method, "headers": headers]
        members["body"] = body
        let data = (try? JSONSerialization.data(withJSONObject: members)) ?? Data()
        let text = String(decoding: data, as: UTF8.self)
        return more.isEmpty ? text : text.dropLast() + ", \(more)}"
    }

    /// What the client sends: its own headers go before those that it is told.
    func expectSigned(_ answer: Answer, token: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        answer.expectSuccess(sourceLocation: sourceLocation)
        let url = try SentURL(answer.json["uri"]?.string)
        var sent: [String: String] = ["host": url.host]
        for name in answer.json["headers"]?.names ?? [] {
            let values = answer.json["headers"]?[name]?.list?.compactMap(\.string) ?? []
            sent[name.lowercased()] = values.joined(separator: ",")
        }
        for (name, values) in headers { sent[name.lowercased()] = values.joined(separator: ",") }
        let parts =
            (sent["authorization"] ?? "").components(separatedBy: "SignedHeaders=").last?
            .components(separatedBy: ", Signature=") ?? []
        try #require(parts.count == 2, "\(answer.text)", sourceLocation: sourceLocation)
        let names = parts[0].components(separatedBy: ";")
        let own = sent.keys.filter { $0.hasPrefix("x-amz-") }
        #expect(Set(own).isSubset(of: names) && names.contains("host"), sourceLocation: sourceLocation)
        #expect(sent["x-amz-security-token"] == token, sourceLocation: sourceLocation)
        // Another body than the one that was read has another hash.
        let hash = sent["x-amz-content-sha256"] ?? ""
        if let body { #expect(hash == Digests.hex(Digests.sha256(Array(body.utf8))), sourceLocation: sourceLocation) }
        let date = sent["x-amz-date"] ?? ""
        let query = (url.query ?? "").components(separatedBy: "&").sorted().map {
            $0.contains("=") || $0.isEmpty ? $0 : $0 + "="
        }
        let canonical =
            [method, url.path, query.joined(separator: "&")] + names.map { "\($0):\(sent[$0] ?? "?")" }
            + ["", parts[0], hash]
        let scope = "\(date.prefix(8))/\(region)/s3/aws4_request"
        let digest = Digests.hex(Digests.sha256(Array(canonical.joined(separator: "\n").utf8)))
        var key = Array("AWS4\(Setup.s3Secret)".utf8)
        for part in scope.components(separatedBy: "/") + ["AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(digest)"] {
            key = Digests.hmacSHA256(key: key, Array(part.utf8))
        }
        #expect(parts[1] == Digests.hex(key), "\(canonical)", sourceLocation: sourceLocation)
    }
}

@Suite("Iceberg's remote signing over HTTP")
struct S3IcebergTests {
    private static let path = "/v1/aws/s3/sign"

    private func ask(_ asked: IcebergAsk, at path: String = path) throws -> Answer {
        try Service.shared(.s3Requests).post(path, json: asked.json)
    }

    private func expectRefusal(
        _ asked: IcebergAsk, _ clause: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try ask(asked)
        answer.expectProblem(403, "not_in_grant", sourceLocation: sourceLocation)
        #expect(answer.json["clause"] == .string(clause), "\(answer.text)", sourceLocation: sourceLocation)
        #expect(!answer.text.contains("AWS4"), sourceLocation: sourceLocation)
        let error = answer.json["error"]
        #expect(error?["code"] == 403 && error?["type"] == "not_in_grant" && error?["message"] == answer.json["detail"])
    }

    @Test func `a request is signed at every path that Iceberg has for it, as the client then sends it`() throws {
        let get = IcebergAsk(headers: ["Range": ["bytes=4-1024"], "amz-sdk-retry": ["0/0/500"]])
        for path in [
            Self.path, "/v1/main/namespaces/db%1Fschema/tables/t/sign", "/v1/namespaces/db/tables/t%20t/sign",
        ] {
            let answer = try ask(get, at: path)
            try get.expectSigned(answer)
            // Others are not told, since clients add what they are told to what they have.
            #expect(answer.json["headers"]?.names.sorted() == ["Authorization", "x-amz-content-sha256", "x-amz-date"])
            #expect(answer["cache-control"]?.contains("no-store") == true)
            #expect(answer.json["expiresAt"] != nil && answer.json["grant"] == "tables")
        }
        let hash = String(repeating: "0a", count: 32)
        for asked in [
            get.with { $0.method = "HEAD" }, IcebergAsk(method: "DELETE"),
            IcebergAsk(
                method: "PUT",
                headers: [
                    "Content-Type": ["a/b"], "Content-Length": ["17"], "x-amz-content-sha256": ["UNSIGNED-PAYLOAD"],
                ]),
            IcebergAsk(method: "PUT", headers: ["x-amz-content-sha256": [hash]]),
            IcebergAsk(
                method: "PUT",
                headers: ["x-amz-checksum-crc32": ["AAAAAA=="], "x-amz-sdk-checksum-algorithm": ["CRC32"]]),
            get.with { $0.uri = "https://demo-bucket.\(Setup.s3Endpoint)/wh/t/a%20b%2Bc/~x=1/%E4%B8%AD" },
            IcebergAsk(method: "POST").with { $0.uri += "?uploads" },
            IcebergAsk(method: "POST").with { $0.uri += "?uploads=" },
            IcebergAsk(method: "PUT").with { $0.uri += "?uploadId=2~id%2B%2F%3D1&partNumber=7" },
            IcebergAsk(method: "POST").with { $0.uri += "?uploadId=u" },
            IcebergAsk(method: "DELETE").with { $0.uri += "?uploadId=u" },
        ] { try asked.expectSigned(ask(asked)) }
        let path = get.with {
            ($0.uri, $0.region, $0.more) =
                (
                    "https://storage.example.com:9000/my.dotted.bucket/dots/a", "auto",
                    #""style": "path", "properties": {"k": "v"}"#
                )
        }
        try path.expectSigned(ask(path))
        let inQuery = path.with { $0.more = #""provider": "s3""# }
        try inQuery.expectSigned(ask(inQuery, at: Self.path + "?style=path"))
        let new = IcebergAsk(method: "PUT", headers: ["content-type": ["image/png"], "content-length": ["1024"]])
            .with { $0.uri = $0.uri.replacing("/wh/t/", with: "/new/") }
        let answer = try ask(new)
        try new.expectSigned(answer, token: "a/token+of==")
        #expect(answer.json["headers"]?["if-none-match"]?.list?.first == "*")
    }

    @Test func `of a deletion, every key is read, and the body is signed`() throws {
        for asked in [
            IcebergAsk.delete("wh/t/a"), .delete("wh/t/a", "wh/t/a"),
            .delete("wh/t/data/a", "wh/t/meta/b", "wh/t/c &amp; d"),
            .delete("wh/t/&#x4e2d;", "wh/t/\u{4E2D}"), .delete("wh/t/ a "),
            IcebergAsk.delete("wh/t/a").with {
                $0.body = #"<?xml version="1.0" encoding="UTF-8"?>\#n"# + ($0.body ?? "")
            },
        ] {
            let answer = try ask(asked)
            try asked.expectSigned(answer)
            #expect(answer.json["uri"] == .string("https://demo-bucket.\(Setup.s3Endpoint)/?delete="))
        }
        let path = IcebergAsk.delete("dots/a", "dots/b").with {
            ($0.uri, $0.region, $0.more) =
                ("https://storage.example.com:9000/my.dotted.bucket?delete", "auto", #""style": "path""#)
        }
        try path.expectSigned(ask(path))
        let hashed = IcebergAsk.delete("wh/t/a").with {
            $0.headers["x-amz-content-sha256"] = [Digests.hex(Digests.sha256(Array(($0.body ?? "").utf8)))]
        }
        try hashed.expectSigned(ask(hashed))
        for keys in [
            ["out/a"], ["wh/t/a", "out/a"], ["wh/t/a", "wh/tt"], ["wh/t/a", "a"], ["wh/t"], ["wh/t/a", "wh/t"],
        ] {
            let objects = keys.map { "<Object><Key>\($0)</Key></Object>" }.joined()
            try expectRefusal(.delete().with { $0.body = IcebergAsk.document(objects) }, "keyPrefix")
        }
    }

    @Test(
        "a deletion that could be read in two ways is not signed",
        arguments: [
            "", "<Delete/>", "{}", "<Delete><Object></Object></Delete>",
            "<Delete><Object><Key></Key></Object></Delete>",
            "<Delete><Object><Key>wh/t/a</Key><VersionId>1</VersionId></Object></Delete>",
            "<Delete><Object><Key>wh/t/a</Key><Key>out/a</Key></Object></Delete>",
            "<Delete><Object><Key>wh/t/a</Key></Object><x:Object><Key>out/a</Key></x:Object></Delete>",
            "<Delete><Object><x:Key>out/a</x:Key></Object></Delete>",
            "<Delete><Object><Key>wh/t/a<!-- --></Key></Object></Delete>",
            "<Delete><Object><Key><![CDATA[out/a]]></Key></Object></Delete>",
            "<!DOCTYPE Delete [<!ENTITY e 'out/a'>]><Delete><Object><Key>&e;</Key></Object></Delete>",
            "<Delete><Object><Key>wh/t/a</Key></Object></Delete><Delete><Object><Key>out/a</Key></Object></Delete>",
            "<?xml version='1.0' encoding='UTF-7'?><Delete><Object><Key>wh/t/a</Key></Object></Delete>",
            "<?xml version='1.0' encoding='utf-8' encoding='utf-7'?><Delete><Object><Key>wh/t/a</Key></Object></Delete>",
            "<?xml version='1*0' enc><Key>out/a</Key>'?><Delete><Object><Key>wh/t/a</Key></Object></Delete>",
            "<?xml version='1.1'?><Delete><Object><Key>wh/t/a</Key></Object></Delete>",
            "<?xml encoding='utf-8' version='1.0'?><Delete><Object><Key>wh/t/a</Key></Object></Delete>",
            " <?xml version='1.0'?><Delete><Object><Key>wh/t/a</Key></Object></Delete>",
            "<?xml version='1.0'?><?x y?><Delete><Object><Key>wh/t/a</Key></Object></Delete>",
            "<Delete><Object><Key>wh/t/../../out/a</Key></Object></Delete>",
            "<Delete><Object><Key>wh/t/./a</Key></Object></Delete>",
            "<Delete><Object><Key>/wh/t/a</Key></Object></Delete>",
            "<Delete><Object><Key>wh/t/a&#10;out/a</Key></Object></Delete>",
            "<delete><Object><Key>wh/t/a</Key></Object></delete>",
            "<Delete><Objects><Object><Key>wh/t/a</Key></Object></Objects></Delete>",
            "<Delete><Object><Key>wh/t/a</Key></Object><Bucket>other</Bucket></Delete>",
        ])
    func bodies(_ body: String) throws {
        let answer = try ask(.delete().with { $0.body = body })
        answer.expectProblem(400, "invalid_parameter", "body")
        #expect(!answer.text.contains("AWS4") && !answer.text.contains("out/a"))
    }

    @Test func `a deletion's body cannot be left out or exchanged, and belongs to no other request`() throws {
        try ask(.delete("wh/t/a").with { $0.body = nil }).expectProblem(400, "missing_parameter", "body")
        for hash in ["UNSIGNED-PAYLOAD", String(repeating: "0a", count: 32)] {
            try ask(IcebergAsk.delete("wh/t/a").with { $0.headers["X-Amz-Content-Sha256"] = [hash] })
                .expectProblem(400, "invalid_parameter", "headers")
        }
        let body = IcebergAsk.document("<Object><Key>wh/t/a</Key></Object>")
        for uri in ["/wh/t/a?delete", "/wh/t/a", "/?deletes", "/"] {
            try ask(IcebergAsk(method: "POST", uri: "https://demo-bucket.\(Setup.s3Endpoint)\(uri)", body: body))
                .expectProblem(400, "invalid_parameter", "body")
        }
        try expectRefusal(IcebergAsk(method: "POST").with { $0.uri += "?delete" }, "subresources")
        try expectRefusal(IcebergAsk.delete("wh/t/a").with { $0.uri += "&uploads" }, "subresources")
        try expectRefusal(IcebergAsk.delete("new/a"), "methods")
    }

    @Test func `nothing outside the grant is signed`() throws {
        let get = IcebergAsk()
        func at(_ uri: String) -> IcebergAsk { get.with { $0.uri = uri } }
        let origin = "https://demo-bucket.\(Setup.s3Endpoint)"
        for (asked, clause) in [
            (at("\(origin)/out/a"), "keyPrefix"), (at("\(origin)/wh/t"), "keyPrefix"), (at("\(origin)/wh/t%2Fa"), ""),
            (at("\(origin)/"), "keyPrefix"), (at(origin), "keyPrefix"),
            (at("\(origin)/?list-type=2&prefix=wh/t/"), "keyPrefix"),
            (at("\(origin)/wh/t/%2E%2E/a"), "key"), (at("\(origin)/wh/t/../a"), "key"),
            (at("\(origin)/wh/t/a%00"), "key"),
            (at("https://other-bucket.\(Setup.s3Endpoint)/wh/t/a"), "bucket"),
            (at("http://demo-bucket.\(Setup.s3Endpoint)/wh/t/a"), "uri"), (at("\(origin):443/wh/t/a"), "uri"),
            (at("https://demo-bucket.evil.example.com/wh/t/a"), "uri"),
            (at("\(origin).evil.example.com/wh/t/a"), "uri"),
            (at("https://demo-bucket.x@\(Setup.s3Endpoint)/wh/t/a"), "uri"),
            (at("https://demo%2Dbucket.\(Setup.s3Endpoint)/wh/t/a"), "bucket"),
            (at("\(origin)/wh/t/a?acl"), "subresources"), (at("\(origin)/wh/t/a?uploadId="), "subresources"),
            (at("\(origin)/wh/t/a?="), "subresources"), (at("\(origin)/wh/t/a?=&versionId=1"), "subresources"),
            (at("\(origin)/wh/t/a?versionId=1&="), "subresources"), (at("\(origin)/wh/t/a?=1"), "subresources"),
            (at("\(origin)/wh/t/a?uploadId"), "subresources"), (at("\(origin)/wh/t/a?X-Amz-Expires=1"), "subresources"),
            (get.with { $0.region = "us-east-1" }, "region"), (get.with { $0.method = "PATCH" }, "methods"),
            (get.with { $0.more = #""style": "path""# }, "bucket"),
            (IcebergAsk(method: "PUT").with { $0.uri += "?partNumber=0&uploadId=u" }, "subresources"),
            (IcebergAsk(method: "PUT", headers: ["x-amz-acl": ["public-read"]]), "headers"),
            (IcebergAsk(method: "PUT", headers: ["X-AMZ-Copy-Source": ["/demo-bucket/out/a"]]), "headers"),
            (IcebergAsk(method: "PUT", headers: ["x-amz-tagging": ["a=b"]]), "headers"),
            (IcebergAsk(method: "PUT", uri: "\(origin)/new/a", headers: ["content-type": ["image/png"]]), "maxSize"),
            (IcebergAsk(method: "PUT", uri: "\(origin)/new/a", headers: ["content-length": ["7"]]), "contentTypes"),
            (
                IcebergAsk(
                    method: "PUT", uri: "\(origin)/new/a",
                    headers: ["content-type": ["image/png"], "content-length": ["7"], "if-none-match": ["x"]]),
                "overwrite"
            ),
        ] {
            if clause.isEmpty { try asked.expectSigned(ask(asked)) } else { try expectRefusal(asked, clause) }
        }
    }

    @Test func `bad input is told which field, why and what would be right, as Iceberg reads it`() throws {
        let get = IcebergAsk()
        for (asked, field) in [
            (get.with { $0.uri = "demo-bucket/wh/t/a" }, "uri"), (get.with { $0.uri += "#a" }, "uri"),
            (get.with { $0.uri += "%zz" }, "uri"), (get.with { $0.uri += " " }, "uri"),
            (get.with { $0.uri += "\u{E4}" }, "uri"),
            (get.with { $0.uri += "?a=%" }, "uri"), (get.with { $0.method = "get" }, "method"),
            (get.with { $0.method = "GET\n" }, "method"),
            (get.with { $0.method = "GET\nx-amz-acl:public-read\n" }, "method"),
            (get.with { $0.headers["a\nb"] = ["1"] }, "headers"), (get.with { $0.headers["a:b"] = ["1"] }, "headers"),
            (get.with { $0.headers[""] = ["1"] }, "headers"), (get.with { $0.headers["a"] = ["b\n"] }, "headers"),
            (get.with { ask in for name in 0...64 { ask.headers["a\(name)"] = ["1"] } }, "headers"),
            (get.with { $0.more = #""provider": "gcs""# }, "provider"),
            (get.with { $0.more = #""style": "dns""# }, "style"),
            (get.with { $0.headers["a"] = ["b\r\nc: d"] }, "headers"), (get.with { $0.headers["a"] = [] }, "headers"),
            (get.with { $0.headers["X-Amz-Meta-A"] = [""] }, "headers"),
            (get.with { $0.headers["x-amz-content-sha256"] = ["STREAMING-UNSIGNED-PAYLOAD-TRAILER"] }, "headers"),
            (get.with { ($0.headers["X-a"], $0.headers["x-A"]) = (["1"], ["2"]) }, "headers"),
            (get.with { $0.headers["content-length"] = ["x"] }, "headers"),
        ] {
            let answer = try ask(asked)
            answer.expectProblem(400, "invalid_parameter", field)
            #expect(answer.json["error"]?["code"] == 400 && answer.json["parameter"] == .string(field))
        }
        let service = try Service.shared(.s3Requests)
        for headers in ["1", "[]", #"{"a": "b"}"#, #"{"a": [1]}"#, "null"] {
            try service.post(Self.path, json: #"{"uri": "\#(get.uri)", "headers": \#(headers)}"#)
                .expectProblem(400, "invalid_parameter", "headers")
        }
        try service.post(Self.path, json: "{}").expectProblem(400, "missing_parameter", "uri")
        try service.get("/v1/namespaces/a/tables/b/sign").expectProblem(405, "method_not_allowed")
        try service.post("/v1/a/b/namespaces/a/tables/b/sign", json: get.json).expectProblem(404, "not_found")
    }
}
