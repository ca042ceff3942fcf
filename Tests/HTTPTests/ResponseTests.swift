import Bytes
import Testing

@testable import HTTP

@Suite struct ResponseTests {
    private let date = octets("Sun, 06 Nov 1994 08:49:37 GMT")

    private func written(_ persistence: StaticString? = nil, _ fill: (inout Response) -> Void) -> String {
        var response = Response()
        fill(&response)
        var out = ByteWriter(capacity: 64)
        response.write(date: date.span, persistence: persistence, into: &out)
        return latin(out.array)
    }

    private let common = """
        Date: Sun, 06 Nov 1994 08:49:37 GMT\r
        Cache-Control: no-store\r
        X-Content-Type-Options: nosniff\r

        """

    @Test func `an answer is its status line, its fields, an empty line and its body`() {
        let text = written {
            $0.body.append("{\"a\":1}")
            $0.add("X-Request-Id", octets("r1").span)
            $0.add("Retry-After", "5")
            $0.add("Allow", "GET, HEAD")
        }
        let expected = """
            HTTP/1.1 200 OK\r
            \(common)Content-Type: application/json; charset=utf-8\r
            Content-Length: 7\r
            X-Request-Id: r1\r
            Retry-After: 5\r
            Allow: GET, HEAD\r
            \r
            {"a":1}
            """
        #expect(text == expected)
    }

    @Test func `a problem says so, and that the connection ends`() {
        let text = written("close") {
            $0.status = 404
            $0.contentType = .problem
        }
        let expected = """
            HTTP/1.1 404 Not Found\r
            \(common)Content-Type: application/problem+json\r
            Content-Length: 0\r
            Connection: close\r
            \r

            """
        #expect(text == expected)
    }

    @Test func `204 has neither content nor its length and type`() {
        let text = written {
            $0.status = 204
            $0.body.append("lost")
        }
        #expect(text == "HTTP/1.1 204 No Content\r\n\(common)\r\n")
    }

    @Test func `an answer to HEAD has the type of its content, but no content`() {
        let text = written {
            $0.contentType = .text
            $0.body.append("lost")
            $0.omitsBody = true
        }
        #expect(text == "HTTP/1.1 200 OK\r\n\(common)Content-Type: text/plain; charset=utf-8\r\n\r\n")
    }

    @Test func `a status without a name still has a reason`() {
        #expect(written { $0.status = 299 }.hasPrefix("HTTP/1.1 299 Status\r\n"))
    }

    @Test func `a field value that could break out of its line does not leave`() {
        for byte in UInt8.min...UInt8.max {
            let text = written { $0.add("X-Echo", (octets("a") + [byte] + octets("b")).span) }
            let leaves = byte >= 0x20 && byte != 0x7F
            #expect(text.contains("X-Echo: a\(latin([byte]))b\r\n") == leaves)
            #expect(text.contains("X-Echo") == leaves)
        }
        #expect(!written { $0.add("X-Echo", octets("a\r\nSet-Cookie: b").span) }.contains("Cookie"))
    }

    @Test func `field lines that were taken from one answer can be put into another`() {
        var early = Response()
        early.add("X-Request-Id", octets("r1").span)
        early.add("Vary", "Origin")
        let kept = early.fieldLines.array
        let later = written {
            $0.append(fields: kept.span)
            $0.add("Allow", "GET")
        }
        #expect(later.hasSuffix("\r\nX-Request-Id: r1\r\nVary: Origin\r\nAllow: GET\r\n\r\n"))
    }

    @Test func `reset forgets everything`() {
        let fresh = written { _ in }
        let used = written {
            $0.status = 500
            $0.contentType = .text
            $0.omitsBody = true
            $0.body.append("body")
            $0.add("A", "b")
            $0.reset()
        }
        #expect(used == fresh)
    }
}
