import Bytes
import Configuration
import HTTP
import Net
import TestKeys
import Testing

@testable import Gateway
@testable import TestSamples

@Suite struct RunningDumpTests {
    private static let secret = "a-secret-of-the-tests"
    private static let search = SecretSearch([("the secret", Array(secret.utf8))])

    private static func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    /// The values of a service that serves, put together as `Serving` does; its loop never runs.
    /// - Returns: each with what its dump must tell of, so that it goes deep enough.
    private static func values(
        of configuration: Configuration, asking path: String
    ) throws -> [(value: Any, part: String)] {
        let snapshot = try Snapshot(configuration)
        var handler: LoopHandler?
        let server = try Server(Server.Settings(addresses: [], workers: 1), resolver: Resolver()) { loop in
            let made = try LoopHandler(
                snapshot, ProcessResources(RateLimiter(identities: configuration.rates.identities), Metrics()), loop)
            handler = made
            return made
        }
        let made = try #require(handler)
        let bytes = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        let head = try #require(try RequestParser(limits: Limits()).parse(bytes.span))
        let none: [UInt8] = []
        var response = Response()
        _ = made.respond(
            to: Request(head, in: bytes.span, body: none.span), as: PendingResponse(connection: 0, number: 0),
            at: SystemClock.now(), into: &response)
        let status = response.status
        #expect(status == 200, "\(path)")
        return [(snapshot, "<key AK"), (made, "LoopSnapshot"), (server, "EventLoop")]
    }

    @Test func `R7: the values of a service that has answered, dumped, show no secret`() throws {
        let configuration = try SampleConfiguration.configuration(
            grants: """
                u: { route: "qiniu.uptoken", credential: "q", callers: ["anonymous"], public: true, bucket: "media",
                  keyPrefix: "up/" }
                """)
        for (value, part) in try RunningDumpTests.values(of: configuration, asking: "/qiniu/uptoken?key=up/a") {
            let text = RunningDumpTests.dumped(value)
            #expect(text.contains(part), "\(type(of: value))")
            #expect(RunningDumpTests.search.find(inDump: text) == [])
        }
    }
}
