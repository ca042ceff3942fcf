import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// Requests byte by byte as they are sent, each with what RFC 9110 and RFC 9112 have a strict server answer.
@Suite("Raw requests, strictly by RFC 9110 and 9112", .waiting, .timeLimit(.minutes(20)))
struct RawRequestTests {
    @Test func `there are more than 600`() { #expect(RawRequest.all.count > 600) }

    @Test(arguments: Transport.allCases, RawRequest.sections)
    func `each is answered as its section says, and its connection kept or closed`(
        _ transport: Transport, _ section: String
    ) throws {
        let service = try Service.shared(.open, transport)
        for request in RawRequest.all where request.section == section {
            do { try request.check(on: service) } catch { Issue.record("\(request.name): \(error)") }
        }
    }

    @Test(.enabled(if: Python.path != nil), arguments: Transport.allCases)
    func `over TLS they are answered alike`(_ transport: Transport) throws {
        let certificates = try ClientCertificates.shared.get()
        let certificate =
            "{ names: [\"localhost\"], certificateFile: \"\(certificates.good.chain)\", keyFile: \"\(certificates.good.key)\" }"
        let setup = Setup(
            name: "raw-tls", server: "tls: { certificates: [\(certificate)] },", rest: Setup.open.rest)
        try Service.run(setup, transport) { service in
            try Python.expectSuccess("raw_requests.py", "\(service.port)", certificates.authority)
        }
    }
}

/// A request of Fixtures/raw-requests.json. Its text stands for bytes: each scalar is one, `{{a:9}}` is nine a, and `{{A:*9}}` nine
/// times `A:`.
struct RawRequest: Sendable, Decodable {
    let section: String
    let name: String
    /// Several parts, of which each but the first is sent when an answer has come.
    let send: [String]
    let status: [Int]
    /// Whether the connection goes on to serve another request.
    let keeps: Bool
    /// Whether the answers are to HEAD, and have no body.
    let head: Bool
    /// Whether the client says after it that nothing more will come.
    let ends: Bool

    private enum Key: CodingKey { case section, name, send, status, keeps, head, ends }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        section = try values.decode(String.self, forKey: .section)
        name = try values.decode(String.self, forKey: .name)
        send = try (try? [values.decode(String.self, forKey: .send)]) ?? values.decode([String].self, forKey: .send)
        status = try values.decode([Int].self, forKey: .status)
        keeps = try values.decode(Bool.self, forKey: .keeps)
        head = try values.decodeIfPresent(Bool.self, forKey: .head) ?? false
        ends = try values.decodeIfPresent(Bool.self, forKey: .ends) ?? false
    }

    static let all: [RawRequest] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/raw-requests.json")
        return (try? JSONDecoder().decode([RawRequest].self, from: Data(contentsOf: file))) ?? []
    }()

    static let sections = Set(all.map(\.section)).sorted()

    /// What follows a request that closes, and must not be answered.
    private static let next = "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: next\r\n\r\n"

    static func bytes(_ text: String) -> [UInt8] {
        var text = text
        for match in text.matches(of: #/\{\{(.):(\d+)\}\}/#).reversed() {
            text.replaceSubrange(match.range, with: String(repeating: String(match.1), count: Int(match.2) ?? 0))
        }
        for match in text.matches(of: #/\{\{((?:.|\r\n)+?)\*(\d+)\}\}/#).reversed() {
            text.replaceSubrange(match.range, with: String(repeating: String(match.1), count: Int(match.2) ?? 0))
        }
        return text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    func check(on service: Service) throws {
        let client = try service.connect()
        var expected = status[...]
        var last: Answer?
        for (index, part) in send.enumerated() {
            let isLast = index + 1 == send.count
            let following = isLast && !keeps && !ends ? RawRequest.next : ""
            // It may have refused, and closed, before all was sent.
            try? client.send(RawRequest.bytes(part) + Array(following.utf8))
            if ends { client.finishSending() }
            for status in isLast ? expected : [expected.removeFirst()] {
                let answer = try client.answer(toHead: head)
                #expect(answer.status == status, "\(section) \(name)")
                #expect(status != 405 || answer.has("Allow"), "\(section) \(name)")
                last = answer
            }
        }
        if keeps {
            try client.send(RawRequest.next)
            let answer = try client.answer()
            #expect(answer.status == 200 && answer["X-Request-Id"] == "next", "\(section) \(name)")
        } else {
            #expect(last?.closes != false, "\(section) \(name)")
            let isClosed = try client.isClosed()
            #expect(isClosed, "\(section) \(name): another answer came")
        }
    }
}
