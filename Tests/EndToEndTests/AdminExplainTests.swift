import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("POST /explain at the admin listener", .waiting)
struct AdminExplainTests {
    @Test func `it says what the command says, of the configuration that is served`() throws {
        let service = try Service.shared(.open, .epoll)
        for (caller, key) in [
            ("apiKey:alice", "hers/a"), ("apiKey:bob", "hers/a"), ("anonymous", "photos/twin/a"),
            ("apiKey:nobody", "a"),
        ] {
            let at = #","at":"2026-11-20T07:15:47Z""#
            let answer = try service.admin.post(
                "/explain",
                json:
                    #"{"caller":"\#(caller)","route":"qiniu.uptoken","parameters":{"key":"\#(key)"}\#(at)}"#)
            answer.expectSuccess()
            let command = try Program.run(
                "explain", "--config", service.configuration, "--caller", caller, "--route", "qiniu.uptoken",
                "--parameter", "key=\(key)", "--at", "2026-11-20T07:15:47Z", "--format", "json",
                environment: Setup.environment)
            #expect(answer.text == command.out, "\(caller): \(answer.text)")
            #expect(!answer.text.contains(Setup.qiniuSecret))
        }
    }
}
