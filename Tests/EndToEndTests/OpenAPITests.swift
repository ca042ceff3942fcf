import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("OpenAPI, and what is compressed", .waiting, .timeLimit(.minutes(20)))
struct OpenAPITests {
    @Test func `large answers of the admin listener are compressed for those who take it, and none of the public one`()
        throws
    {
        let service = try Service.shared(.open, .epoll)
        for path in ["/openapi.json", "/metrics"] {
            let url = "http://localhost:\(service.admin.port)\(path)"
            let plain = try CurlTests.curl(["--include", url])
            #expect(!plain.out.contains("Content-Encoding") && plain.out.contains("Vary: Accept-Encoding\r\n"))
            let compressed = try CurlTests.curl(["--include", "--compressed", url])
            #expect(compressed.out.contains("Content-Encoding: gzip\r\n"), "\(compressed.err)")
            let length = compressed.out.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.output.1) } ?? .max
            let body = compressed.out.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
            #expect(length < body.utf8.count / 2)
            if path == "/openapi.json" { #expect(plain.out.hasSuffix(body) && !body.isEmpty) }
            let refused = try service.admin.get(path, "Accept-Encoding: gzip;q=0")
            #expect(!refused.has("Content-Encoding"))
        }
        let small = try service.admin.get("/readyz", "Accept-Encoding: gzip")
        #expect(!small.has("Content-Encoding"))
        for target in ["/qiniu/uptoken?key=photos/a", "/grants"] {
            #expect(!(try service.get(target, "Accept-Encoding: gzip")).has("Content-Encoding"))
        }
    }
}
