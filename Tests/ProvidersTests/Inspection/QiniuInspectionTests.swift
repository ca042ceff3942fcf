import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// What is told of Qiniu's tokens, URLs and signed requests.
@Suite struct QiniuInspectionTests {
    private let now = InspectionSample.now

    private func token(_ policy: String, accessKey: String = "AKID") throws -> String {
        let key = try InspectionSample.key(accessKey)
        return try InspectionSample.written { out, scratch in
            scratch.append(text: policy)
            try SignedPolicy.write(policy: &scratch, .urlSafe, key.accessKey, key.sha1, into: &out)
        }
    }

    private func policy(_ more: String = "", scope: String = "media:a/b.jpg", deadline: Int64? = nil) -> String {
        "{\"scope\":\"\(scope)\",\"deadline\":\(deadline ?? now + 600)\(more)}"
    }

    // MARK: Upload tokens

    @Test func `an upload token tells what it allows, and is genuine`() throws {
        let token = try token(policy(#","fsizeLimit":5,"keylimit":["a"],"insertOnly":1"#))
        try InspectionSample.expectGenuine(token, "Qiniu upload token", until: now + 600)
        let inspection = try InspectionSample.inspect(" \n\(token)\r\n")
        #expect(inspection[fact: "bucket"] == "media")
        #expect(inspection[fact: "key"] == "a/b.jpg")
        #expect(inspection[fact: "replaces objects"] == "no")
        #expect(inspection[fact: "policy.fsizeLimit"] == "5")
        #expect(inspection[fact: "policy.keylimit"] == #"["a"]"#)
        #expect(inspection[fact: "access key"] == "AKID")
    }

    @Test func `scopes are told apart`() throws {
        let prefix = try InspectionSample.inspect(token(policy(#","isPrefixalScope":1"#, scope: "media:a/")))
        #expect(prefix[fact: "key prefix"] == "a/" && prefix[fact: "key"] == nil)
        #expect(prefix[fact: "replaces objects"] == "no")
        let key = try InspectionSample.inspect(token(policy(scope: "media:a/b.jpg")))
        #expect(key[fact: "key"] == "a/b.jpg" && key[fact: "replaces objects"] == "yes")
        let bucket = try InspectionSample.inspect(token(policy(scope: "media")))
        #expect(bucket[fact: "key"] == "any" && bucket[fact: "replaces objects"] == "no")
    }

    @Test func `an upload token is refused for what is wrong with it`() throws {
        let token = try token(policy())
        let parts = token.split(separator: ":").map(String.init)
        let changed = parts[1].first == "A" ? "B" : "A"
        try InspectionSample.expectRefusal(
            "\(parts[0]):\(changed)\(parts[1].dropFirst()):\(parts[2])", "signature", "not that of this policy")
        // Another scope under the same signature.
        let other = try self.token(policy(scope: "media:a/c.jpg")).split(separator: ":")[2]
        try InspectionSample.expectRefusal("\(parts[0]):\(parts[1]):\(other)", "signature", "not that of this policy")
        try InspectionSample.expectRefusal(try self.token(policy(), accessKey: "AKIE"), "access key", "no credential")
        try InspectionSample.expectRefusal(
            try self.token(policy(deadline: now - 61)), "expiry", "it ended 1 min 1 s ago")
        try InspectionSample.expectRefusal(try self.token(policy(deadline: 1 << 32)), "deadline", "32 bits")
        try InspectionSample.expectRefusal("AKID:\(parts[1]):\(parts[2].dropLast())", "form", "base64")
        try InspectionSample.expectRefusal(try self.token("{\"scope\":\"\"}"), "form", "bucket")
        try InspectionSample.expectRefusal(try self.token("{"), "form", "no JSON")
        for (more, reason) in [
            (#","callbackUrl":"http://a""#, "callbackUrl needs callbackBody"),
            (#","fsizeMin":9,"fsizeLimit":5"#, "fsizeMin must not be greater"),
            (#","fsizeLimit":"5""#, "fsizeLimit is of another type"),
        ] {
            try InspectionSample.expectRefusal(try self.token(policy(more)), "policy", reason)
        }
    }

    @Test func `an answer that says something else than its token is refused`() throws {
        let token = try token(policy())
        let genuine = #"{"uptoken":"\#(token)","bucket":"media","key":"a/b.jpg"}"#
        #expect(try InspectionSample.inspect(genuine).verdict == .genuine)
        try InspectionSample.expectRefusal(genuine.replacing("media", with: "medium"), "answer", "bucket beside it")
        try InspectionSample.expectRefusal(genuine.replacing("a/b", with: "a/c"), "answer", "key beside it")
    }

    // MARK: URLs

    private func download(_ query: String = "") throws -> String {
        let (key, query) = (Array("a b/é.jpg".utf8), Array(query.utf8))
        let origin = try #require(BaseURL(isSecure: true, Array("m.example.com".utf8)))
        return try InspectionSample.written { out, _ in
            try DownloadURL.write(
                for: ObjectURL(key.span, query: query.span, on: origin), until: now + 600, with: InspectionSample.key(),
                into: &out
            )
        }
    }

    @Test func `a download URL is genuine as it is, and in a request`() throws {
        for url in [try download(), try download("imageView2/1/w/120")] {
            try InspectionSample.expectGenuine(url, "Qiniu download URL", until: now + 600)
            let inspection = try InspectionSample.inspect(url)
            #expect(inspection[fact: "key"] == "a b/é.jpg" && inspection[fact: "host"] == "m.example.com")
            let target = url.dropFirst("https://m.example.com".count)
            let request = "GET \(target) HTTP/1.1\r\nHost: m.example.com\r\n\r\n"
            try InspectionSample.expectGenuine(request, "Qiniu download URL", until: now + 600)
            try InspectionSample.expectRefusal(request.replacing("GET", with: "PUT"), "method", "GET or HEAD")
        }
    }

    @Test func `a download URL is refused for what is wrong with it`() throws {
        let url = try download()
        try InspectionSample.expectRefusal(url.replacing("jpg", with: "png"), "signature", "this very URL")
        try InspectionSample.expectRefusal(url.replacing("https", with: "http"), "signature", "this very URL")
        try InspectionSample.expectRefusal(url.replacing("e=\(now + 600)", with: "e=\(now + 601)"), "signature", "URL")
        try InspectionSample.expectRefusal(url + "&v=1", "form", "last parameter")
        try InspectionSample.expectRefusal(url.replacing("AKID:", with: "AKIE:"), "access key", "no credential")
        try InspectionSample.expectRefusal(url.replacing("AKID:", with: "AKID"), "form", "joined by :")
        try InspectionSample.expectRefusal(url, "expiry", "ended 1 s ago", at: now + 601)
        try InspectionSample.expectRefusal(url.replacing("e=\(now + 600)", with: "e=x"), "form", "digits")
    }

    @Test func `a CDN URL is genuine until it ends, and refused one edit away`() throws {
        let origin = try #require(BaseURL(isSecure: true, Array("cdn.example.com".utf8)))
        let key = Array("v/a.mp4".utf8)
        let url = try InspectionSample.written { out, scratch in
            try TimestampAntiLeech.write(
                for: ObjectURL(key.span, on: origin), until: now + 600,
                with: Secret(Array(InspectionSample.cdnKey.utf8)), into: &out, using: &scratch)
        }
        try InspectionSample.expectGenuine(url, "Qiniu CDN URL", until: now + 600)
        try InspectionSample.expectRefusal(url.replacing("a.mp4", with: "b.mp4"), "signature", "this path and end")
        let later = String(now + 601, radix: 16)
        let end = String(now + 600, radix: 16)
        try InspectionSample.expectRefusal(url.replacing("t=\(end)", with: "t=\(later)"), "signature", "path and end")
        try InspectionSample.expectRefusal(url.replacing("t=\(end)", with: "t=\(end)0"), "form", "eight hex digits")
    }

    // MARK: Requests

    private func request(_ signature: ManagementSignature) throws -> String {
        let (target, host) = (Array("/stat/YTpi?x=1".utf8), Array("rs.qiniuapi.com".utf8))
        var text = "GET /stat/YTpi?x=1 HTTP/1.1\r\nHost: rs.qiniuapi.com\r\n"
        let date = ManagementSignature.date(now).text
        if signature == .qiniu { text += "X-Qiniu-Date: \(date)\r\n" }
        let authorization = try InspectionSample.written { out, scratch in
            let (lines, type, method) = (Array("X-Qiniu-Date: \(date)\r\n".utf8), ManagementSignature.form.array, "GET")
            let (name, none) = (Array(method.utf8), [UInt8]())
            let request = try ManagementRequest(
                method: name.span, target: target.span, host: host.span, contentType: type.span, fieldLines: lines.span,
                body: none.span)
            try signature.write(for: request, with: InspectionSample.key(), into: &out, using: &scratch)
        }
        return text + "Content-Type: application/x-www-form-urlencoded\r\nAuthorization: \(authorization)\r\n\r\n"
    }

    @Test func `a signed request is genuine as it is sent, and as curl shows it`() throws {
        let request = try request(.qiniu)
        try InspectionSample.expectGenuine(request, "Qiniu Authorization", until: now + 900)
        let trace = request.split(separator: "\r\n").map { "> \($0)\n" }.joined()
        try InspectionSample.expectGenuine(
            "*   Trying 127.0.0.1:80...\n" + trace + ">\n< HTTP/1.1 200 OK\n< Date: x\n<\n{}", "Qiniu Authorization",
            until: now + 900)
        let old = try InspectionSample.inspect(self.request(.qbox))
        #expect(old.verdict == .genuine && old.endsAt == nil)
        #expect(old[fact: "ends"]?.hasPrefix("never") == true)
    }

    @Test func `a signed request is refused for what is wrong with it`() throws {
        let request = try request(.qiniu)
        try InspectionSample.expectRefusal(request.replacing("x=1", with: "x=2"), "signature", "this request")
        try InspectionSample.expectRefusal(request.replacing("rs.q", with: "rt.q"), "signature", "this request")
        try InspectionSample.expectRefusal(request.replacing("Qiniu AKID", with: "Qiniu AKIE"), "access key", "no cred")
        try InspectionSample.expectRefusal(request, "expiry", "ended", at: now + 901)
        try InspectionSample.expectRefusal(request, "date", "begins in", at: now - 901)
        try InspectionSample.expectRefusal("Qiniu AKID", "form", "joined by :")
    }

    @Test func `a body that the signature does not cover is told`() throws {
        let form = try request(.qbox)
        #expect(try InspectionSample.inspect(form)[fact: "body"] == nil)
        let other = form.replacing("application/x-www-form-urlencoded", with: "application/json") + "{}"
        #expect(try InspectionSample.inspect(other)[fact: "body"] == "not covered by the signature")
        try InspectionSample.expectRefusal(form + "a=b", "signature", "this request")
    }

    @Test func `an Authorization alone is read, and says that its request is missing`() throws {
        let request = try request(.qiniu)
        let line = try #require(request.split(separator: "\r\n").last)
        for text in [String(line), String(line.dropFirst("Authorization: ".count))] {
            let inspection = try InspectionSample.inspect(text)
            #expect(inspection.verdict == .unverified)
            #expect(
                inspection.checks.contains { $0.outcome == .open && $0.reason.contains("method, target and fields") })
        }
    }
}
