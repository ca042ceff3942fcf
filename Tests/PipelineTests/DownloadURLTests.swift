import Foundation
import Testing

@testable import TestService

@Suite("Qiniu download and CDN URLs over HTTP")
struct DownloadURLTests {
    // MARK: /qiniu/download-url

    @Test func `a download URL is of the grant's domain, the key, its deadline and a token`() throws {
        let answer = try Service.shared(.requests).get("/qiniu/download-url?key=photos/a.jpg")
        let (url, deadline) = try Verified.download(answer.json["url"]?.string)
        answer.expectTerms(grant: "site", lifetime: 600, limitedBy: "grant", deadline: deadline)
        #expect(url.text.hasPrefix("https://media.example.com/photos/a.jpg?e="))
        #expect(answer.json["deadline"]?.integer == deadline)
        #expect(answer.json["key"] == "photos/a.jpg")
        #expect(answer.json.names == Answer.terms.union(["url", "key", "deadline"]))
    }

    @Test func `a query that the grant has stands in the URL as it is, before the deadline`() throws {
        let service = try Service.shared(.requests)
        for query in ["imageView2/1/w/120", "attname=a%20b.jpg&v=1"] {
            for answer in [
                try service.get("/qiniu/download-url?key=photos/a.jpg&expires=60&query=\(percent(query))"),
                try service.post(
                    "/qiniu/download-url", json: #"{"key":"photos/a.jpg","expires":60,"query":"\#(query)"}"#),
            ] {
                let (url, deadline) = try Verified.download(answer.json["url"]?.string)
                #expect(url.text.hasPrefix("https://media.example.com/photos/a.jpg?\(query)&e="))
                answer.expectTerms(grant: "site", lifetime: 60, limitedBy: "requested", deadline: deadline)
            }
        }
        for query in [
            "imageView2/1/w/121", "imageView2/1/w/12", "imageView2/1/w/120&v=1", "imageView2/1/w/120|x", "v=1", "e=1",
            "imageview2/1/w/120", "imageView2%2F1%2Fw%2F120", "attname=a b.jpg&v=1", "imageView2/1/w/120 ",
            "imageView2/1/w/120\n", "attname=a%20b.jpg", "v=1&attname=a%20b.jpg",
        ] {
            let answer = try service.get("/qiniu/download-url?key=photos/a.jpg&query=\(percent(query))")
            answer.expectProblem(403, "not_in_grant", "word for word")
            #expect(answer.json["clause"] == "query")
        }
    }

    @Test func `keys of any UTF-8 are percent-encoded, and arrive as they are`() throws {
        let service = try Service.shared(.requests)
        for key in [
            "photos/照片 1.jpg", "photos/a+b&c=d.jpg", "photos/a?e=1&token=x#f", "photos/%2e%2e/a", "photos/a%2Fb",
            "photos/\"quoted\"\\a", "photos/@evil.example/:80", "photos//evil.example/a", "photos/~._-a", "photos/a..b",
        ] {
            let answer = try service.get("/qiniu/download-url?key=\(percent(key))")
            let (url, _) = try Verified.download(answer.json["url"]?.string)
            #expect(url.host == "media.example.com")
            #expect(url.key == key)
            #expect(url.parameters.map(\.name) == ["e", "token"])
            #expect(answer.json["key"] == .string(key))
        }
    }

    @Test func `R13: a grant's own key, scheme and port are what is signed`() throws {
        let service = try Service.shared(.requests)
        for query in ["?grant=report", "?key=fixed/report.pdf"] {
            let answer = try service.get("/qiniu/download-url\(query)")
            let (url, _) = try Verified.download(answer.json["url"]?.string)
            #expect(url.text.hasPrefix("http://files.example.com:8080/fixed/report.pdf?e="))
            #expect(answer.json["key"] == "fixed/report.pdf")
        }
        try service.get("/qiniu/download-url?grant=report&key=fixed/report2.pdf").expectProblem(403, "not_in_grant")
        try service.get("/qiniu/download-url?grant=site").expectProblem(400, "missing_parameter", "key")
    }

    @Test func `R5: a URL ends with the caller's own key`() throws {
        let service = try Service.shared(.requests)
        let key = "users/apiKey-ending/a.jpg"
        let answer = try service.get("/qiniu/download-url?key=\(key)", APIKey.ending.bearer)
        answer.expectSuccess()
        #expect(answer.json["limitedBy"] == "caller")
        #expect(try Verified.download(answer.json["url"]?.string).deadline == APIKey.ending.notAfter)
        try service.get("/qiniu/download-url?key=\(key)", APIKey.alice.bearer).expectProblem(403, "not_in_grant")
        try service.get("/qiniu/download-url?key=photos/a.jpg&expires=3601")
            .expectProblem(400, "invalid_parameter", "at most 3600")
    }

    // MARK: /qiniu/cdn-url

    @Test func `a CDN URL is signed with the CDN's key, its deadline in hex`() throws {
        let service = try Service.shared(.requests)
        for key in ["videos/a.mp4", "videos/中文/b c.m3u8", "videos/x", "videos/a%2Fb+.jpg"] {
            let answer = try service.get("/qiniu/cdn-url?expires=60&key=\(percent(key))")
            let (url, deadline) = try Verified.antiLeech(answer.json["url"]?.string)
            answer.expectTerms(grant: "videos", lifetime: 60, limitedBy: "requested", deadline: deadline)
            #expect(url.text.hasPrefix("https://cdn.example.com/videos/"))
            #expect(url.key == key)
            #expect(url.parameters.map(\.name) == ["sign", "t"])
            #expect(answer.json["key"] == .string(key))
            #expect(answer.json["deadline"]?.integer == deadline)
            #expect(answer.json.names == Answer.terms.union(["url", "key", "deadline"]))
        }
        let asked = try service.get("/qiniu/cdn-url?key=videos/a.mp4&query=v%3D1")
        #expect(try Verified.antiLeech(asked.json["url"]?.string).url.query?.hasPrefix("v=1&sign=") == true)
        let fixed = try service.get("/qiniu/cdn-url?grant=intro")
        #expect(try Verified.antiLeech(fixed.json["url"]?.string).url.path == "/intro.mp4")
    }

    @Test func `no CDN URL is signed of which one of another key could be made, unless the grant says so`() throws {
        let service = try Service.shared(.requests)
        for name in ["a1", "a.mp41", "a", "F", "a.jpg68a5b3c0", "b.jpge", "2026"] {
            let answer = try service.get("/qiniu/cdn-url?key=videos/\(name)")
            answer.expectProblem(403, "not_in_grant", "deadline")
            #expect(answer.json["clause"] == "key")
            let loose = try service.get("/qiniu/cdn-url?key=loose/\(name)")
            #expect(try Verified.antiLeech(loose.json["url"]?.string).url.key == "loose/\(name)")
        }
    }

    @Test func `neither the CDN's key nor the account's is ever in an answer`() throws {
        let service = try Service.shared(.requests)
        for target in [
            "/qiniu/cdn-url?key=videos/x", "/qiniu/cdn-url?key=videos/1", "/qiniu/download-url?key=photos/a",
        ] {
            let text = try service.get(target).text
            for secret in [Setup.cdnKey, Setup.qiniuSecret] { #expect(!text.contains(secret)) }
        }
    }
}
