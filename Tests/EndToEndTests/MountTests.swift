import Crypto
import Foundation
import TestKeys
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// That takes root: elsewhere `scripts/test` leaves these tests out, and says so.
@Suite("With other files instead of the system's", .alone, .unwatched, .needsMounts, .timeLimit(.minutes(20)))
struct MountTests {
    @Test func `without /proc it serves, and its metrics leave out what nobody can tell`() throws {
        let service = try Service(.open, .epoll, by: Service.mounting("mount -t tmpfs none /proc"))
        defer { service.stop() }
        for _ in 0..<20 { try service.get("/qiniu/uptoken?key=photos/a").expectSuccess() }
        #expect(try service.admin.get("/readyz").status == 200)
        let text = try service.admin.get("/metrics").text
        #expect(text.contains("\nprocess_cpu_seconds_total ") && text.contains("\nprocess_max_fds "))
        for name in ["process_resident_memory_bytes", "process_open_fds"] { #expect(!text.contains(name)) }
        #expect(service.stop().code == 0)
    }

    @Test(arguments: FakeNameServer.Manner.allCases.filter { $0 != .answering })
    func `name servers that do not answer, or not well, hang nothing; when they do all is well by itself`(
        _ manner: FakeNameServer.Manner
    ) throws {
        let names = try FakeNameServer()
        names.manner = manner
        let certificates = try ClientCertificates.shared.get()
        let vendor = try ClientPeer(STSFault.well, tls: certificates.good)
        defer { _ = vendor.stop() }
        let key = TestKey(.es256)
        let issuer = try FakeIssuer([key], tls: certificates.good)
        let token = "Authorization: Bearer \(FakeIssuer.token(of: key))"
        let setup = NameServerTests.setup(
            vendor: "https://sts.test:\(vendor.port)", issuer: "https://id.wild.test:\(issuer.port)")
        let environment = Setup.environment.merging(["SSL_CERT_FILE": certificates.authority]) { $1 }
        let service = try Service(setup, .epoll, environment, by: names.starter)
        defer { service.stop() }
        try NameServerTests.expectOutage(service, token)
        #expect(names.questions > 0 && vendor.connections == 0 && issuer.seen.isEmpty)

        names.manner = .answering
        try NameServerTests.expect("no session comes") { try service.get(NameServerTests.session).status == 200 }
        try NameServerTests.expect("no keys come") { try service.get("/qiniu/uptoken?grant=own", token).status == 200 }
        try NameServerTests.expect("readyz does not hear of it") {
            try service.admin.get("/readyz").json["parts"]?["sts"] == "ok"
        }

        // What is remembered is used while nothing new can be had.
        names.manner = manner
        for _ in 0..<20 {
            try service.get(NameServerTests.session).expectSuccess()
            try service.get("/qiniu/uptoken?grant=own", token).expectSuccess()
        }
        let begin = ContinuousClock.now
        #expect(service.stop().code == 0)
        #expect(begin.duration(to: .now) < .seconds(5), "no look-up that hangs keeps it from stopping")
    }
}
