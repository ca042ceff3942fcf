import Foundation
import Testing

@testable import TestService

@Suite("Sessions of a role over HTTP, the sandbox being the vendor: R5, R17")
struct DistributeTokenTests {
    /// The six members that SDKs read, of the types they read them as, and what the session is for.
    private func expectSession(
        _ answer: Answer, seconds: Int64, limitedBy limit: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        answer.expectSuccess(sourceLocation: sourceLocation)
        let json = answer.json
        #expect(
            json.names
                == ["StatusCode", "Code", "AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration", "Scope"],
            sourceLocation: sourceLocation)
        #expect(json["StatusCode"] == 200 && json["Code"] == "Success", sourceLocation: sourceLocation)
        #expect(json["AccessKeyId"]?.string?.hasPrefix("STS.") == true, sourceLocation: sourceLocation)
        #expect(json["AccessKeySecret"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
        #expect(json["SecurityToken"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
        let end = moment(seconds - 30...seconds, writtenAs: json["Expiration"]?.string, by: iso8601)
        #expect(end != nil, "\(answer.text)", sourceLocation: sourceLocation)
        #expect(answer["Countersign-Limited-By"] == limit, sourceLocation: sourceLocation)
    }

    @Test func `as in the vendor's own page: a bare GET, and the JSON that SDKs read`() throws {
        try Service.run(.sandbox) { service in
            let answer = try service.get("/distribute-token.json")
            expectSession(answer, seconds: 3600, limitedBy: "grant")
            #expect(answer.text.hasPrefix(#"{"StatusCode":200,"Code":"Success","AccessKeyId":"#))
            // The same credential again, over every way to ask.
            for again in [
                try service.get("/distribute-token.json?grant=app"), try service.get("/sts/getsts?_=17"),
                try service.post("/distribute-token.json", json: "{}"),
                try service.post("/sts/getsts", "application/x-www-form-urlencoded", "grant=app"),
            ] {
                #expect(again.json["AccessKeyId"] == answer.json["AccessKeyId"])
            }
        }
    }

    @Test func `R5: expires is from 900 seconds to the grant's most, and says who limited it`() throws {
        let service = try Service(.sandbox)
        expectSession(
            try service.get("/distribute-token.json?expires=7200"), seconds: 7200, limitedBy: "requested")
        expectSession(
            try service.get("/distribute-token.json?expires=900"), seconds: 900, limitedBy: "requested")
        for wrong in ["899", "0", "-1", "7201", "9223372036854775808", "1e3", "3600.0", ""] {
            let answer = try service.get("/distribute-token.json?expires=\(wrong)")
            answer.expectProblem(400, "invalid_parameter", "expires", forSDK: true)
        }
        // What was fetched earlier ends earlier than what is asked for now: the credential is the limit.
        let first = try service.get("/distribute-token.json?expires=1800").json["Expiration"]
        var last = try service.get("/distribute-token.json?expires=1800")
        for _ in 0..<3 where last["Countersign-Limited-By"] != "credential" {
            service.pass(milliseconds: 1000)
            last = try service.get("/distribute-token.json?expires=1800")
        }
        #expect(last["Countersign-Limited-By"] == "credential")
        #expect(last.json["Expiration"] == first)
    }

    @Test func `R17: a caller whose own key ends before the session is told so, unless the grant lets it outlive`()
        throws
    {
        let service = try Service.shared(.sandbox)
        let short = try service.get("/distribute-token.json?grant=everybody&expires=1800", APIKey.ending.bearer)
        short.expectProblem(403, "credential_too_short", "outliveCaller: true", forSDK: true)
        #expect(short.json["detail"]?.string?.contains("expires") == true)
        expectSession(
            try service.get("/distribute-token.json?grant=outlive", APIKey.ending.bearer), seconds: 3600,
            limitedBy: "grant")
    }

    @Test func `R17: callers never share a credential unless the grant says so`() throws {
        let service = try Service.shared(.sandbox)
        func key(_ grant: String, _ caller: APIKey) throws -> String? {
            try service.get("/distribute-token.json?grant=\(grant)", caller.bearer).json["AccessKeyId"]?.string
        }
        let alice = try #require(try key("everybody", .alice))
        let bob = try #require(try key("everybody", .bob))
        #expect(alice != bob)
        let same = try key("everybody", .alice)
        #expect(same == alice)
        let (one, other) = (try key("shared", .alice), try key("shared", .bob))
        #expect(one != nil && one == other)
        let own = try key("own", .alice)
        #expect(own != nil && own != alice)
    }

    @Test func `HEAD decides and issues nothing; other faults are told in the SDK's words`() throws {
        let service = try Service.shared(.sandbox)
        let head = try service.ask("HEAD", "/distribute-token.json")
        #expect(head.status == 200 && head.body.isEmpty)
        try service.get("/distribute-token.json", "Authorization: Bearer wrong")
            .expectProblem(401, "unauthenticated", forSDK: true)
        try service.get("/distribute-token.json?grant=own").expectProblem(403, "not_in_grant", forSDK: true)
        try service.get("/distribute-token.json?bucket=b").expectProblem(400, "unknown_parameter", forSDK: true)
        try service.ask("DELETE", "/sts/getsts").expectProblem(405, "method_not_allowed", forSDK: true)
        try service.get("/distribute-token.jso").expectProblem(404, "not_found")
    }

    @Test func `the type of every error begins with server.errorReference`() throws {
        var setup = Setup.sandbox
        setup.server += " errorReference: 'https://docs.example.com/errors#',"
        try Service.run(setup) { service in
            for path in ["/nowhere", "/distribute-token.json?expires=1", "/distribute-token.json?bucket=b"] {
                let problem = try service.get(path).json
                let code = try #require(problem["code"]?.string)
                #expect(problem["type"] == .string("https://docs.example.com/errors#\(code)"))
            }
        }
    }

    @Test func `with statusInBody errors travel with HTTP 200`() throws {
        var setup = Setup.sandbox
        setup.server += " statusInBody: true,"
        try Service.run(setup) { service in
            let answer = try service.get("/distribute-token.json?expires=1")
            #expect(answer.status == 200)
            #expect(answer["Content-Type"] == "application/json; charset=utf-8")
            #expect(answer.json["StatusCode"] == 400 && answer.json["status"] == 400)
            #expect(answer.json["ErrorCode"] == "invalid_parameter")
            #expect(answer.json["ErrorMessage"]?.string?.contains("expires") == true)
            let denied = try service.get("/distribute-token.json", "X-API-Key: wrong")
            #expect(denied.status == 200 && denied.json["StatusCode"] == 401)
            #expect(denied.has("WWW-Authenticate"))
            // Other paths are as they were.
            let other = try service.get("/nowhere")
            #expect(other.status == 404)
            expectSession(try service.get("/distribute-token.json"), seconds: 3600, limitedBy: "grant")
        }
    }
}
