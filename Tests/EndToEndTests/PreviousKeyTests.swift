import Foundation
import Testing

@Suite("Keys that signed before")
struct PreviousKeyTests {
    private static let (oldKey, oldSecret) = ("e2e-old-access-key", "the-old-secret-of-the-end-to-end-tests")

    /// - Parameter until: when the old pair ends; nil for a configuration of the old pair alone.
    private static func setup(until: Int64?) -> Setup {
        func pair(_ key: String, _ secret: String) -> String {
            let old = "{ accessKey: \"\(oldKey)\", secretKey: \"\(oldSecret)\", until: \"\(iso8601(until ?? 0))\" }"
            return until == nil
                ? "accessKey: \"\(oldKey)\", secretKey: \"\(oldSecret)\""
                : "accessKey: \"\(key)\", secretKey: \"\(secret)\", previous: [\(old)]"
        }
        return Setup(
            name: "previous",
            credentials: """
                credentials: {
                    "qiniu": { provider: "qiniu", \(pair(Setup.qiniuAccessKey, Setup.qiniuSecret)) },
                    "oss": { provider: "oss", \(pair(Setup.ossAccessKey, Setup.ossSecret)) },
                  }
                """,
            rest: """
                grants: {
                    "done": { route: "qiniu.callback", credential: "qiniu",
                      publicURL: "https://app.example.com/hooks/done", reply: { key: "done" } },
                    "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "photos/" },
                    "objects": { route: "oss.sign", credential: "oss", callers: ["anonymous"], public: true,
                      bucket: "demo-bucket", keyPrefix: "demo/", methods: ["PUT"] },
                  },
                  reload: { watch: false },
                """)
    }

    private static let old = KodoCallback().with {
        $0.accessKey = oldKey
        $0.secret = oldSecret
    }

    @Test(arguments: Transport.allCases)
    func `callbacks are believed by the old key until its end, and not one moment longer`(
        _ transport: Transport
    ) throws {
        try Service.run(PreviousKeyTests.setup(until: now + 3600), transport) { service in
            for callback in [PreviousKeyTests.old, KodoCallback()] {
                let answer = try callback.send(to: service, callback.authorization())
                #expect(answer.status == 200, "\(answer.text)")
            }
            // Each with the other's name.
            let mixtures = [
                KodoCallback().with { $0.accessKey = PreviousKeyTests.oldKey },
                KodoCallback().with { $0.secret = PreviousKeyTests.oldSecret },
            ]
            for forged in mixtures {
                try forged.send(to: service, forged.authorization()).expectProblem(401, "unauthenticated")
            }
            let covered = PreviousKeyTests.old.authorization()
            let changed = PreviousKeyTests.old.with { $0.body += "&more=1" }
            try changed.send(to: service, covered).expectProblem(401, "unauthenticated")
            // Its end comes while it is used.
            let end = now + 3
            try service.reload(PreviousKeyTests.setup(until: end), transport, generation: 2)
            var asked = now
            var answer = try PreviousKeyTests.old.send(to: service, PreviousKeyTests.old.authorization())
            while asked < end + 10, answer.status == 200 {
                #expect(asked <= end)
                // Each leaves a line in the log, which somebody has to read.
                _ = try? service.process.waitForError(holding: "never said", within: 0.05)
                asked = now
                let callback = PreviousKeyTests.old.with { $0.date = basicISO8601(asked) }
                answer = try callback.send(to: service, callback.authorization())
            }
            answer.expectProblem(401, "unauthenticated")
            let callback = KodoCallback().with { $0.date = basicISO8601(now) }
            #expect(try callback.send(to: service, callback.authorization()).status == 200)
        }
    }

    @Test(arguments: Transport.allCases)
    func `nothing new is signed by it, whoever names it`(_ transport: Transport) throws {
        try Service.run(PreviousKeyTests.setup(until: now + 3600), transport) { service in
            let token = try service.get("/qiniu/uptoken").json["uptoken"]?.string
            #expect(try UploadTokenReading(qiniu: token, secret: Setup.qiniuSecret).accessKey == Setup.qiniuAccessKey)
            let string = Signable().text
            let content = percent(string)
            for name in [Setup.ossAccessKey, PreviousKeyTests.oldKey] {
                let answer = try service.get("/oss/sign?accessKeyId=\(name)&contentToSign=\(content)")
                answer.expectSuccess()
                #expect(answer.json["accessKeyId"] == .string(Setup.ossAccessKey))
                #expect(answer.json["authorization"] == .string(OSSAuthorization.expected(string)))
            }
            let other = try service.get("/oss/sign?accessKeyId=another&contentToSign=\(content)")
            #expect(other.status == 403, "\(other.text)")
        }
    }

    @Test func `inspect knows what it has signed until its end`() throws {
        let before = try Service.run(PreviousKeyTests.setup(until: nil), .epoll) { try $0.get("/qiniu/uptoken").text }
        for (until, verdict) in [(now + 3600, "genuine"), (now - 10, "refused")] {
            let folder = try Keeper.makeFolder()
            let path = try PreviousKeyTests.setup(until: until).write(to: folder, transport: .epoll)
            let input = try Keeper.write(before, to: folder + "/input")
            let outcome = try Program(
                Program.countersign, ["inspect", "--format", "json", "--config", path], environment: Setup.environment,
                input: input
            ).wait()
            #expect(try JSON(outcome.out)["verdict"] == .string(verdict), "\(outcome.out)\(outcome.err)")
            #expect(!(outcome.out + outcome.err).contains(PreviousKeyTests.oldSecret))
            let check = try Program.run("check", "--config", path, environment: Setup.environment)
            #expect(check.code == 0)
            #expect(check.err.contains("previous[0]: has ended") == (verdict == "refused"), "\(check.err)")
        }
    }
}
