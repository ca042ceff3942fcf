import Bytes
import Foundation
import Net
import Providers
import Telemetry
import Testing
import Upstream

@testable import Gateway
@testable import TestSamples

/// One account, its loops and their calls: who gets what, and how often the vendor is asked for it.
@Suite struct SessionCacheTests {
    @Test func `a thousand requests for one session, on two loops, make one call`() throws {
        let fixture = try SessionFixture(loops: 2)
        let session = try fixture.session()
        let outcomes = (0..<1000).map { fixture.ask(session, loop: $0 % 2) }
        let calls = fixture.take()
        #expect(calls.count == 1)
        #expect(outcomes.allSatisfy { $0.reply == nil })
        let key = fixture.grant(try #require(calls.first))
        #expect(outcomes.allSatisfy { $0.key == key })
        #expect((0..<2).allSatisfy { !fixture.isWaiting(loop: $0) })
        #expect(fixture.ask(session, loop: 1).key == key)
    }

    @Test func `callers who differ in name, lifetime or account share nothing`() throws {
        let fixture = try SessionFixture()
        let sessions = [
            try fixture.session("alice"), try fixture.session("bob"), try fixture.session("alice", seconds: 1800),
        ]
        let outcomes = sessions.map { fixture.ask($0) }
        for call in fixture.take() { fixture.grant(call, seconds: 1800) }
        #expect(Set(outcomes.compactMap(\.key)).count == 3)
    }

    @Test func `at half of life it is fetched anew, and nobody waits for that`() throws {
        let fixture = try SessionFixture()
        let session = try fixture.session()
        let first = fixture.ask(session)
        let old = fixture.grant(fixture.take()[0])
        #expect(first.key == old)
        fixture.advance(milliseconds: 1_600_000)
        #expect(fixture.ask(session).key == old)
        #expect(fixture.take().isEmpty)
        fixture.advance(milliseconds: 300_000)
        #expect(fixture.ask(session).key == old)
        #expect(fixture.ask(session).key == old)
        let calls = fixture.take()
        #expect(calls.count == 1)
        let new = fixture.grant(calls[0])
        #expect(new != old && fixture.ask(session).key == new)
    }

    @Test(arguments: [
        (503, "ServiceUnavailable"), (500, "InternalError"), (429, "Throttling.User"), (400, "Throttling"),
    ])
    func `what may pass is tried again, signed anew, at the next endpoint in turn`(status: Int, code: String) throws {
        let fixture = try SessionFixture(loops: 1, SampleConfiguration.stsKey + ", limits: { patience: '5s' }")
        let outcome = fixture.ask(try fixture.session())
        var nonces: Set<String> = []
        var hosts: [String] = []
        for _ in 0..<3 {
            let calls = fixture.take()
            #expect(calls.count == 1)
            let call = try #require(calls.first)
            nonces.insert(try nonce(of: call.request))
            hosts.append(call.exchange.host)
            fixture.refuse(call, status, code)
            fixture.pass(milliseconds: 500)
        }
        let last = try #require(fixture.take().first)
        nonces.insert(try nonce(of: last.request))
        let key = fixture.grant(last)
        #expect(outcome.key == key)
        #expect(nonces.count == 4)
        #expect(hosts == ["sts.one.example.com", "sts.two.example.com", "sts.one.example.com"])
        // The endpoint that answered is asked first next time.
        _ = fixture.ask(try fixture.session("bob"))
        #expect(fixture.take().first?.exchange.host == last.exchange.host)
    }

    @Test(arguments: [
        (403, "NoPermission"), (404, "EntityNotExist.Role"), (400, "InvalidParameter.DurationSeconds"),
        (400, "SignatureDoesNotMatch"), (404, "InvalidAccessKeyId.NotFound"),
    ])
    func `what the vendor would only say again is never tried again`(status: Int, code: String) throws {
        let fixture = try SessionFixture()
        let session = try fixture.session()
        let outcome = fixture.ask(session)
        fixture.refuse(fixture.take()[0], status, code)
        #expect(outcome.refusal?.reason == .fault(.refused))
        fixture.pass(milliseconds: 2_000)
        // Remembered for a while, for whoever asks next.
        #expect(fixture.ask(session).refusal?.reason == .fault(.refused))
        #expect(fixture.take().isEmpty)
        fixture.pass(milliseconds: 4_000)
        let later = fixture.ask(session)
        let key = fixture.grant(fixture.take()[0])
        #expect(later.key == key)
    }

    @Test func `whoever has waited long enough is told to come again, and the call goes on for the next`() throws {
        let fixture = try SessionFixture()
        let session = try fixture.session()
        let outcome = fixture.ask(session)
        let call = fixture.take()[0]
        fixture.pass(milliseconds: 1_750)
        #expect(outcome.refusal?.reason == .slow)
        #expect(outcome.refusal?.retryAfter == 1)
        let next = fixture.ask(session)
        #expect(fixture.take().isEmpty)
        let key = fixture.grant(call)
        #expect(next.key == key && outcome.key == nil)
    }

    @Test func `a client that is gone frees its slot, and the others are answered`() throws {
        let fixture = try SessionFixture()
        let session = try fixture.session()
        let gone = fixture.ask(session)
        let stayed = fixture.ask(session)
        fixture.caches[0].cache.cancel(try #require(gone.waiter))
        let key = fixture.grant(fixture.take()[0])
        #expect(gone.reply == nil && stayed.key == key)
        fixture.pass(milliseconds: 3_000)
        #expect(gone.reply == nil && !fixture.isWaiting())
    }

    @Test func `when the vendor hangs, the whole call is over at its deadline`() throws {
        let fixture = try SessionFixture()
        let outcome = fixture.ask(try fixture.session())
        let begin = fixture.monotonic
        var attempts = 0
        while fixture.isWaiting(), fixture.monotonic - begin < 20_000 {
            for call in fixture.take() {
                attempts += 1
                // The transport ends it at its own deadline.
                fixture.advance(milliseconds: max(0, call.exchange.deadline - fixture.monotonic))
                fixture.fail(call)
            }
            fixture.pass(milliseconds: 250)
        }
        #expect(outcome.refusal != nil)
        #expect(attempts > 1 && attempts <= 4)
        #expect(fixture.monotonic - begin <= 7_000)
    }

    @Test func `an outage opens the breaker, and one probe tells when it is over`() throws {
        let fixture = try SessionFixture()
        for number in 0..<5 {
            _ = fixture.ask(try fixture.session("caller\(number)"))
            for call in fixture.take() { fixture.fail(call, .connect(reason: "refused")) }
        }
        let refused = fixture.ask(try fixture.session("late"))
        fixture.settle()
        guard case .fault(.breakerOpen)? = refused.refusal?.reason else {
            Issue.record("\(String(describing: refused.reply))")
            return
        }
        #expect(fixture.take().isEmpty)
        fixture.pass(milliseconds: 2_500)
        _ = fixture.take()
        let probe = fixture.ask(try fixture.session("probe"))
        let other = fixture.ask(try fixture.session("other"))
        fixture.settle()
        let calls = fixture.take()
        #expect(calls.count == 1)
        #expect(other.refusal != nil)
        let key = fixture.grant(calls[0])
        #expect(probe.key == key)
        _ = fixture.ask(try fixture.session("another"))
        #expect(fixture.take().count == 1)
    }

    @Test func `a second sees no more calls than the budget has`() throws {
        let fixture = try SessionFixture(
            loops: 1, SampleConfiguration.stsKey + ", limits: { callsPerSecond: 10, callBurst: 5 }")
        for number in 0..<200 { _ = fixture.ask(try fixture.session("caller\(number)")) }
        var calls = fixture.take().count
        #expect(calls == 5)
        for _ in 0..<4 {
            fixture.pass(milliseconds: 250)
            calls += fixture.take().count
        }
        #expect(calls <= 15)
    }

    @Test func `an endpoint that talks nonsense is passed over for the next`() throws {
        let fixture = try SessionFixture()
        var served = 0
        for number in 0..<10 {
            let outcome = fixture.ask(try fixture.session("caller\(number)"))
            for _ in 0..<4 {
                for call in fixture.take() {
                    if call.exchange.host == "sts.one.example.com" {
                        fixture.answer(call, 200, "<html>maintenance</html>")
                    } else {
                        fixture.grant(call)
                    }
                }
                fixture.pass(milliseconds: 500)
            }
            if outcome.key != nil { served += 1 }
        }
        #expect(served > 0)
    }

    // MARK: Clocks (R17)

    @Test(arguments: [1_200, -1_200])
    func `R17 with clocks 20 minutes apart nothing is issued, not even what is remembered`(seconds: Int64) throws {
        let fixture = try SessionFixture()
        let session = try fixture.session()
        _ = fixture.ask(session)
        fixture.grant(fixture.take()[0])
        #expect(fixture.ask(session).key != nil)
        fixture.jump(seconds: seconds)
        fixture.vendorAhead = -seconds
        #expect(fixture.ask(session).refusal?.reason == .fault(.clockOff))
        // One call in a while looks at the vendor's clock again.
        fixture.pass(milliseconds: 3_250)
        let refused = (0..<10).map { _ in fixture.ask(session) }
        #expect(refused.allSatisfy { $0.refusal?.reason == .fault(.clockOff) })
        let calls = fixture.take()
        #expect(calls.count == 1)
        fixture.grant(calls[0])
        #expect(fixture.ask(session).refusal?.reason == .fault(.clockOff))
        // Our clock is put right.
        fixture.jump(seconds: -seconds)
        fixture.vendorAhead = 0
        #expect(fixture.ask(session).key != nil)
    }

    @Test func `R17 a first answer from another time is no credential`() throws {
        let fixture = try SessionFixture()
        fixture.vendorAhead = 1_200
        let outcome = fixture.ask(try fixture.session())
        // Each endpoint is asked once.
        for _ in 0..<3 {
            for call in fixture.take() { fixture.grant(call) }
            fixture.pass(milliseconds: 250)
        }
        #expect(outcome.refusal?.reason == .fault(.clockOff))
    }

    // MARK: The service's own key

    @Test func `RRSA: the token's file is read anew for each key, and one key serves all sessions`() throws {
        let fixture = try SessionFixture(loops: 2, SessionCacheTests.rrsa)
        fixture.files["/run/token"] = Array("first-token\n".utf8)
        let outcomes = [fixture.ask(try fixture.session("alice")), fixture.ask(try fixture.session("bob"), loop: 1)]
        let keyCalls = fixture.take()
        #expect(keyCalls.count == 1)
        #expect(keyCalls[0].request.contains("OIDCToken=first-token"))
        #expect(!keyCalls[0].request.lowercased().contains("authorization"))
        let own = fixture.grant(keyCalls[0])
        let calls = fixture.take()
        #expect(calls.count == 2)
        #expect(calls.allSatisfy { $0.request.contains("Credential=\(own),") })
        #expect(calls.allSatisfy { $0.request.contains("x-acs-security-token: token1") })
        for call in calls { fixture.grant(call) }
        #expect(outcomes.allSatisfy { $0.key != nil })
        // Half of the key's life later it is fetched again, with the token of then.
        fixture.files["/run/token"] = Array("second-token".utf8)
        fixture.advance(milliseconds: 1_900_000)
        _ = fixture.ask(try fixture.session("carol"))
        let later = fixture.take()
        #expect(later.contains { $0.request.contains("OIDCToken=second-token") })
        #expect(fixture.filesRead == ["/run/token", "/run/token"])
    }

    @Test func `RRSA: without its file nothing is asked, and the answer says that there is no credential`() throws {
        let fixture = try SessionFixture(loops: 1, SessionCacheTests.rrsa)
        let outcome = fixture.ask(try fixture.session())
        fixture.pass(milliseconds: 1_500)
        #expect(fixture.take().isEmpty)
        fixture.pass(milliseconds: 5_000)
        #expect(outcome.refusal != nil)
    }

    @Test(arguments: [nil, "named-role"])
    func `ECS: a session token, the role, its key; in the instance's own metadata, by version 2`(role: String?) throws {
        let fixture = try SessionFixture(
            loops: 1, "identity: 'ecs', region: 'cn-hangzhou'" + (role.map { ", ecsRole: '\($0)'" } ?? ""))
        let outcome = fixture.ask(try fixture.session())
        var call = try #require(fixture.take().first)
        #expect(call.exchange.host == "100.100.100.200" && call.exchange.port == 80)
        #expect(call.request.hasPrefix("PUT /latest/api/token HTTP/1.1\r\n"))
        fixture.answer(call, 200, "metadata-session")
        call = try #require(fixture.take().first)
        let path = "/latest/meta-data/ram/security-credentials/"
        if role == nil {
            #expect(call.request.hasPrefix("GET \(path) HTTP/1.1\r\n"))
            fixture.answer(call, 200, "found-role")
            call = try #require(fixture.take().first)
        }
        #expect(call.request.hasPrefix("GET \(path)\(role ?? "found-role") HTTP/1.1\r\n"))
        #expect(call.request.contains("X-aliyun-ecs-metadata-token: metadata-session\r\n"))
        let end = "2027-01-15T14:00:00Z"
        fixture.answer(
            call, 200,
            """
            {"Code":"Success","AccessKeyId":"STS.instance","AccessKeySecret":"s","SecurityToken":"t","Expiration":"\(end)"}
            """)
        call = try #require(fixture.take().first)
        #expect(call.exchange.host == "sts.cn-hangzhou.aliyuncs.com")
        #expect(call.request.contains("Credential=STS.instance,"))
        let key = fixture.grant(call)
        #expect(outcome.key == key)
    }

    @Test func `a metadata service that fails says nothing about STS`() throws {
        let fixture = try SessionFixture(loops: 1, "identity: 'ecs', region: 'cn-hangzhou'")
        let outcome = fixture.ask(try fixture.session())
        for _ in 0..<12 {
            for call in fixture.take() {
                #expect(call.exchange.host == "100.100.100.200")
                fixture.answer(call, 404, "", date: false)
            }
            fixture.pass(milliseconds: 250)
        }
        #expect(outcome.refusal != nil)
    }

    @Test func `where two sessions are remembered, there is room for the service's own key too`() throws {
        let fixture = try SessionFixture(loops: 1, SessionCacheTests.rrsa + ", limits: { sessions: 2 }")
        fixture.files["/run/token"] = Array("token".utf8)
        let outcome = fixture.ask(try fixture.session())
        for _ in 0..<4 { for call in fixture.take() { fixture.grant(call) } }
        #expect(outcome.key != nil, "\(String(describing: outcome.refusal))")
    }

    @Test func `a token's file that others can change is not used, and the log says why`() throws {
        let file = try LogFile(level: .warning)
        let fixture = try SessionFixture(SessionCacheTests.rrsa, log: file.log)
        fixture.files["/run/token"] = Array("token".utf8)
        fixture.weaknesses["/run/token"] = "anybody on this machine can change /run/token; chmod o-w it"
        let outcome = fixture.ask(try fixture.session())
        #expect(outcome.key == nil && fixture.take().isEmpty)
        let text = try file.text()
        #expect(text.contains("no credential from the vendor") && text.contains("chmod o-w it"), "\(text)")
        fixture.weaknesses = [:]
        fixture.files = [:]
        fixture.pass(milliseconds: 60_000)
        _ = fixture.ask(try fixture.session())
        let later = try file.text()
        #expect(later.contains("the file /run/token cannot be read, or is empty"), "\(later)")
    }

    @Test func `a token's file that cannot be read says nothing about STS`() throws {
        let fixture = try SessionFixture(loops: 1, SessionCacheTests.rrsa)
        fixture.files["/run/token"] = Array("token".utf8)
        _ = fixture.ask(try fixture.session())
        fixture.grant(fixture.take()[0])
        fixture.grant(fixture.take()[0])
        // Past half of the own key's life, which has 28 minutes left, its file is gone.
        fixture.advance(milliseconds: 1_920_000)
        fixture.files = [:]
        // STS itself fails for a moment, and is well again.
        for number in 0..<6 {
            _ = fixture.ask(try fixture.session("early\(number)"))
            for call in fixture.take() { fixture.fail(call, .connect(reason: "refused")) }
        }
        fixture.pass(milliseconds: 4_000)
        for call in fixture.take() { fixture.grant(call) }
        var served = 0
        for number in 0..<10 {
            let outcome = fixture.ask(try fixture.session("caller\(number)"))
            for call in fixture.take() { fixture.grant(call) }
            fixture.pass(milliseconds: 2_000)
            if outcome.key != nil { served += 1 }
        }
        #expect(served >= 9, "\(served) of 10: the own key still holds for 27 minutes, and STS is well")
    }

    @Test(arguments: ["InvalidSecurityToken.Expired", "InvalidAccessKeyId.NotFound"])
    func `a key of the service's own that the vendor does not take any more is fetched anew`(code: String) throws {
        let fixture = try SessionFixture(loops: 1, SessionCacheTests.rrsa)
        fixture.files["/run/token"] = Array("token".utf8)
        _ = fixture.ask(try fixture.session())
        let first = fixture.grant(fixture.take()[0])
        fixture.refuse(fixture.take()[0], 400, code)
        let outcome = fixture.ask(try fixture.session("bob"))
        let second = fixture.grant(try #require(fixture.take().first))
        let call = try #require(fixture.take().first)
        #expect(second != first && call.request.contains("Credential=\(second),"))
        let key = fixture.grant(call)
        #expect(outcome.key == key)
    }

    @Test func `R5 what the vendor gives beyond what was asked for is told to nobody`() throws {
        let fixture = try SessionFixture()
        let outcome = fixture.ask(try fixture.session(seconds: 900))
        fixture.grant(fixture.take()[0], seconds: 86_400)
        guard case .serve(let credential)? = outcome.reply else { throw SessionFixture.Fault("none was served") }
        #expect(credential.expiresAt == fixture.unixSeconds + 900)
        var answer = ByteWriter()
        credential.writeAnswer(for: .none, into: &answer)
        let end = ISO8601.write(fixture.unixSeconds + 900).text
        let text = answer.array.text
        #expect(text.contains("\"Expiration\":\"\(end)\""))
    }

    @Test func `a remembered refusal of the service's own key is told, and no call is made for it`() throws {
        let fixture = try SessionFixture(loops: 1, SessionCacheTests.rrsa)
        fixture.files["/run/token"] = Array("token".utf8)
        let first = fixture.ask(try fixture.session())
        fixture.refuse(fixture.take()[0], 403, "NoPermission")
        #expect(first.refusal?.reason == .fault(.refused))
        let others = try (0..<100).map { fixture.ask(try fixture.session("caller\($0)")) }
        fixture.settle()
        #expect(others.allSatisfy { $0.refusal?.reason == .fault(.refused) })
        #expect(fixture.take().isEmpty)
    }

    static let rrsa = """
        identity: "oidc", oidcRoleArn: "acs:ram::1234567890123456:role/pod",
        oidcProviderArn: "acs:ram::1234567890123456:oidc-provider/ack", oidcTokenFile: "/run/token",
        region: "cn-hangzhou"
        """

    private func nonce(of request: String) throws -> String {
        let line = request.split(separator: "\r\n").first { $0.hasPrefix("x-acs-signature-nonce: ") }
        return String(try #require(line))
    }
}
