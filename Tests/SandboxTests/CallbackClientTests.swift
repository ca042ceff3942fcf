import Testing

@testable import Bytes
@testable import Sandbox

/// Callbacks go where they may, and nowhere else.
@Suite(.timeLimit(.minutes(20))) struct CallbackClientTests {
    private let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    private func reason(_ url: String, _ client: CallbackClient) -> String? {
        do throws(CallbackClient.Failure) {
            _ = try client.destination(Array(url.utf8))
            return nil
        } catch { return error.reason }
    }

    @Test func `only hosts that were named are called, and by plain HTTP`() throws {
        let client = CallbackClient(hosts: [try #require(HostPort("127.0.0.1:80")), try #require(HostPort("[::1]:81"))])
        for url in ["http://127.0.0.1", "http://127.0.0.1/a?b", "http://127.0.0.1:80/", "http://[::1]:81/"] {
            #expect(reason(url, client) == nil, "\(url)")
        }
        for url in [
            "http://127.0.0.1:81/", "http://127.0.0.2/", "http://[::1]/", "http://example.com/", "http://", "http:///",
        ] {
            #expect(reason(url, client)?.hasPrefix("--callback-host does not name") == true, "\(url)")
        }
        for url in ["", "https://127.0.0.1/", "127.0.0.1", "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/ a"] {
            #expect(reason(url, client) == "the sandbox calls http:// alone", "\(url)")
        }
    }

    @Test func `an upload by token relays what the server answers`() throws {
        let server = try CallbackServer(answering: good)
        let peer = try NOSPeer(callbackHosts: [try #require(server.host)])
        let token = try NOSPeer.token(
            #""Object":"a/ü","CallbackUrl":"\#(server.url)/c?x=1","CallbackBody":"o=$(Object)&n=$(ObjectSize)""#)
        let answer = try peer.upload("a/ü", "content", token: token)
        #expect(answer.status == 200 && answer.text.hasSuffix(#""callbackRetMsg":"e30="}"#), "\(answer.text)")
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("POST /c?x=1 HTTP/1.1\r\nHost: 127.0.0.1:"))
        #expect(request.contains("\r\nContent-Type: application/x-www-form-urlencoded\r\n"))
        #expect(request.hasSuffix("\r\n\r\no=a%2F%C3%BC&n=7"))
    }

    @Test(arguments: [
        "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "nonsense\r\n\r\n", "",
    ])
    func `an upload whose callback fails says so, and is there`(answer: String) throws {
        let server = try CallbackServer(answering: answer)
        let peer = try NOSPeer(callbackHosts: [try #require(server.host)])
        let token = try NOSPeer.token(#""Object":"a","CallbackUrl":"\#(server.url)""#)
        #expect(try peer.upload("a", "content", token: token).status == 520)
        #expect(server.requests.count == 1)
        #expect(try peer.signed("GET", "/demo-files/a").text == "content")
    }
}
