import Bytes
import Inspection
import Foundation
import Providers
import TestTraits
import Testing

@testable import Access
@testable import Configuration
@testable import CommandLine
@testable import Gateway
@testable import TestSamples

/// Why somebody would get something, and what it would be.
@Suite(.timeLimit(.minutes(20)))
struct ExplainerTests {
    private func explain(_ inquiry: Inquiry) throws -> Explainer.Answer {
        Explainer(configuration: try InquiryFixture.configuration()).explain(inquiry)
    }

    private static let claims = #"{"scope":"upload"}"#

    /// Who asks what, and facts of what would be signed.
    private static let drafts: [(caller: String, route: String, [(String, String)], facts: [String])] = [
        (
            "jwt:login/anne", "qiniu.uptoken", [("ext", "png"), ("fsizeLimit", "9")],
            ["key=avatars/anne/me.png", "policy.fsizeLimit=9", "replaces objects=no"]
        ),
        ("anonymous", "nos.token", [("object", "in/a")], ["bucket=files", "key=in/a"]),
        ("apiKey:app", "qiniu.download-url", [("key", "photos/a.jpg")], ["host=d.example.com", "key=photos/a.jpg"]),
        ("apiKey:app", "qiniu.cdn-url", [("key", "photos/a.jpg")], ["host=d.example.com", "key=photos/a.jpg"]),
        ("apiKey:app", "qiniu.authorization", [("operation", "stat"), ("key", "photos/a")], ["method=GET"]),
        ("apiKey:app", "qiniu.files", [], []), ("apiKey:app", "nos.files", [("prefix", "in/a/")], []),
        ("apiKey:app", "nos.authorization", [("key", "in/a"), ("method", "PUT")], ["method=PUT", "key=in/a"]),
        ("apiKey:app", "oss.presigned-url", [("key", "in/a"), ("method", "PUT")], ["method=PUT", "key=in/a"]),
        ("apiKey:app", "oss.post-policy", [("key", "in/a")], ["key=in/a", "size=0 to 1048576 bytes"]),
        ("apiKey:app", "oss.rtmp-url", [], ["bucket=bucket-one", "channel=stage"]),
        (
            "jwt:login/anne", "distribute-token", [],
            [
                #"session policy={"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:PutObject"],"Resource":["acs:oss:*:*:bucket-one/u/anne/*"]}]}"#
            ]
        ),
    ]

