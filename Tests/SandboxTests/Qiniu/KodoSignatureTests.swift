import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Kodo's signatures, by the samples of its documents and SDKs; no changed byte passes.
struct KodoSignatureTests {
    private let signatures = KodoSignatures(
        VendorAccounts([
            SandboxCaller(
                accessKeyID: Array(KodoFixture.accessKey.utf8), secret: Secret(Array(KodoFixture.secret.utf8)))
        ]))

    private func request(_ method: String, _ target: String, _ fields: [(String, String)]) -> SandboxRequest {
        SandboxRequest(
            Array(method.utf8), target: Array(target.utf8),
            fields: fields.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) })
    }

    /// Upload tokens: docs/v6/api/reference/security/upload-token.md of qiniu/developer.qiniu.com, and the `qiniu` package 7.18.0.
    @Test(arguments: [
        "MY_ACCESS_KEY:0K-i06lPC9Ew-TiiD2T4S4YLn3g=:eyJzY29wZSI6Im15LWJ1Y2tldCIsImRlYWRsaW5lIjoxNDUxNDkxMjAwfQ==",
        "MY_ACCESS_KEY:wQ4ofysef1R7IKnrziqtomqyDvI=:eyJzY29wZSI6Im15LWJ1Y2tldDpzdW5mbG93ZXIuanBnIiwiZGVhZGxpbmUiOjE0NTE0OTEy"
            + "MDAsInJldHVybkJvZHkiOiJ7XCJuYW1lXCI6JChmbmFtZSksXCJzaXplXCI6JChmc2l6ZSksXCJ3XCI6JChpbWFnZUluZm8ud2lkdGgpLFwiaFwi"
            + "OiQoaW1hZ2VJbmZvLmhlaWdodCksXCJoYXNoXCI6JChldGFnKX0ifQ==",
    ])
    func `a token of the vendor's is genuine, and no other spelling of it`(token: String) throws {
        let bytes = Array(token.utf8)
        #expect(try signatures.policy(of: bytes).policy.bucket.text == "my-bucket")
        for index in bytes.indices {
            var changed = bytes
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: KodoRefusal.badToken) { try signatures.policy(of: changed) }
        }
        for other in [token + "=", token + ":", ":" + token, String(token.dropLast()), " " + token, token + "\n"] {
            #expect(throws: KodoRefusal.badToken) { try signatures.policy(of: Array(other.utf8)) }
        }
    }

    /// docs/v6/api/reference/security/download-token.md, corrected by the SDKs for Python and PHP.
    @Test(arguments: [
        ("my-bucket.qiniudn.com", "/sunflower.jpg", "yN9WtB0lQheegAwva64yBuH3ZgU="),
        ("developer.qiniu.com", "/resource/flower.jpg", "v24Hqj-H6oM96pmWC-QgDm5JLbk="),
    ])
    func `a download URL of the vendor's is genuine`(host: String, path: String, signature: String) throws {
        func check(
            _ path: String, host: String = host, e: String = "1451491200", signature: String = signature, now: Int64 = 0
        ) throws {
            let target = "\(path)?e=\(e)&token=MY_ACCESS_KEY:\(signature)"
            try signatures.checkDownload(request("GET", target, [("Host", host)]), at: now)
        }
        try check(path, now: KodoFixture.deadline)
        #expect(throws: KodoRefusal.downloadTokenExpired) { try check(path, now: KodoFixture.deadline + 1) }
        let wrong = KodoRefusal.downloadTokenWrong
        #expect(throws: wrong) { try check(path + "x") }
        #expect(throws: wrong) { try check(path, host: "x" + host) }
        #expect(throws: wrong) { try check(path, host: host + ":80") }
        #expect(throws: wrong) { try check(path, e: "1451491201") }
        #expect(throws: wrong) { try check(path, e: "") }
        #expect(throws: wrong) { try check(path, signature: "A" + signature.dropFirst()) }
        #expect(throws: wrong) { try check(path, signature: signature + "&x=1") }
        #expect(throws: KodoRefusal.downloadTokenMissing) {
            try signatures.checkDownload(request("GET", path + "?e=1451491200", [("Host", host)]), at: 0)
        }
    }

    /// docs/v6/api/reference/security/access-token.md, and AuthTest.testQiniuAuthorization of qiniu/java-sdk.
    @Test func `management requests of the vendor's are genuine`() throws {
        let target = "/move/bmV3ZG9jczpmaW5kX21hbi50eHQ=/bmV3ZG9jczpmaW5kLm1hbi50eHQ="
        let qbox = "QBox MY_ACCESS_KEY:FXsYh0wKHYPEsIAgdPD9OfjkeEM="
        let qiniu = "Qiniu MY_ACCESS_KEY:1uLvuZM6l6oCzZFqkJ6oI4oFMVQ="
        func check(_ authorization: String, _ target: String, by method: String = "POST", host: String = "rs.qiniu.com")
            throws
        {
            let fields = [("Host", host), ("Authorization", authorization)]
            try signatures.checkManagement(request(method, target, fields), at: 0)
        }
        for authorization in [qbox, qiniu] {
            try check(authorization, target)
            #expect(throws: KodoRefusal.badToken) { try check(authorization, target + "=") }
            #expect(throws: KodoRefusal.badToken) { try check(authorization, target + "?a") }
            #expect(throws: KodoRefusal.badToken) { try check(authorization + "=", target) }
            #expect(throws: KodoRefusal.badToken) { try check(authorization.lowercased(), target) }
        }
        // What QBox does not cover, which is why it can be used again and elsewhere.
        try check(qbox, target, by: "GET", host: "another.example")
        #expect(throws: KodoRefusal.badToken) { try check(qiniu, target, by: "GET") }
        #expect(throws: KodoRefusal.badToken) { try check(qiniu, target, host: "another.example") }
        #expect(throws: KodoRefusal.noToken) {
            try signatures.checkManagement(request("GET", target, [("Host", "rs.qiniu.com")]), at: 0)
        }
    }

    /// By the `qiniu` package 7.18.0: `etag_stream` of so many zeros.
    @Test(arguments: [
        (0, "Fto5o-5ea0sNMlW_75VgGJCv2AcJ"), (1, "FlupPJ2wz_k_UrUh10IOQ_btonhP"),
        (4 << 20, "FivMvS848VwT631aif2dhfWV4jvD"), (4 << 20 | 1, "lhCFgki5yzon0rjN9uJusf6qtsF6"),
        (8 << 20 | 5, "lqrKGf-NIGkikxsn0Yhc3EXivU1v"),
    ])
    func `a content has the vendor's hash, in whatever pieces it comes`(count: Int, hash: String) throws {
        for piece in [1000, 65_536, 5 << 20] {
            var running = try KodoHash()
            for start in stride(from: 0, to: count, by: piece) {
                try running.update([UInt8](repeating: 0, count: min(piece, count - start)))
            }
            #expect(try running.finish().text == hash)
        }
    }
}
