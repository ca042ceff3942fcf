import Bytes
import Testing

@testable import HTTP

@Suite struct RequestParserTests {
    private func outcome(_ raw: [UInt8], limits: Limits = RequestCase.limits) -> RequestCase.Outcome {
        do throws(RequestError) {
            guard let head = try RequestParser(limits: limits).parse(raw.span) else { return .incomplete }
            return .accepted(
                RequestCase.Accepted(
                    method: head.method, path: latin(Array(raw[head.path])), query: latin(Array(raw[head.query])),
                    authority: latin(Array(raw[head.authority])), keepsAlive: head.keepsAlive))
        } catch {
            return .refused(error.kind)
        }
    }

    @Test func `the corpus has at least 120 requests`() { #expect(RequestCase.all.count >= 120) }

    @Test(arguments: RequestCase.all)
    func `reads the head of every request of the corpus as it should`(request: RequestCase) {
        var expected = request.outcome
        if case .accepted(var accepted) = expected {
            accepted.body = ""
            expected = .accepted(accepted)
        }
        #expect(outcome(request.raw) == expected)
    }

    @Test func `no head is complete or refused before its last byte`() {
        for request in RequestCase.accepted {
            guard let end = headEnd(request.raw) else { continue }
            for cut in 0..<end {
                #expect(outcome(Array(request.raw[..<cut])) == .incomplete, "\(request) cut at \(cut)")
            }
        }
    }

    @Test func `a request line without an end is refused when it cannot fit any more`() {
        let line = octets("GET /")
        #expect(outcome(line + [UInt8](repeating: 97, count: 116)) == .incomplete)
        #expect(outcome(line + [UInt8](repeating: 97, count: 117)) == .refused(.uriTooLong))
    }

    @Test func `fields without an end are refused when they cannot fit any more`() {
        let line = octets("GET / HTTP/1.1\r\n")
        #expect(outcome(line + [UInt8](repeating: 97, count: 301)) == .incomplete)
        #expect(outcome(line + [UInt8](repeating: 97, count: 302)) == .refused(.headersTooLarge))
    }

    @Test func `finds every field that the service looks at, in any case`() throws {
        let names = [
            "Host", "Connection", "Content-Length", "Content-Type", "Transfer-Encoding", "Expect", "Accept",
            "Accept-Encoding", "traceparent", "Authorization", "X-API-Key", "Origin", "Sec-Fetch-Site", "X-Request-ID",
            "Access-Control-Request-Method", "X-Forwarded-For", "X-Forwarded-Proto", "Forwarded",
        ]
        #expect(names.count == FieldName.allCases.count)
        for (name, field) in zip(names, FieldName.allCases) {
            #expect(FieldName.of(octets(name).span) == field)
            #expect(FieldName.of(octets(name.uppercased()).span) == field)
            #expect(FieldName.of(octets("\(name)x").span) == nil)
        }
    }

    @Test func `a repeated field is told, and its first value given`() throws {
        let raw = octets("GET / HTTP/1.1\r\nHost: h\r\nAccept: a\r\nAccept: b\r\nOrigin: c\r\n\r\n")
        let head = try #require(try RequestParser(limits: Limits()).parse(raw.span))
        #expect(head.isRepeated(.accept))
        #expect(!head.isRepeated(.origin))
        #expect(head.value(of: .authorization) == nil)
        #expect(head.value(of: .accept).map { latin(Array(raw[$0])) } == "a")
        #expect(head.value(of: .origin).map { latin(Array(raw[$0])) } == "c")
    }

    @Test(arguments: [
        ("close", true), ("a,close", true), (" CLOSE ,a", true), ("close;q=1", true), ("a;close", false), ("", false),
        (",", false), ("clos", false), ("closee", false), ("clo se", false),
    ])
    func `a list has the tokens between its commas`(list: String, has: Bool) {
        #expect(ListField.contains("close", in: octets(list).span) == has)
    }

    @Test(
        arguments: [
            ("text/plain", 1000), ("a, TEXT/PLAIN ;q=0.5", 500), ("text/plain;charset=utf-8;q=0", 0),
            ("text/plain;q=1.000,", 1000),
            ("text/plain;charset=utf-8", 1000), ("text/plain;q=0.0001", 0), ("text/plain;q=x", 0),
            ("text/plain;", 1000),
            ("a", nil), ("", nil), ("text/*;q=1", nil),
        ] as [(String, Int?)])
    func `a type that is accepted has its weight`(list: String, weight: Int?) {
        #expect(ListField.weight(of: "text/plain", in: octets(list).span, isType: true) == weight)
    }

    private func headEnd(_ raw: [UInt8]) -> Int? {
        raw.indices.dropFirst(3).first { Array(raw[$0 - 3...$0]) == [13, 10, 13, 10] }.map { $0 + 1 }
    }
}
