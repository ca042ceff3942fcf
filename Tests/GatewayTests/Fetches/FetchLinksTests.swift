import Net
import Testing
import Upstream

@testable import Gateway
@testable import TestSamples

@Suite("Ways to vendors that are asked", .timeLimit(.minutes(20)))
struct FetchLinksTests {
    private func links(_ limits: String = "", hosts: String..., after earlier: FetchLinks? = nil) throws -> FetchLinks {
        let list = hosts.map { "'\($0)'" }.joined(separator: ", ")
        let configuration = try SampleConfiguration.load(
            """
            { version: 1,
              credentials: { q: { provider: "qiniu", accessKey: "AK", secretKey: "s", limits: { \(limits) } } },
              grants: {
                g: { route: "qiniu.files", credential: "q", callers: "anonymous", public: true, bucket: "media",
                  keyPrefix: "up/", hosts: { rsf: [\(list)] } },
                t: { route: "qiniu.uptoken", credential: "q", callers: "anonymous", public: true, bucket: "media",
                  keyPrefix: "up/" } } }
            """)
        return try FetchLinks(configuration, trusting: TLSTrusts(), after: earlier)
    }

    @Test func `each of the hosts has its share of a request's patience`() throws {
        let one = try #require(try links("patience: '9s'", hosts: "a.example").all.first).limits
        #expect(one.patience == 9_000 && one.callTimeout == 9_000 && one.attemptTimeout == 9_000)
        let three = try #require(try links("patience: '9s'", hosts: "a.example", "b.example", "c.example").all.first)
        #expect(three.limits.callTimeout == 9_000 && three.limits.attemptTimeout == 3_000)
        let little = try #require(try links("patience: '200ms'", hosts: "a.example", "b.example").all.first)
        #expect(little.limits.callTimeout == 200 && little.limits.attemptTimeout == 200)
        let often = try #require(try links("callsPerSecond: 7, callBurst: 9", hosts: "a.example").all.first).limits
        #expect(often.callsPerSecond == 7 && often.callBurst == 9 && often.patience == 1_500)
    }

    @Test func `what is known of a way stays while its hosts and its limits do`() throws {
        let first = try links(hosts: "a.example")
        let link = try #require(first.all.first)
        #expect(first.links.count == 2 && first.all.count == 1)
        #expect(try links(hosts: "a.example", after: first).all.first === link)
        #expect(try links("patience: '1500ms'", hosts: "a.example", after: first).all.first === link)
        #expect(try links("patience: '2s'", hosts: "a.example", after: first).all.first !== link)
        #expect(try links(hosts: "b.example", after: first).all.first !== link)
    }
}
