import Net
import Testing
import Upstream

@testable import Gateway

@Suite("Ways to vendors that are asked", .timeLimit(.minutes(20)))
struct FetchLinesTests {
    private func lines(_ limits: String = "", hosts: String..., after earlier: FetchLines? = nil) throws -> FetchLines {
        let list = hosts.map { "'\($0)'" }.joined(separator: ", ")
        let configuration = try Sample.load(
            """
            { version: 1,
              credentials: { q: { provider: "qiniu", accessKey: "AK", secretKey: "s", limits: { \(limits) } } },
              grants: {
                g: { route: "qiniu.files", credential: "q", callers: "anonymous", public: true, bucket: "media",
                  keyPrefix: "up/", hosts: { rsf: [\(list)] } },
                t: { route: "qiniu.uptoken", credential: "q", callers: "anonymous", public: true, bucket: "media",
                  keyPrefix: "up/" } } }
            """)
        return try FetchLines(configuration, trusting: TLSTrusts(), after: earlier)
    }

    @Test func `each of the hosts has its share of a request's patience`() throws {
        let one = try #require(try lines("patience: '9s'", hosts: "a.example").all.first).limits
        #expect(one.patience == 9_000 && one.callTimeout == 9_000 && one.attemptTimeout == 9_000)
        let three = try #require(try lines("patience: '9s'", hosts: "a.example", "b.example", "c.example").all.first)
        #expect(three.limits.callTimeout == 9_000 && three.limits.attemptTimeout == 3_000)
        let little = try #require(try lines("patience: '200ms'", hosts: "a.example", "b.example").all.first)
        #expect(little.limits.callTimeout == 200 && little.limits.attemptTimeout == 200)
        let often = try #require(try lines("callsPerSecond: 7, callBurst: 9", hosts: "a.example").all.first).limits
        #expect(often.callsPerSecond == 7 && often.callBurst == 9 && often.patience == 1_500)
    }

    @Test func `what is known of a way stays while its hosts and its limits do`() throws {
        let first = try lines(hosts: "a.example")
        let line = try #require(first.all.first)
        #expect(first.lines.count == 2 && first.all.count == 1)
        #expect(try lines(hosts: "a.example", after: first).all.first === line)
        #expect(try lines("patience: '1500ms'", hosts: "a.example", after: first).all.first === line)
        #expect(try lines("patience: '2s'", hosts: "a.example", after: first).all.first !== line)
        #expect(try lines(hosts: "b.example", after: first).all.first !== line)
    }
}
