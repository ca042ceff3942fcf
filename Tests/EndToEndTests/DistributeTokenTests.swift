import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("Sessions of a role over HTTP, the sandbox being the vendor: R5, R17", .waiting)
struct DistributeTokenTests {
    @Test func `the log warns that the key is for the sandbox`() throws {
        try Service.run(.sandbox, .epoll) { service in
            try service.get("/distribute-token.json").expectSuccess()
            #expect(
                service.stop().err.contains(
                    "credentials: sandbox keys work only with countersign-sandbox, not with a vendor: oss-sts"))
        }
    }

    @Test(arguments: Transport.everywhere)
    func `pipelined behind a request that must wait, answers keep their order`(_ transport: Transport) throws {
        try Service.run(.sandbox, transport) { service in
            let client = try service.connect()
            try client.send(
                service.text("GET", "/livez") + service.text("GET", "/distribute-token.json?expires=1200")
                    + service.text("GET", "/nowhere") + service.text("GET", "/distribute-token.json?expires=1300")
                    + service.text("GET", "/distribute-token.json?expires=1"))
            client.finishSending()
            let statuses = try (0..<5).map { _ in try client.answer().status }
            #expect(statuses == [200, 200, 404, 200, 400])
        }
    }

    @Test(arguments: Transport.everywhere)
    func `a thousand at once get one credential`(_ transport: Transport) throws {
        try Service.run(.sandbox, transport) { service in
            let clients = try (0..<1000).map { _ in try service.connect() }
            for client in clients { try client.send(service.text("GET", "/distribute-token.json?expires=4000")) }
            var keys: Set<String> = []
            for client in clients {
                let answer = try client.answer()
                keys.insert(answer.json["AccessKeyId"]?.string ?? answer.text)
            }
            #expect(keys.count == 1)
        }
    }
}
