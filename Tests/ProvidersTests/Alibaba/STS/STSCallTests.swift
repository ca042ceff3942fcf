import Foundation
import TestTraits
import Testing

@testable import Bytes
@testable import Crypto
@testable import Providers

private func written(_ call: UpstreamCall) -> Result<String, UpstreamCallError> {
    var out = ByteWriter()
    out.append("before")
    do throws(UpstreamCallError) {
        try call.write(into: &out)
        return .success(String(out.array.text.dropFirst(6)))
    } catch {
        return out.array.text == "before" ? .failure(error) : .success("something was written before it failed")
    }
}

private func call(
    _ method: UpstreamCall.Method = .get, authority: String = "sts.aliyuncs.com", path: String = "/",
    headers: [(String, String)] = [], body: String = ""
) -> UpstreamCall {
    UpstreamCall(
        method, authority: Array(authority.utf8), path: Array(path.utf8),
        headers: headers.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) }, body: Array(body.utf8))
}

@Suite struct STSCallTests {
    @Test func `a call is written as HTTP`() throws {
        let call = UpstreamCall(
            .post, authority: Array("127.0.0.1:8443".utf8), path: Array("/a/b".utf8),
            query: [NameValue("a b", "c&d=\r\n"), NameValue("e", "")],
            headers: [NameValue("X-A", "b c"), NameValue("x-e", "")], body: Array("x=1".utf8))
        #expect(
            try written(call).get() == "POST /a/b?a%20b=c%26d%3D%0D%0A&e= HTTP/1.1\r\nHost: 127.0.0.1:8443\r\n"
                + "X-A: b c\r\nx-e: \r\nContent-Length: 3\r\n\r\nx=1")
    }

    @Test func `a length is told with a body and with every method that may have one`() throws {
        #expect(try written(call(.get)).get() == "GET / HTTP/1.1\r\nHost: sts.aliyuncs.com\r\n\r\n")
        #expect(try written(call(.get, body: "b")).get().contains("Content-Length: 1\r\n"))
        #expect(try written(call(.post)).get().contains("Content-Length: 0\r\n"))
        #expect(try written(call(.put)).get().contains("Content-Length: 0\r\n"))
    }

    static let breaks = [
        "\r", "\n", "\r\n", "\0", "\r\nX: y", "\n\nGET / HTTP/1.1\r\n", "\u{7F}", "\u{1}", "\t", "é",
    ]

    @Test(arguments: breaks) func `nothing that breaks a line goes out`(text: String) {
        #expect(written(call(authority: "sts\(text)")) == .failure(.authority))
        #expect(written(call(authority: "\(text)sts")) == .failure(.authority))
        #expect(written(call(path: "/\(text)")) == .failure(.path))
        #expect(written(call(path: "/a\(text)b")) == .failure(.path))
        #expect(written(call(headers: [("X-A\(text)", "b")])) == .failure(.headerName))
        #expect(written(call(headers: [("\(text)", "b")])) == .failure(.headerName))
        #expect(written(call(headers: [("X-A", "b\(text)c")])) == .failure(.headerValue))
        #expect(written(call(headers: [("X-A", text)])) == .failure(.headerValue))
    }

    @Test(arguments: [
        "", " ", "a b", "user@host", "host/path", "host?query", "host#x", "a,b", "a;b", "a\\b",
        String(repeating: "a", count: 262),
    ])
    func `no authority but host and port`(text: String) {
        #expect(written(call(authority: text)) == .failure(.authority))
    }

    @Test(arguments: ["", "a", "*", "/a b", "/?a=b", "/#a", " /", "http://other/"])
    func `no path but an encoded one`(text: String) {
        #expect(written(call(path: text)) == .failure(.path))
    }

    @Test(arguments: ["", ":", "a:", "a b", " a", "a ", "a(b)", "{a}", "a/b"])
    func `no header name but a word`(text: String) {
        #expect(written(call(headers: [(text, "b")])) == .failure(.headerName))
    }

    @Test(arguments: [" a", "a ", " "]) func `no spaces around a header's value`(text: String) {
        #expect(written(call(headers: [("X-A", text)])) == .failure(.headerValue))
    }

    @Test(arguments: [
        "Host", "content-length", "Transfer-Encoding", "CONNECTION", "te", "Upgrade", "Expect", "Trailer",
    ])
    func `framing is not the caller's`(name: String) {
        #expect(written(call(headers: [(name, "0")])) == .failure(.headerNotOurs))
    }

    @Test func `no header twice, whatever its case`() {
        #expect(written(call(headers: [("X-A", "b"), ("x-a", "b")])) == .failure(.headerRepeated))
    }

    @Test func `10,000 calls of random bytes are one request each, or none`() throws {
        var random = SplitMix64(seed: 0x575)
        let alphabet = Array("\r\n\0 :/?#&=%aZ09-_.[]@\u{7F}é".utf8)
        func text(_ start: String) -> [UInt8] {
            Array(start.utf8)
                + (0..<Int.random(in: 0...6, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
        }
        var accepted = 0
        for _ in 0..<10_000 {
            let call = UpstreamCall(
                .post, authority: text("h"), path: text("/"), query: [NameValue(text("q"), text(""))],
                headers: [NameValue(text("X"), text(""))], body: [])
            guard let text = try? written(call).get() else { continue }
            accepted += 1
            // Bytes, since "\r\n" is one Character: request line, Host, the header, the length, and the end.
            let bytes = Array(text.utf8)
            #expect(text.components(separatedBy: "\r\n").count == 6 && text.hasSuffix("\r\n\r\n"))
            #expect(bytes.count { $0 == 10 } == 5 && bytes.count { $0 == 13 } == 5 && !bytes.contains(0))
            #expect(text.components(separatedBy: "\r\n").first?.components(separatedBy: " ").count == 3)
        }
        #expect(accepted > 20)
    }

    @Test func `a call prints neither headers nor body`() throws {
        let request = try STSSample.request()
        for scheme in [STSScheme.acs3, .rpc] {
            let call = try request.call(
                to: STSSample.authority, signedBy: STSSample.key(scheme, token: STSSample.token),
                nonce: STSSample.nonce, at: STSSample.now)
            let text = everything(of: call) + everything(of: [call]) + everything(of: call.headers)
            #expect(!text.contains("CAIS") && !text.contains("Signature=") && !text.contains("AssumeRole"))
        }
    }

    // MARK: Answers

    @Test func `the vendor's clock is found whatever the header's case, the first of several`() {
        let answer = UpstreamAnswer(
            status: 429,
            headers: [
                NameValue("X-Other", "x"), NameValue("dATE", "Fri, 05 Sep 2025 10:01:38 GMT"),
                NameValue("Date", "Fri, 05 Sep 2025 11:01:38 GMT"),
            ], body: [])
        #expect(answer.moment == STSSample.now)
        #expect(UpstreamAnswer(status: 429, body: []).moment == nil)
    }

    @Test func `an answer prints nothing of its body`() {
        let answer = UpstreamAnswer(status: 200, body: Array("hidden".utf8))
        #expect(!everything(of: answer).contains("hidden"))
    }
}
