import Foundation
import TestPeers
import Testing

@testable import TestService

@Suite("The public keys of OSS's callbacks")
struct OSSCallbackKeyTests {
    private let reply = "{\"Status\":\"OK\",\"name\":\"中文\"}\n"

    @Test func `a hundred callbacks that wait for one key make one call, and those after them none`() throws {
        let oss = try FakeOSS { connection, _ in
            connection.pause(milliseconds: 300)
            return false
        }
        try Service.run(.ossCallbacks("hundred", oss.url)) { service in
            let good = OSSCallback()
            let (signature, forged) = (try good.signed(), try good.signed(by: FakeOSS.stranger))
            let clients = try (0..<100).map { _ in try service.connect() }
            for (number, client) in clients.enumerated() {
                try client.send(good.text(to: service, number % 4 == 3 ? forged : signature))
            }
            #expect(try service.get("/livez").status == 200)
            let answers = try clients.map { try $0.answer() }
            for (number, answer) in answers.enumerated() {
                #expect(answer.status == (number % 4 == 3 ? 401 : 200))
            }
            for _ in 0..<20 { #expect(try good.send(to: service, signature).text == reply) }
            #expect(oss.asked == ["GET \(FakeOSS.usualPath) HTTP/1.1"])
        }
    }

    @Test func `who goes while the key is fetched is forgotten, and the key is there for the next`() throws {
        let oss = try FakeOSS { connection, _ in
            connection.pause(milliseconds: 500)
            return false
        }
        try Service.run(.ossCallbacks("gone", oss.url)) { service in
            let good = OSSCallback()
            let signature = try good.signed()
            for _ in 0..<20 {
                let client = try service.connect()
                try client.send(good.text(to: service, signature))
                client.reset()
            }
            #expect(try good.send(to: service, signature).text == reply)
            #expect(oss.asked.count == 1)
        }
    }

    @Test func `a callback that waits for the key is not believed once its grant is gone, nor refused when it stays`()
        throws
    {
        let oss = try FakeOSS { connection, _ in
            connection.pause(milliseconds: 500)
            return false
        }
        let setup = Setup.ossCallbacks("superseded", oss.url)
        var without = setup
        without.rest = setup.rest.replacing(
            "https://app.example.com/hooks/done", with: "https://app.example.com/hooks/moved")
        try Service.run(setup) { service in
            let (done, own) = (
                OSSCallback(), OSSCallback().with { ($0.path, $0.query) = ("/oss/callback", "of=a%2Fb") }
            )
            let clients = try [done, own].map { callback in
                let client = try service.connect()
                try client.send(callback.text(to: service, try callback.signed()))
                return client
            }
            try service.reload(without, generation: 2)
            try clients[0].answer().expectProblem(503, "upstream_unavailable", "ask again")
            #expect(try clients[1].answer().text == "{\"ok\":1}\n")
            #expect(oss.asked.count == 1)
        }
    }

    @Test func `made-up versions of keys have the vendor asked a few times, and keep no genuine callback waiting`()
        throws
    {
        let oss = try FakeOSS()
        try Service.run(.ossCallbacks("made up", oss.url)) { service in
            let good = OSSCallback()
            let signature = try good.signed()
            let client = try service.connect()
            let begin = service.clock.milliseconds
            for number in 0..<300 {
                let forged = good.with {
                    $0.keyURL = "https://gosspublic.alicdn.com/callback_pub_key_v\(number + 2).pem"
                }
                try client.send(forged.text(to: service, signature))
                let status = try client.answer().status
                #expect(status == 502 || status == 503)
            }
            // The same URL again and again is asked for once in two seconds.
            let seconds = Int(service.clock.milliseconds - begin) / 1000
            #expect(oss.asked.count <= 6 + seconds, "\(oss.asked.count)")
            #expect(try good.send(to: service, signature).text == reply)
        }
    }

    @Test func `when the vendor is back, so are we within 5 s, and it is left alone meanwhile`() throws {
        let isBack = Flag()
        let oss = try FakeOSS { connection, _ in
            guard !isBack.isSet else { return false }
            try connection.answer("", status: "503 Down")
            return true
        }
        try Service.run(.ossCallbacks("back", oss.url)) { service in
            let good = OSSCallback()
            let signature = try good.signed()
            for _ in 0..<50 {
                try good.send(to: service, signature).expectProblem(503, "upstream_unavailable")
            }
            #expect(oss.asked.count < 40)
            isBack.set()
            let begin = service.clock.milliseconds
            var status = 503
            while status != 200, service.clock.milliseconds - begin < 10_000 {
                status = try good.send(to: service, signature).status
                if status != 200 { service.pass(milliseconds: 100) }
            }
            #expect(status == 200)
            #expect(service.clock.milliseconds - begin < 8000)
        }
    }

    private final class Flag: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        func set() { lock.withLock { value = true } }
        var isSet: Bool { lock.withLock { value } }
    }
}