    @Test(arguments: drafts.indices)
    func `it says what would be signed, and shows neither a token nor a secret`(_ index: Int) throws {
        let (caller, route, parameters, facts) = Self.drafts[index]
        let claims = caller.hasPrefix("jwt") ? Self.claims : "{}"
        let answer = try explain(try InquiryFixture.inquiry(caller, route, parameters, claims: claims))
        #expect(answer.refusal == nil && answer.permitted != nil, "\(String(describing: answer.refusal))")
        let told = answer.signed.map { "\($0.name)=\($0.value.text)" }
        for fact in facts { #expect(told.contains(fact), "\(told)") }
        #expect(facts.isEmpty == told.isEmpty)
        let report = ExplanationReport(answer)
        for text in [report.text(inColour: true), report.text(inColour: false), report.json] {
            for secret in InquiryFixture.secrets { #expect(!text.contains(secret)) }
            for word in ["sign=", "token=", "Signature=", "UPLOAD ", "\"signature\"", "&e=", "AK-kodo:"] {
                #expect(!text.contains(word), "\(word): \(text)")
            }
        }
        #expect(report.text(inColour: false).hasPrefix("\(route) for \(caller): allowed\n"))
        #expect(!report.text(inColour: false).contains("\u{1B}"))
        // A list of the vendor's does not end.
        #expect(report.text(inColour: false).contains("  ends ") == !route.hasSuffix(".files"))
        #expect(report.text(inColour: true).contains("\u{1B}[1;32mallowed\u{1B}[0m"))
    }

    @Test(arguments: ["nos.authorization", "oss.presigned-url"])
    func `a field of the route's own is told with the values that were compared`(_ route: String) throws {
        let answer = try explain(
            try InquiryFixture.inquiry("apiKey:app", route, [("key", "in/a"), ("method", "DELETE")]))
        #expect(answer.permitted == nil)
        let findings = answer.explanation?.grants.flatMap(\.findings) ?? []
        let fault = try #require(findings.first { $0.subject == "methods" })
        #expect(fault.outcome == .fails && fault.asked?.text == "DELETE")
        #expect(fault.granted?.text.contains("PUT") == true && fault.granted?.text.contains("DELETE") == false)
    }

    @Test func `JSON says the same, and is proper`() throws {
        let answer = try explain(
            try InquiryFixture.inquiry("jwt:login/anne", "qiniu.uptoken", [("ext", "png")], claims: Self.claims))
        let json = ExplanationReport(answer).json
        let read = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(read["verdict"] as? String == "allow" && read["caller"] as? String == "jwt:login/anne")
        #expect(read["at"] as? String == "2026-11-20T07:15:47Z" && read["refusal"] is NSNull)
        let permitted = try #require(read["permitted"] as? [String: Any])
        #expect(permitted["grant"] as? String == "avatars" && permitted["expiresIn"] as? Int == 600)
        #expect(permitted["key"] as? String == "avatars/anne/me.png" && permitted["limitedBy"] as? String == "grant")
        let grants = try #require(read["grants"] as? [[String: Any]])
        #expect(grants.map { $0["name"] as? String } == ["avatars", "photos", "twins"])
        #expect(grants.map { $0["fits"] as? Bool } == [true, false, false])
        let clauses = try #require(grants[1]["clauses"] as? [[String: Any]])
        #expect(clauses.map { $0["outcome"] as? String } == ["holds", "holds", "fails", "open", "holds"])
        #expect(clauses[2]["granted"] as? String == "photos/*" && clauses[2]["asked"] as? String == "*.png")
        #expect((read["enforcement"] as? [Any])?.isEmpty == false && (read["signed"] as? [Any])?.isEmpty == false)
    }

    @Test func `what is asked reaches no terminal as it is`() throws {
        let answer = try explain(
            try InquiryFixture.inquiry("jwt:login/\\u009b\\u202e", "qiniu.uptoken", [("key", "photos/\u{202E}\u{9B}x")])
        )
        for text in [ExplanationReport(answer).text(inColour: false), ExplanationReport(answer).json] {
            #expect(!text.unicodeScalars.contains { $0.value == 0x9B || $0.value == 0x202E }, "\(text)")
        }
        #expect(ExplanationReport(answer).text(inColour: false).contains(#"photos/\u{202e}\u{9b}x"#))
    }

    @Test func `where a prefix does as well as a key, both are asked for`() throws {
        let answer = try explain(try InquiryFixture.inquiry("apiKey:app", "oss.post-policy", []))
        #expect(ExplanationReport(answer).text(inColour: false).contains("key or keyPrefix is needed"))
    }

    @Test func `R18: what only this grant leaves open is told of it`() throws {
        let answer = try explain(try InquiryFixture.inquiry("apiKey:app", "oss.post-policy", [("key", "in/a")]))
        let gap = try #require(answer.enforcement.last)
        #expect(gap.keeper == .nobody && gap.subject == "callback")
        let report = ExplanationReport(answer)
        for text in [report.text(inColour: false), report.json] {
            #expect(text.contains("a client may have OSS call an address of its choice"))
            #expect(text.contains("left to the form"))
        }
        #expect(answer.signed.contains { $0.name == "x-oss-object-acl" && $0.value.text == "default" })
        #expect(
            answer.signed.contains { $0.name == "left to the form" && $0.value.text.contains("x-oss-content-type") })
        let type = try #require(answer.enforcement.first { $0.subject == "type" })
        #expect(type.keeper == .vendor && type.means.contains("a condition on x-oss-content-type"))
        let others = try #require(answer.enforcement.first { $0.subject == "other fields" })
        #expect(others.keeper == .nobody && others.means.contains("storage class") && others.means.contains("x:"))
    }

    @Test func `R18: every route says who enforces a grant, and never nobody alone`() {
        for route in Registry.routes.map(\.description) {
            #expect(route.grant.enforcement.contains { $0.keeper != .nobody }, "\(route.name)")
            for enforcement in route.grant.enforcement {
                #expect(!enforcement.subject.isEmpty && !enforcement.means.isEmpty, "\(route.name)")
            }
        }
        for name in ["oss.presigned-url", "oss.authorization", "s3.presigned-url", "s3.authorization"] {
            let held = Registry.routes.first { $0.description.name == name }?.description.grant.enforcement
            let size = held?.first { $0.keeper == .vendor && $0.subject.contains("size") }
            #expect(size?.means.contains("Content-Length is signed, where the grant has maxSize") == true, "\(name)")
        }
        let plainURLs = ["oss.presigned-url", "s3.presigned-url", "nos.presigned-url", "oss.sign", "distribute-token"]
        for name in plainURLs {
            let route = Registry.routes.first { $0.description.name == name }?.description
            let isTold = route?.grant.enforcement.contains { $0.keeper == .nobody && $0.subject.contains("size") }
            #expect(isTold == true, "\(name)")
        }
    }

    // MARK: The same as the route

    @Test func `for random asks the verdict is the pipeline's answer`() throws {
        let configuration = try InquiryFixture.configuration()
        var random = SplitMix64(seed: 16)
        func pick<Element>(_ list: [Element]) -> Element { list[Int.random(in: list.indices, using: &random)] }
        var codes: Set<String> = []
        for _ in 0..<Rounds.share(of: 600) {
            let (route, fitting) = pick([
                ("qiniu.uptoken", "photos/a"), ("qiniu.uptoken", "a.png"), ("nos.token", "in/a"),
                ("oss.presigned-url", "in/a"), ("oss.post-policy", "in/a"), ("qiniu.cdn-url", "photos/a.jpg"),
            ])
            let caller = pick(["anonymous", "apiKey:app", "apiKey:app", "jwt:login/anne", "jwt:login/mallory"])
            let claims = pick(["{}", #"{"scope":"upload"}"#, #"{"scope":"upload","exp":4000000000}"#])
            let keys = [fitting, fitting, fitting, "photos/twins/a", "x/../y", "in/", "", "a"]
            var parameters = [("key", pick(keys))]
            func sometimes(_ name: String, _ values: String...) {
                if Int.random(in: 0..<6, using: &random) == 0 { parameters.append((name, pick(values))) }
            }
            sometimes("expires", "60", "60", "3600", "3601", "0", "x")
            sometimes("bucket", "media", "files", "b")
            sometimes("kez", "a")
            sometimes("method", "PUT", "DELETE")
            let grant = pick([nil, nil, nil, nil, "photos", "open", "none"])
            let inquiry = try InquiryFixture.inquiry(
                caller, route, parameters, claims: caller.hasPrefix("jwt") ? claims : "{}", grant: grant,
                at: Int64(Date.now.timeIntervalSince1970))
            let explained = Explainer(configuration: configuration).explain(inquiry)
            let answer = try send(inquiry, to: configuration)
            let told = "\(caller) \(claims) \(route) \(parameters) \(grant ?? "")"
            if let permitted = explained.permitted, explained.refusal == nil {
                #expect(answer["grant"] as? String == permitted.grant.name.text, "\(told): \(answer)")
                #expect(answer["key"] as? String == permitted.key.text || permitted.extent == .prefix, "\(told)")
                #expect(answer["expiresIn"] as? Int == Int(permitted.lifetime), "\(told): \(answer)")
                #expect(answer["limitedBy"] as? String == permitted.limitedBy.name.description, "\(told): \(answer)")
                codes.insert("allow")
            } else {
                let refusal = try #require(explained.refusal, "\(told)")
                #expect(answer["code"] as? String == refusal.code.text.description, "\(told): \(answer)")
                #expect(answer["detail"] as? String == refusal.detail, "\(told): \(answer)")
                codes.insert(refusal.code.text.description)
            }
        }
        #expect(codes.isSuperset(of: ["allow", "not_in_grant", "unknown_parameter", "invalid_parameter"]), "\(codes)")
    }

    private func send(_ inquiry: Inquiry, to configuration: Configuration) throws -> [String: Any] {
        let caller = try configuration.caller(inquiry.caller, claiming: inquiry.claims, at: inquiry.time)
        guard case .list(var parameters) = inquiry.parameters else { return [:] }
        if let grant = inquiry.grant { parameters.insert((Array("grant".utf8), grant), at: 0) }
        let request = SingleRequest(
            parameters, of: "t.example.com", from: caller, on: .issue(route: inquiry.route))
        let answer = try request.send(to: configuration)
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    // MARK: The body of POST /explain

    @Test func `a body is explained as the command is`() throws {
        let explainer = Explainer(configuration: try InquiryFixture.configuration())
        let body = #"""
            {"caller":"jwt:login/anne","claims":{"scope":"upload"},"route":"qiniu.uptoken","grant":"avatars",
             "parameters":{"ext":"png","fsizeLimit":7},"at":"2026-11-20T07:15:47Z"}
            """#
        let text = try explainer.explain(Array(body.utf8).span, at: 0).text
        #expect(text.hasPrefix(#"{"verdict":"allow","caller":"jwt:login/anne","#) && text.contains("policy.fsizeLimit"))
    }

    @Test(arguments: [
        ("", "not proper JSON"), ("[]", "must be a JSON object"), (#"{"caller":"anonymous"}"#, "route must be"),
        (#"{"caller":"x","route":"nos.token"}"#, "caller must be"),
        (#"{"caller":"anonymous","route":"qiniu.callback"}"#, "route must be"),
        (#"{"caller":"anonymous","route":"nos.token","claims":[]}"#, "claims must be an object"),
        (#"{"caller":"anonymous","route":"nos.token","parameters":7}"#, "parameters must be an object"),
        (#"{"caller":"anonymous","route":"nos.token","grant":7}"#, "grant must be a string"),
        (#"{"caller":"anonymous","route":"nos.token","at":"now"}"#, "at must be a time"),
        (#"{"caller":"anonymous","route":"nos.token","secret":"x"}"#, "not known"),
        (#"{"caller":"anonymous","caller":"anonymous","route":"nos.token"}"#, "not proper JSON"),
    ])
    func `a body that asks nothing is refused`(_ body: String, _ reason: String) throws {
        let explainer = Explainer(configuration: try InquiryFixture.configuration())
        let bytes = Array(body.utf8)
        do throws(Refusal) {
            _ = try explainer.explain(bytes.span, at: 0)
            Issue.record("it is explained")
        } catch {
            #expect(error.status == 400 && error.detail.contains(reason), "\(error)")
        }
    }
}
