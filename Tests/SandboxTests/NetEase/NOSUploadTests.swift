import Foundation
import HTTP
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Uploads by token: the policy is enforced, and nothing is there before it is whole.
@Suite struct NOSUploadTests {
    private let peer: NOSPeer
    init() throws { peer = try NOSPeer() }

    private func member(_ name: String, _ answer: NOSPeer.Answer) throws -> JSONValue? {
        try JSONReader.read(Array(answer.text.utf8), as: .json)[name]
    }

    private func stored(_ key: String) throws -> String? {
        let answer = try peer.signed("GET", "/demo-files/\(Call.encode(key))")
        return answer.status == 200 ? answer.text : nil
    }

    @Test func `an object comes in one piece or in several`() throws {
        #expect(try peer.upload("a/Füße").status == 200)
        #expect(try stored("a/Füße") == "content")
        let first = try peer.upload(
            "b", "one,", "offset=0&complete=false&version=1.0", [("Content-Type", "text/plain")])
        let context = try #require(try member("context", first)?.text?.text)
        #expect(try member("offset", first)?.integer == 4)
        #expect(try stored("b") == nil)
        let second = try peer.upload("b", "two", "offset=4&complete=false&context=\(context)&version=1.0")
        #expect(try member("offset", second)?.integer == 7)
        let token = try NOSPeer.token(#""Object":"b""#)
        let where_ = try peer.send(
            "GET", "/demo-files/b?uploadContext&context=\(context)&version=1.0", [("x-nos-token", token)])
        #expect(try member("offset", where_)?.integer == 7)
        #expect(try peer.upload("b", "", "offset=7&complete=true&context=\(context)&version=1.0").status == 200)
        let object = try peer.signed("GET", "/demo-files/b")
        #expect(object.text == "one,two" && object.field("Content-Type") == "text/plain")
        #expect(try peer.upload("b", "x", "offset=7&complete=true&context=\(context)&version=1.0").status == 404)
    }

    @Test(arguments: [
        ("offset=1&complete=true&version=1.0", 400), ("offset=x&complete=true&version=1.0", 400),
        ("complete=true&version=1.0", 400), ("offset=0&version=1.0", 400), ("offset=0&complete=yes&version=1.0", 400),
        ("offset=0&complete=true", 400), ("offset=0&complete=true&version=2.0", 400),
        ("offset=99999999999999999999&complete=true&version=1.0", 400),
        ("offset=0&complete=true&context=x&version=1.0", 404), ("uploadContext&context=x&version=1.0", 405),
    ])
    func `a piece says where it belongs`(query: String, status: Int) throws {
        #expect(try peer.upload("a", "content", query).status == status)
        #expect(try stored("a") == nil)
    }

    @Test func `a context is of its object`() throws {
        let first = try peer.upload("a", "one", "offset=0&complete=false&version=1.0")
        let context = try #require(try member("context", first)?.text?.text)
        #expect(try peer.upload("b", "two", "offset=3&complete=true&context=\(context)&version=1.0").status == 404)
        #expect(try peer.upload("a", "two", "offset=2&complete=true&context=\(context)&version=1.0").status == 400)
        #expect(try peer.upload("a", "two", "offset=3&complete=true&context=\(context)&version=1.0").status == 200)
        #expect(try stored("a") == "onetwo")
    }

    @Test(arguments: [
        (#""Object":"b""#, 403), (#""Object":"a/""#, 403), (#""Object":"""#, 403), (#""Expires":1"#, 403),
        (#""Object":"a","Expires":\#(NOSPeer.now)"#, 403), (#""Object":"a","Expires":\#(NOSPeer.now + 1)"#, 200),
        (#""Object":"a","Expires":"\#(NOSPeer.now + 1)""#, 403), (#""Object":"a","Expires":-1"#, 403),
        (#""Object":"a","ObjectSizeMax":6"#, 403), (#""Object":"a","ObjectSizeMax":7"#, 200),
        (#""Object":"a","ObjectSizeMin":8"#, 403), (#""Object":"a","ObjectSizeMin":7"#, 200),
        (#""Object":"a","MimeLimit":"image/*""#, 403), (#""Object":"a","MimeLimit":"image/*; text/plain""#, 200),
        (#""Object":"a","MimeLimit":"text""#, 403), (#""Object":"a","MimeLimit":"""#, 403),
        (#""Object":"a","OverWrite":0"#, 403), (#""Object":"a","Unknown":1"#, 200),
        (#""Object":"a","CallbackUrl":"http://127.0.0.1:1/""#, 520),
    ])
    func `the policy is enforced`(members: String, status: Int) throws {
        let token = try NOSPeer.token(members)
        let answer = try peer.upload("a", fields: "Text/Plain; charset=utf-8", token: token)
        #expect(answer.status == status, "\(answer.text)")
        // The vendor calls back when the object is there.
        #expect(try stored("a") == (status == 403 ? nil : "content"))
    }

    @Test func `an object is replaced where the policy does not forbid it`() throws {
        let (plain, careful) = (#""Object":"a""#, #""Object":"a","OverWrite":false"#)
        #expect(try peer.upload("a", "1", token: NOSPeer.token(careful)).status == 200)
        #expect(try peer.upload("a", "2", token: NOSPeer.token(careful)).status == 403)
        #expect(try stored("a") == "1")
        #expect(try peer.upload("a", "3", token: NOSPeer.token(plain)).status == 200)
        #expect(try stored("a") == "3")
    }

    @Test func `only tokens of the account are taken`() throws {
        let members = #""Object":"a""#
        let good = try NOSPeer.token(members)
        for token in [
            "", "UPLOAD ", String(good.dropFirst(7)), good.replacing("UPLOAD ", with: "upload "), good + ":",
            good + "=",
            good.replacing(NOSPeer.keyID, with: "another"), try NOSPeer.token(members, by: "another"),
            try NOSPeer.token(members, bucket: "demo-other"), good.replacing(":eyJ", with: ":eyI"),
        ] { #expect(try peer.upload("a", token: token).status == 403, "\(token)") }
        let path = "/demo-files/a?offset=0&complete=true&version=1.0"
        #expect(try peer.send("POST", path).status == 403)
        let twice = [("x-nos-token", good), ("x-nos-token", good)]
        #expect(try peer.send("POST", path, twice).status == 403)
        let elsewhere = try NOSPeer.token(members, bucket: "demo-other")
        let other = "/demo-other/a?offset=0&complete=true&version=1.0"
        #expect(try peer.send("POST", other, [("x-nos-token", elsewhere)]).status == 404)
        #expect(try peer.upload("a", token: good).status == 200)
    }

    @Test func `pieces have a length and a digest`() throws {
        let query = "offset=0&complete=true&version=1.0"
        let longest = String(repeating: "x", count: NOSDirectUploads.longestPiece)
        #expect(try peer.upload("a", longest + "x").status == 400)
        #expect(try peer.upload("a", longest).status == 200)
        let right = "9a0364b9e99bb480dd25e1f0284c8555"
        #expect(try peer.upload("b", "content", query, [("Content-MD5", right)]).status == 200)
        #expect(try peer.upload("b", "Content", query, [("Content-MD5", right)]).status == 400)
        #expect(try peer.upload("b", "content", query, [("Content-MD5", "x")]).status == 400)
        #expect(try stored("b") == "content")
    }

    @Test func `a callback's body has its variables replaced`() throws {
        let body = "b=$(Bucket)&o=$(Object)&n=$(ObjectSize)&w=$(AVinfo.Video.Width)&x=$&y=$(z"
        let accounts = VendorAccounts([Fixture.caller(NOSPeer.keyID, NOSPeer.secret)])
        let token = try NOSPeer.token(#""Object":"a&b","CallbackUrl":"http://h/","CallbackBody":"\#(body)""#)
        let policy = try NOSPutPolicy(Array(token.utf8), by: accounts, at: NOSPeer.now)
        let object = StoredObject(key: policy.object, size: 7, time: 0, hash: [], mediaType: [])
        #expect(NOSCallback.body(policy, object).text == "b=demo-files&o=a%26b&n=7&w=&x=$&y=$(z")
    }

    @Test func `apps are told to upload here`() throws {
        let answer = try peer.send("GET", "/lbs?version=1.0&bucketname=demo-files")
        #expect(answer.text == #"{"lbs":"http://127.0.0.1:1/lbs","upload":["http://127.0.0.1:1"]}"#)
        for (target, status) in [
            ("/lbs?version=1.0&bucketname=demo-other", 404), ("/lbs?version=1.0", 400),
            ("/lbs?bucketname=demo-files", 400),
        ] { #expect(try peer.send("GET", target).status == status) }
        #expect(try peer.send("POST", "/lbs?version=1.0&bucketname=demo-files").status == 405)
    }

    @Test(
        arguments: [
            ("GET", "/lbs?version=1.0&bucketname=b", [], true),
            ("POST", "/b/o?offset=0&complete=true&version=1.0", [], true),
            ("GET", "/b/o?NOSAccessKeyId=x&Expires=1&Signature=y", [], true),
            ("PUT", "/b/o", [("Authorization", "NOS a:b")], true),
            ("POST", "/b/o", [("x-nos-token", "")], true), ("PUT", "/b/o", [("Authorization", "OSS a:b")], false),
            ("GET", "/lbs", [], false), ("GET", "/b/o?e=1&token=x", [], false), ("GET", "/", [], false),
        ] as [(String, String, [(String, String)], Bool)])
    func `its requests are known without a name of a host`(
        method: String, target: String, fields: [(String, String)], isNOS: Bool
    ) {
        let request = SandboxRequest(
            Array(method.utf8), target: Array(target.utf8), fields: fields.map { Call.field($0.0, $0.1) })
        #expect(peer.side.recognises(request) == isNOS)
    }
}

extension NOSPeer {
    /// Uploads `content` of a type in one piece.
    func upload(_ key: String, fields type: String, token: String) throws -> Answer {
        try upload(key, "content", "offset=0&complete=true&version=1.0", [("Content-Type", type)], token: token)
    }

    func upload(_ key: String, _ body: String, token: String) throws -> Answer {
        try upload(key, body, "offset=0&complete=true&version=1.0", token: token)
    }
}
