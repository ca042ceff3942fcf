import Bytes
import Foundation
import Net
import Providers
import Telemetry
import Testing
import Upstream

@testable import Service

/// One account, its loops and their calls: who gets what, and how often the vendor is asked for it.
@Suite struct SessionCacheTests {
    @Test func `a thousand requests for one session, on two loops, make one call`() throws {
        let house = try SessionHouse(loops: 2)
        let session = try house.session()
        let outcomes = (0..<1000).map { house.ask(session, loop: $0 % 2) }
        let calls = house.take()
        #expect(calls.count == 1)
        #expect(outcomes.allSatisfy { $0.reply == nil })
        let key = house.grant(try #require(calls.first))
        #expect(outcomes.allSatisfy { $0.key == key })
        #expect((0..<2).allSatisfy { !house.isWaiting(loop: $0) })
        #expect(house.ask(session, loop: 1).key == key)
    }

    @Test func `callers who differ in name, lifetime or account share nothing`() throws {
        let house = try SessionHouse()
        let sessions = [
            try house.session("alice"), try house.session("bob"), try house.session("alice", seconds: 1800),
        ]
        let outcomes = sessions.map { house.ask($0) }
        for call in house.take() { house.grant(call, seconds: 1800) }
        #expect(Set(outcomes.compactMap(\.key)).count == 3)
    }

    @Test func `at half of life it is fetched anew, and nobody waits for that`() throws {
        let house = try SessionHouse()
        let session = try house.session()
        let first = house.ask(session)
        let old = house.grant(house.take()[0])
        #expect(first.key == old)
        house.advance(milliseconds: 1_600_000)
        #expect(house.ask(session).key == old)
        #expect(house.take().isEmpty)
        house.advance(milliseconds: 300_000)
        #expect(house.ask(session).key == old)
        #expect(house.ask(session).key == old)
        let calls = house.take()
        #expect(calls.count == 1)
        let new = house.grant(calls[0])
        #expect(new != old && house.ask(session).key == new)
    }

    @Test(arguments: [
        (503, "ServiceUnavailable"), (500, "InternalError"), (429, "Throttling.User"), (400, "Throttling"),
    ])
    func `what may pass is tried again, signed anew, at the next endpoint in turn`(status: Int, code: String) throws {
        let house = try SessionHouse(loops: 1, Sample.stsKey + ", limits: { patience: '5s' }")
        let outcome = house.ask(try house.session())
        var nonces: Set<String> = []
        var hosts: [String] = []
        for _ in 0..<3 {
            let calls = house.take()
            #expect(calls.count == 1)
            let call = try #require(calls.first)
            nonces.insert(try nonce(of: call.request))
            hosts.append(call.exchange.host)
            house.refuse(call, status, code)
            house.pass(milliseconds: 500)
        }
        let last = try #require(house.take().first)
        nonces.insert(try nonce(of: last.request))
        let key = house.grant(last)
        #expect(outcome.key == key)
        #expect(nonces.count == 4)
        #expect(hosts == ["sts.one.example.com", "sts.two.example.com", "sts.one.example.com"])
        // The endpoint that answered is asked first next time.
        _ = house.ask(try house.session("bob"))
        #expect(house.take().first?.exchange.host == last.exchange.host)
    }

    @Test(arguments: [
        (403, "NoPermission"), (404, "EntityNotExist.Role"), (400, "InvalidParameter.DurationSeconds"),
        (400, "SignatureDoesNotMatch"), (404, "InvalidAccessKeyId.NotFound"),
    ])
    func `what the vendor would only say again is never tried again`(status: Int, code: String) throws {
        let house = try SessionHouse()
        let session = try house.session()
        let outcome = house.ask(session)
        house.refuse(house.take()[0], status, code)
        #expect(outcome.refusal?.reason == .fault(.refused))
        house.pass(milliseconds: 2_000)
        // Remembered for a while, for whoever asks next.
        #expect(house.ask(session).refusal?.reason == .fault(.refused))
        #expect(house.take().isEmpty)
        house.pass(milliseconds: 4_000)
        let later = house.ask(session)
        let key = house.grant(house.take()[0])
        #expect(later.key == key)
    }

    @Test func `whoever has waited long enough is told to come again, and the call goes on for the next`() throws {
        let house = try SessionHouse()
        let session = try house.session()
        let outcome = house.ask(session)
        let call = house.take()[0]
        house.pass(milliseconds: 1_750)
        #expect(outcome.refusal?.reason == .slow)
        #expect(outcome.refusal?.retryAfter == 1)
        let next = house.ask(session)
        #expect(house.take().isEmpty)
        let key = house.grant(call)
        #expect(next.key == key && outcome.key == nil)
    }

    @Test func `a client that is gone frees its place, and the others are answered`() throws {
        let house = try SessionHouse()
        let session = try house.session()
        let gone = house.ask(session)
        let stayed = house.ask(session)
        house.caches[0].cache.cancel(try #require(gone.waiter))
        let key = house.grant(house.take()[0])
        #expect(gone.reply == nil && stayed.key == key)
        house.pass(milliseconds: 3_000)
        #expect(gone.reply == nil && !house.isWaiting())
    }

    @Test func `when the vendor hangs, the whole call is over at its deadline`() throws {
        let house = try SessionHouse()
        let outcome = house.ask(try house.session())
        let begin = house.monotonic
        var attempts = 0
        while house.isWaiting(), house.monotonic - begin < 20_000 {
            for call in house.take() {
                attempts += 1
                // The transport ends it at its own deadline.
                house.advance(milliseconds: max(0, call.exchange.deadline - house.monotonic))
                house.fail(call)
            }
            house.pass(milliseconds: 250)
        }
        #expect(outcome.refusal != nil)
        #expect(attempts > 1 && attempts <= 4)
        #expect(house.monotonic - begin <= 7_000)
    }

    @Test func `an outage opens the breaker, and one probe tells when it is over`() throws {
        let house = try SessionHouse()
        for number in 0..<5 {
            _ = house.ask(try house.session("caller\(number)"))
            for call in house.take() { house.fail(call, .connect(reason: "refused")) }
        }
        let refused = house.ask(try house.session("late"))
        house.settle()
        guard case .fault(.breakerOpen)? = refused.refusal?.reason else {
            Issue.record("\(String(describing: refused.reply))")
            return
        }
        #expect(house.take().isEmpty)
        house.pass(milliseconds: 2_500)
        _ = house.take()
        let probe = house.ask(try house.session("probe"))
        let other = house.ask(try house.session("other"))
        house.settle()
        let calls = house.take()
        #expect(calls.count == 1)
        #expect(other.refusal != nil)
        let key = house.grant(calls[0])
        #expect(probe.key == key)
        _ = house.ask(try house.session("another"))
        #expect(house.take().count == 1)
    }

    @Test func `a second sees no more calls than the budget has`() throws {
        let house = try SessionHouse(
            loops: 1, Sample.stsKey + ", limits: { callsPerSecond: 10, callBurst: 5 }")
        for number in 0..<200 { _ = house.ask(try house.session("caller\(number)")) }
        var calls = house.take().count
        #expect(calls == 5)
        for _ in 0..<4 {
            house.pass(milliseconds: 250)
            calls += house.take().count
        }
        #expect(calls <= 15)
    }

    @Test func `an endpoint that talks nonsense is passed over for the next`() throws {
        let house = try SessionHouse()
        var served = 0
        for number in 0..<10 {
            let outcome = house.ask(try house.session("caller\(number)"))
            for _ in 0..<4 {
                for call in house.take() {
                    if call.exchange.host == "sts.one.example.com" {
                        house.answer(call, 200, "<html>maintenance</html>")
                    } else {
                        house.grant(call)
                    }
                }
                house.pass(milliseconds: 500)
            }
            if outcome.key != nil { served += 1 }
        }
        #expect(served > 0)
    }

    // MARK: Clocks (R17)

    @Test(arguments: [1_200, -1_200])
    func `R17 with clocks 20 minutes apart nothing is issued, not even what is remembered`(seconds: Int64) throws {
        let house = try SessionHouse()
        let session = try house.session()
        _ = house.ask(session)
        house.grant(house.take()[0])
        #expect(house.ask(session).key != nil)
        house.jump(seconds: seconds)
        house.vendorAhead = -seconds
        #expect(house.ask(session).refusal?.reason == .fault(.clockOff))
        // One call in a while looks at the vendor's clock again.
        house.pass(milliseconds: 3_250)
        let refused = (0..<10).map { _ in house.ask(session) }
        #expect(refused.allSatisfy { $0.refusal?.reason == .fault(.clockOff) })
        let calls = house.take()
        #expect(calls.count == 1)
        house.grant(calls[0])
        #expect(house.ask(session).refusal?.reason == .fault(.clockOff))
        // Our clock is put right.
        house.jump(seconds: -seconds)
        house.vendorAhead = 0
        #expect(house.ask(session).key != nil)
    }

    @Test func `R17 a first answer from another time is no credential`() throws {
        let house = try SessionHouse()
        house.vendorAhead = 1_200
        let outcome = house.ask(try house.session())
        // Each endpoint is asked once.
        for _ in 0..<3 {
            for call in house.take() { house.grant(call) }
            house.pass(milliseconds: 250)
        }
        #expect(outcome.refusal?.reason == .fault(.clockOff))
    }

    // MARK: The service's own key

    @Test func `RRSA: the token's file is read anew for each key, and one key serves all sessions`() throws {
        let house = try SessionHouse(loops: 2, SessionCacheTests.rrsa)
        house.files["/run/token"] = Array("first-token\n".utf8)
        let outcomes = [house.ask(try house.session("alice")), house.ask(try house.session("bob"), loop: 1)]
        let keyCalls = house.take()
        #expect(keyCalls.count == 1)
        #expect(keyCalls[0].request.contains("OIDCToken=first-token"))
        #expect(!keyCalls[0].request.lowercased().contains("authorization"))
        let own = house.grant(keyCalls[0])
        let calls = house.take()
        #expect(calls.count == 2)
        #expect(calls.allSatisfy { $0.request.contains("Credential=\(own),") })
        #expect(calls.allSatisfy { $0.request.contains("x-acs-security-token: token1") })
        for call in calls { house.grant(call) }
        #expect(outcomes.allSatisfy { $0.key != nil })
        // Half of the key's life later it is fetched again, with the token of then.
        house.files["/run/token"] = Array("second-token".utf8)
        house.advance(milliseconds: 1_900_000)
        _ = house.ask(try house.session("carol"))
        let later = house.take()
        #expect(later.contains { $0.request.contains("OIDCToken=second-token") })
        #expect(house.filesRead == ["/run/token", "/run/token"])
    }

    @Test func `RRSA: without its file nothing is asked, and the answer says that there is no credential`() throws {
        let house = try SessionHouse(loops: 1, SessionCacheTests.rrsa)
        let outcome = house.ask(try house.session())
        house.pass(milliseconds: 1_500)
        #expect(house.take().isEmpty)
        house.pass(milliseconds: 5_000)
        #expect(outcome.refusal != nil)
    }

    @Test(arguments: [nil, "named-role"])
    func `ECS: a session token, the role, its key; in the instance's own metadata, by version 2`(role: String?) throws {
        let house = try SessionHouse(
            loops: 1, "identity: 'ecs', region: 'cn-hangzhou'" + (role.map { ", ecsRole: '\($0)'" } ?? ""))
        let outcome = house.ask(try house.session())
        var call = try #require(house.take().first)
        #expect(call.exchange.host == "100.100.100.200" && call.exchange.port == 80)
        #expect(call.request.hasPrefix("PUT /latest/api/token HTTP/1.1\r\n"))
        house.answer(call, 200, "metadata-session")
        call = try #require(house.take().first)
        let path = "/latest/meta-data/ram/security-credentials/"
        if role == nil {
            #expect(call.request.hasPrefix("GET \(path) HTTP/1.1\r\n"))
            house.answer(call, 200, "found-role")
            call = try #require(house.take().first)
        }
        #expect(call.request.hasPrefix("GET \(path)\(role ?? "found-role") HTTP/1.1\r\n"))
        #expect(call.request.contains("X-aliyun-ecs-metadata-token: metadata-session\r\n"))
        let end = "2027-01-15T14:00:00Z"
        house.answer(
            call, 200,
            """
            {"Code":"Success","AccessKeyId":"STS.instance","AccessKeySecret":"s","SecurityToken":"t","Expiration":"\(end)"}
            """)
        call = try #require(house.take().first)
        #expect(call.exchange.host == "sts.cn-hangzhou.aliyuncs.com")
        #expect(call.request.contains("Credential=STS.instance,"))
        let key = house.grant(call)
        #expect(outcome.key == key)
    }

    @Test func `a metadata service that fails says nothing about STS`() throws {
        let house = try SessionHouse(loops: 1, "identity: 'ecs', region: 'cn-hangzhou'")
        let outcome = house.ask(try house.session())
        for _ in 0..<12 {
            for call in house.take() {
                #expect(call.exchange.host == "100.100.100.200")
                house.answer(call, 404, "", date: false)
            }
            house.pass(milliseconds: 250)
        }
        #expect(outcome.refusal != nil)
    }

    @Test func `where two sessions are remembered, there is room for the service's own key too`() throws {
        let house = try SessionHouse(loops: 1, SessionCacheTests.rrsa + ", limits: { sessions: 2 }")
        house.files["/run/token"] = Array("token".utf8)
        let outcome = house.ask(try house.session())
        for _ in 0..<4 { for call in house.take() { house.grant(call) } }
        #expect(outcome.key != nil, "\(String(describing: outcome.refusal))")
    }

    @Test func `a token's file that others can change is not used, and the log says why`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/countersign-\(UUID().uuidString)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        let log = Log(Log.Settings(level: .warning, format: .text), to: LogWriter(descriptor, limit: 1 << 16))
        let house = try SessionHouse(SessionCacheTests.rrsa, log: log)
        house.files["/run/token"] = Array("token".utf8)
        house.weaknesses["/run/token"] = "anybody on this machine can change /run/token; chmod o-w it"
        let outcome = house.ask(try house.session())
        #expect(outcome.key == nil && house.take().isEmpty)
        log.writer.flush(within: 60_000)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("no credential from the vendor") && text.contains("chmod o-w it"), "\(text)")
        house.weaknesses = [:]
        house.files = [:]
        house.pass(milliseconds: 60_000)
        _ = house.ask(try house.session())
        log.writer.flush(within: 60_000)
        let later = try String(contentsOfFile: path, encoding: .utf8)
        #expect(later.contains("the file /run/token cannot be read, or is empty"), "\(later)")
    }

