import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

@Suite("A clock that jumps", .alone, .unwatched, .timeLimit(.minutes(20)))
struct ClockTests {
    private static let target = "/qiniu/uptoken?key=photos/a"

    /// What is put before the system's clock, where it is installed (libfaketime).
    private static let fakeClock: String? = {
        let root = URL(filePath: "/usr/lib")
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return (folders + [""]).map { root.appending(path: "\($0)/faketime/libfaketimeMT.so.1").standardized.path }
            .first { FileManager.default.fileExists(atPath: $0) }
    }()

    @Test(.enabled(if: fakeClock != nil))
    func `a clock that jumps an hour gives no sessions, dates what is signed here, and is forgiven when it is right`()
        throws
    {
        let vendor = try ClientPeer(STSFault.well)
        defer { _ = vendor.stop() }
        var setup = Setup.vendor("jump", ["http://127.0.0.1:\(vendor.port)"])
        let other = #""qiniu": { provider: "qiniu", accessKey: "AK", secretKey: "secret-of-the-end-to-end-tests" },"#
        setup.credentials = setup.credentials.replacing("credentials: {", with: "credentials: { \(other)")
        setup.rest = setup.rest.replacing(
            "grants: {",
            with: """
                grants: { "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"],
                    public: true, bucket: "demo-media", keyPrefix: "photos/", lifetime: "10m" },
                """)
        let clock = try Keeper.write("+0", to: try Keeper.makeFolder() + "/clock")
        let environment = Setup.environment.merging([
            "LD_PRELOAD": try #require(ClockTests.fakeClock), "FAKETIME_TIMESTAMP_FILE": clock,
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
        ]) { $1 }
        let service = try Service(setup, .epoll, environment)
        defer { service.stop() }
        for offset in [Int64(0), 3600, 0, -3600, 3600, -3600, 0] {
            try Keeper.write(offset < 0 ? "\(offset)" : "+\(offset)", to: clock)
            let isRight = offset == 0
            let end = ContinuousClock.now.advanced(by: .seconds(60))
            var state: (session: Int, clock: String?) = (0, nil)
            while state != (isRight ? 200 : 503, isRight ? "ok" : "down") {
                try #require(ContinuousClock.now < end, "at \(offset) s it stays \(state)")
                state.session = try service.get("/distribute-token.json").status
                state.clock = try service.admin.get("/readyz").json["parts"]?["clock"]?.string
                // What is signed here is given all the while, and dated by the clock as it is.
                let asked = now
                let answer = try service.get(ClockTests.target)
                let signed = (answer.json["deadline"]?.integer ?? 0) - 600 - offset
                #expect(answer.status == 200 && (asked...now).contains(signed), "\(asked): \(answer.text)")
                poll(nil, 0, 20)
            }
            let off = try service.admin.get("/metrics").text.contains("\ncountersign_clock_off \(isRight ? 0 : 1)\n")
            #expect(off, "at \(offset) s")
        }
        #expect(service.stop().code == 0)
    }
}
