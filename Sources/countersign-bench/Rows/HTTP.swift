import Bytes
import Crypto
import HTTP

extension Chapter {
    private static func head(_ name: String, _ request: String) -> Row {
        Row("request head, \(name)") { bench in
            let parser = RequestParser(limits: Limits())
            let bytes = Array(text: request)
            return {
                guard let head = try parser.parse(bytes.span) else { throw RowError("the request has no end") }
                bench.take(head.length)
            }
        }
    }

    static let http = Chapter(rows: [
        head("GET of curl's", Sample.get("/qiniu/uptoken?key=photos%2F2026%2Fimg%201.jpg")),
        head("GET of a browser's", Sample.browserGet("/qiniu/uptoken?key=photos%2F2026%2Fimg%201.jpg")),
        head("POST", Sample.post("/qiniu/uptoken", "application/json", "{\"key\":\"photos/2026/img 1.jpg\"}")),
        Row("chunked body, 3 chunks of 100 bytes") { bench in
            let chunk = "64\r\n\(String(repeating: "x", count: 100))\r\n"
            let bytes = Array(text: chunk + chunk + chunk + "0\r\n\r\n")
            let limits = Limits()
            return {
                var decoder = ChunkDecoder()
                guard try decoder.advance(over: bytes.span, limits: limits) == bytes.count, decoder.isDone else {
                    throw RowError("the body has no end")
                }
                bench.take(decoder.content.count)
            }
        },
        Row("answer written, 600 bytes") { bench in
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 600)
            let date = HTTPDate.write(Fixture.seconds)
            return {
                bench.response.reset()
                bench.response.body.append(body)
                bench.response.add("X-Request-Id", "0123456789abcdef-1234")
                bench.out.reset()
                bench.response.write(date: date.span, persistence: nil, into: &bench.out)
            }
        },
    ])
}

/// Requests as clients send them.
enum Sample {
    static func get(_ target: String, _ fields: String...) -> String {
        request("GET \(target)", ["User-Agent: curl/8.5.0", "Accept: */*"] + fields)
    }

    static func browserGet(_ target: String) -> String {
        request(
            "GET \(target)",
            [
                "Connection: keep-alive", "sec-ch-ua-platform: \"Linux\"",
                "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0",
                "Accept: application/json, text/plain, */*", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors",
                "Sec-Fetch-Dest: empty", "Referer: http://127.0.0.1:8080/upload", "Accept-Encoding: gzip, deflate, br",
                "Accept-Language: en-GB,en;q=0.9,zh-CN;q=0.8",
            ])
    }

    static func post(_ target: String, _ type: String, _ body: String, _ fields: String...) -> String {
        request(
            "POST \(target)",
            [
                "User-Agent: okhttp/4.12.0", "Accept: application/json", "Content-Type: \(type)",
                "Content-Length: \(body.utf8.count)",
            ] + fields) + body
    }

    /// What a form has for a text.
    static func encoded(_ text: [UInt8]) -> String {
        var out = ByteWriter()
        Percent.encode(text.span, into: &out)
        return out.array.text
    }

    /// The moment of the operations, as V4 has it.
    static let date: String = {
        var out = ByteWriter()
        ISO8601.writeBasic(Fixture.seconds, into: &out)
        return out.array.text
    }()

    /// The string to sign of V4 for a canonical request, made at that moment.
    /// - Parameter scope: what follows the day.
    static func stringToSign(_ algorithm: String, _ scope: String, of canonical: [UInt8]) -> [UInt8] {
        // Without its hash no row with it would be permitted.
        let digest = (try? Digest(.sha256, of: canonical.span))?.bytes.array ?? []
        return Array(text: "\(algorithm)\n\(date)\n\(date.prefix(8))/\(scope)\n\(Hex.encode(digest).text)")
    }

    private static func request(_ line: String, _ fields: [String]) -> String {
        ([line + " HTTP/1.1", "Host: 127.0.0.1:8080"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
    }
}
