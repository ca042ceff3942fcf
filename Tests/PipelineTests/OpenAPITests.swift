import Foundation
import Testing

@testable import TestService

@Suite("OpenAPI, and what is compressed", .timeLimit(.minutes(20)))
struct OpenAPITests {
    private static let routes = EveryRoute.all(kodo: "http://localhost:1", nos: "http://localhost:1")

    @Test func `it tells of every route that has callers, with its parameters and its answer`() throws {
        let admin = try Service.shared(.open).admin
        let answer = try admin.get("/openapi.json")
        answer.expectSuccess()
        let document = answer.json
        #expect(document["openapi"] == "3.1.0")
        let paths = try #require(document["paths"])
        for route in OpenAPITests.routes where !route.isCallback {
            let path = route.path
            let item = try #require(paths[path], "\(path)")
            #expect(item.names == ["get", "post"])
            let names = item["get"]?["parameters"]?.list?.compactMap { $0["name"]?.string } ?? []
            for (name, _) in route.parameters?("alice") ?? [] { #expect(names.contains(name), "\(path) \(name)") }
            #expect(item["get"]?["responses"]?["200"] != nil && item["get"]?["responses"]?["403"] != nil)
        }
        #expect(paths["/livez"] != nil && paths["/grants"] != nil && paths["/tickets"]?["post"] != nil)
        #expect(paths["/metrics"] == nil)
    }

    @Test func `generated clients can tell a route's parameters apart, which they write without underscores`() throws {
        let paths = try #require(try Service.shared(.open).admin.get("/openapi.json").json["paths"])
        var count = 0
        for path in paths.names {
            let query = paths[path]?["get"]?["parameters"]?.list?.filter { $0["in"] == "query" } ?? []
            let body = paths[path]?["post"]?["requestBody"]?["content"]?["application/json"]?["schema"]?["properties"]
            for names in [query.compactMap { $0["name"]?.string }, Array(body?.names ?? [])] {
                let words = names.map { $0.filter { $0 != "_" }.lowercased() }
                #expect(Set(words).count == words.count, "\(path): \(names)")
                count += names.count
            }
        }
        #expect(count > 100)
    }

    @Test func `of what SDKs read it tells the members that are there, and no others`() throws {
        let document = try Service.shared(.open).admin.get("/openapi.json").json
        let answer = document["paths"]?["/distribute-token.json"]?["get"]?["responses"]?["200"]
        #expect(
            answer?["content"]?["application/json"]?["schema"]?["properties"]?.names
                == ["StatusCode", "Code", "AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration", "Scope"])
    }

    @Test func `it tells of vendors' callbacks, which have the vendor's signature for their only credential`() throws {
        let service = try Service.shared(.open)
        let document = try service.admin.get("/openapi.json").json
        let callbacks = OpenAPITests.routes.filter(\.isCallback)
        #expect(callbacks.count == 2)
        for route in callbacks {
            let item = try #require(document["paths"]?[route.path], "\(route.path)")
            #expect(item.names == ["post"] && item["post"]?["operationId"] == .string(route.name))
            #expect(item["post"]?["security"]?.list?.flatMap(\.names) == ["vendorSignature"])
            #expect(item["post"]?["responses"]?.names.contains("401") == true)
            #expect(try service.post(route.path, json: "{}").status == 401)
        }
        #expect(document["components"]?["securitySchemes"]?["vendorSignature"]?["name"] == "Authorization")
    }

    @Test func `it tells where and how to ask for an explanation, and what comes of it`() throws {
        let admin = try Service.shared(.open).admin
        let item = try #require(try admin.get("/openapi.json").json["paths"]?["/explain"])
        #expect(item["servers"]?.list?.compactMap { $0["url"]?.string } == ["http://127.0.0.1:8081"])
        let body = try #require(item["post"]?["requestBody"]?["content"]?["application/json"]?["schema"])
        #expect(body["required"]?.list == ["caller", "route"])
        let known: Set = ["caller", "claims", "route", "grant", "parameters", "at", "address"]
        #expect(body["properties"]?.names == known && body["additionalProperties"] == false)
        // What it names is taken, with values of the types that it tells.
        let values = [
            "caller": "\"apiKey:alice\"", "claims": "{}", "route": "\"qiniu.uptoken\"", "grant": "\"hers\"",
            "parameters": "{\"key\":\"hers/a\"}", "at": "\"2026-11-20T07:15:47Z\"",
            "address": "\"192.0.2.1\"",
        ]
        for (name, value) in values {
            let type = value.hasPrefix("{") ? "object" : "string"
            #expect(body["properties"]?[name]?["type"] == .string(type), "\(name)")
        }
        let answer = try admin.post(
            "/explain", json: "{" + values.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
        answer.expectSuccess()
        let told = item["post"]?["responses"]?["200"]?["content"]?["application/json"]?["schema"]?["properties"]
        #expect(told?.names == answer.json.names && answer.json["verdict"] == "allow")
        let refused = try admin.post("/explain", json: #"{"caller":"anonymous","route":"qiniu.uptoken"}"#)
        #expect(told?.names == refused.json.names && refused.json["verdict"] == "deny")
    }
}
