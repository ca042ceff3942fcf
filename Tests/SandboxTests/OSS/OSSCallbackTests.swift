import Foundation
import HTTP
import Testing

@testable import Bytes
@testable import Crypto
@testable import Net
@testable import Sandbox

/// An application's server that is told of uploads.
private final class CallbackReceiver: VendorSide {
    let label: StaticString = "application"
    private let received = Guarded<[SandboxRequest]>([])
    private let status: Int
    private let reply: [UInt8]

    init(status: Int = 200, reply: String = #"{"Status":"OK"}"#) {
        self.status = status
        self.reply = Array(reply.utf8)
    }

    var requests: [SandboxRequest] { received.withLock { $0 } }

    func recognises(_ request: SandboxRequest) -> Bool { true }

    func answer(
        _ request: SandboxRequest, _ body: BodyReader, at now: Int64
    ) throws(BodyReader.Fault) -> SandboxResponse {
        var request = request
        request.body = try body.readAll(atMost: 64 * 1024)
        received.withLock { $0.append(request) }
        return SandboxResponse(status, "application/json", reply)
    }
}

/// Callbacks of uploads: what is sent, how it is signed, and what the uploader gets.
@Suite struct OSSCallbackTests {
    /// A sandbox that may call an application, and that application.
    private func withApplication(
        _ receiver: CallbackReceiver, _ body: (OSSFixture, _ address: String) throws -> Void
    ) throws {
        let server = try SandboxServer(Sandbox([receiver]), on: try #require(HostPort("127.0.0.1:0")))
        let thread = Thread { server.run() }
        thread.start()
        defer { server.stop() }
        let address = "\(server.address)"
        try body(try OSSFixture(callbackHosts: [try #require(HostPort(address))]), address)
    }

    private static func base64(_ json: String) -> String { Data(json.utf8).base64EncodedString() }

    private static func callback(_ url: String, _ body: String, json: Bool = false) -> String {
        let type = json ? #","callbackBodyType":"application/json""# : ""
        let text = body.replacing("\"", with: "\\\"")
        return base64(#"{"callbackUrl":"\#(url)","callbackBody":"\#(text)"\#(type)}"#)
    }

    private static func verifies(_ publicPEM: [UInt8], _ signature: [UInt8], over message: [UInt8]) throws -> Bool {
        let key = RSAPublicKey(pem: publicPEM.span)
        let claim = try RSASignature(signature, over: message.span, .md5)
        return try key?.verifies(claim) ?? false
    }

    @Test func `the application is told what was uploaded, signed by the key that the sandbox serves`() throws {
        let receiver = CallbackReceiver()
        try withApplication(receiver) { (fixture, address) throws in
            let text =
                "bucket=${bucket}&object=${object}&etag=${etag}&size=${size}&type=${mimeType}&who=${x:who}&no=${none}&end"
            let call = OSSTestCall("PUT", "a b/ü", "hello") {
                $0.fields = [
                    ("Content-Type", "text/plain"),
                    ("x-oss-callback", OSSCallbackTests.callback("http://\(address)/do%20ne?a=%20b", text)),
                    ("x-oss-callback-var", OSSCallbackTests.base64(#"{"x:who":"me & you"}"#)),
                ]
            }
            let answer = try fixture.send(call)
            #expect(answer.outcome == "200" && answer.text == #"{"Status":"OK"}"#)
            #expect(answer.field("ETag") == "\"5D41402ABC4B2A76B9719D911017C592\"")
            let request = try #require(receiver.requests.first)
            #expect(
                request.body.text
                    == "bucket=demo-bucket&object=a%20b%2F%C3%BC&etag=5D41402ABC4B2A76B9719D911017C592&size=5"
                    + "&type=text%2Fplain&who=me%20%26%20you&no=&end")
            #expect(request.target.text == "/do%20ne?a=%20b")
            let url = request.value(of: "x-oss-pub-key-url") ?? []
            let place = Base64.standard.decode(url.span)
            #expect(place?.text == "http://gosspublic.alicdn.com/callback_pub_key_v1.pem")
            let authorization = request.value(of: "authorization") ?? []
            let signature = Base64.standard.decode(authorization.span) ?? []
            let served = try fixture.answer(
                SandboxRequest(Array("GET".utf8), target: Array("/callback_pub_key_v1.pem".utf8), fields: []))
            let signed = Array("/do ne?a=%20b\n".utf8) + request.body
            #expect(try OSSCallbackTests.verifies(served.bytes, signature, over: signed))
            #expect(try !OSSCallbackTests.verifies(served.bytes, signature, over: signed + [0]))
        }
    }

    @Test func `a callback of JSON has its texts in quotes, and a URL or a form asks for one, too`() throws {
        let receiver = CallbackReceiver()
        try withApplication(receiver) { (fixture, address) throws in
            let value = OSSCallbackTests.callback("http://\(address)/", #"{"o":${object},"s":${size}}"#, json: true)
            for scheme in [OSSTestCall.Scheme.v1URL, .v4URL] {
                let call = OSSTestCall("PUT", "a\"b", "xy") {
                    $0.scheme = scheme
                    $0.query = [("callback", value)]
                }
                #expect(try fixture.send(call).text == #"{"Status":"OK"}"#)
            }
            #expect(receiver.requests.map(\.body.text) == [#"{"o":"a\"b","s":2}"#, #"{"o":"a\"b","s":2}"#])
            #expect(receiver.requests[0].mediaType.text == "application/json")
        }
    }

    @Test func `an answer that is none, and a server that is not there, are told with status 203; the object stays`()
        throws
    {
        for receiver in [CallbackReceiver(status: 500), CallbackReceiver(reply: "OK")] {
            try withApplication(receiver) { (fixture, address) throws in
                let call = OSSTestCall("PUT", "a", "x") {
                    $0.fields = [("x-oss-callback", OSSCallbackTests.callback("http://\(address)/", "a=b"))]
                }
                #expect(try fixture.outcome(call) == "203 CallbackFailed")
                #expect(try fixture.send(OSSTestCall("GET", "a")).text == "x")
            }
        }
    }

    @Test func `no host is called that the operator has not named`() throws {
        let receiver = CallbackReceiver()
        try withApplication(receiver) { (fixture, address) throws in
            let port = try #require(address.split(separator: ":").last)
            for url in [
                "http://127.0.0.2:\(port)/", "https://\(address)/", "http://\(address)@x/",
                "x",
            ] {
                let call = OSSTestCall("PUT", "a", "x") {
                    $0.fields = [("x-oss-callback", OSSCallbackTests.callback(url, "a=b"))]
                }
                #expect(try fixture.outcome(call) == "203 CallbackFailed", "\(url)")
            }
            let several = OSSTestCall("PUT", "a", "x") {
                $0.fields = [
                    ("x-oss-callback", OSSCallbackTests.callback("http://127.0.0.2:1/;http://\(address)/", "a=b"))
                ]
            }
            #expect(try fixture.outcome(several) == "200")
            #expect(receiver.requests.count == 1)
        }
        let none = OSSTestCall("PUT", "a") {
            $0.fields = [("x-oss-callback", OSSCallbackTests.callback("http://127.0.0.1:1/", "a"))]
        }
        #expect(try OSSFixture().outcome(none) == "203 CallbackFailed")
    }

    @Test(arguments: ["", "x", "e30=", "eyJjYWxsYmFja1VybCI6ImEifQ==", "eyJjYWxsYmFja0JvZHkiOiJhIn0="])
    func `a callback that is none is refused before anything is kept`(value: String) throws {
        let fixture = try OSSFixture()
        let call = OSSTestCall("PUT", "a") { $0.fields = [("x-oss-callback", value)] }
        #expect(try fixture.outcome(call) == "400 InvalidArgument")
        #expect(try fixture.outcome(OSSTestCall("GET", "a")) == "404 NoSuchKey")
    }
}