    @Test func `a token's file that cannot be read says nothing about STS`() throws {
        let house = try SessionHouse(loops: 1, SessionCacheTests.rrsa)
        house.files["/run/token"] = Array("token".utf8)
        _ = house.ask(try house.session())
        house.grant(house.take()[0])
        house.grant(house.take()[0])
        // Past half of the own key's life, which has 28 minutes left, its file is gone.
        house.advance(milliseconds: 1_920_000)
        house.files = [:]
        // STS itself fails for a moment, and is well again.
        for number in 0..<6 {
            _ = house.ask(try house.session("early\(number)"))
            for call in house.take() { house.fail(call, .connect(reason: "refused")) }
        }
        house.pass(milliseconds: 4_000)
        for call in house.take() { house.grant(call) }
        var served = 0
        for number in 0..<10 {
            let outcome = house.ask(try house.session("caller\(number)"))
            for call in house.take() { house.grant(call) }
            house.pass(milliseconds: 2_000)
            if outcome.key != nil { served += 1 }
        }
        #expect(served >= 9, "\(served) of 10: the own key still holds for 27 minutes, and STS is well")
    }

    @Test(arguments: ["InvalidSecurityToken.Expired", "InvalidAccessKeyId.NotFound"])
    func `a key of the service's own that the vendor does not take any more is fetched anew`(code: String) throws {
        let house = try SessionHouse(loops: 1, SessionCacheTests.rrsa)
        house.files["/run/token"] = Array("token".utf8)
        _ = house.ask(try house.session())
        let first = house.grant(house.take()[0])
        house.refuse(house.take()[0], 400, code)
        let outcome = house.ask(try house.session("bob"))
        let second = house.grant(try #require(house.take().first))
        let call = try #require(house.take().first)
        #expect(second != first && call.request.contains("Credential=\(second),"))
        let key = house.grant(call)
        #expect(outcome.key == key)
    }

    @Test func `R5 what the vendor gives beyond what was asked for is told to nobody`() throws {
        let house = try SessionHouse()
        let outcome = house.ask(try house.session(seconds: 900))
        house.grant(house.take()[0], seconds: 86_400)
        guard case .serve(let credential)? = outcome.reply else { throw SessionHouse.Fault("none was served") }
        #expect(credential.expiresAt == house.unixSeconds + 900)
        var answer = ByteWriter()
        credential.writeAnswer(into: &answer)
        let end = ISO8601.write(house.unixSeconds + 900).text
        let text = answer.array.text
        #expect(text.contains("\"Expiration\":\"\(end)\""))
    }

    @Test func `a remembered refusal of the service's own key is told, and no call is made for it`() throws {
        let house = try SessionHouse(loops: 1, SessionCacheTests.rrsa)
        house.files["/run/token"] = Array("token".utf8)
        let first = house.ask(try house.session())
        house.refuse(house.take()[0], 403, "NoPermission")
        #expect(first.refusal?.reason == .fault(.refused))
        let others = try (0..<100).map { house.ask(try house.session("caller\($0)")) }
        house.settle()
        #expect(others.allSatisfy { $0.refusal?.reason == .fault(.refused) })
        #expect(house.take().isEmpty)
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
