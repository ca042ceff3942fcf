import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

extension ManagementSample {
    /// By the vendor's documents, not by our signer. The fields are as they are here: capitalised, sorted the other way.
    fileprivate func authorization(_ scheme: String, _ key: SigningKey) throws -> String {
        let sorted = fields.components(separatedBy: "\r\n").filter { !$0.isEmpty }.sorted().map { "\n\($0)" }.joined()
        let text =
            scheme == "QBox"
            ? "\(target)\n\(body)"
            : "\(method) \(target)\nHost: \(host)\nContent-Type: \(contentType)\(sorted)\n\n\(body)"
        return "\(scheme) \(key.accessKey.text):\(try key.sha1.signature(over: text, .urlSafe))"
    }
}

@Suite struct CallbackSignatureTests {
    private let key: SigningKey

    init() throws {
        key = try SigningKey(accessKey: Array("AK-1".utf8), secret: Secret(Array("SK".utf8)))
    }

    @Test func `a callback as the vendor signs it is genuine`() throws {
        let form = ManagementSample()
        let json = form.with {
            $0.contentType = "application/json"
            $0.body = "{\"key\":\"中文\"}"
        }
        #expect(try form.judged(form.authorization("Qiniu", key), key) == .genuine)
        #expect(try json.judged(json.authorization("Qiniu", key), key) == .genuine)
        #expect(try form.judged(form.authorization("QBox", key), key) == .genuine)
    }

    @Test func `order and case of the signed fields do not matter, nor the fields that are not signed`() throws {
        let sent = ManagementSample()
        let authorization = try sent.authorization("Qiniu", key)
        for fields in [
            "x-qiniu-abc: 1\r\nx-qiniu-date: 20231114T221320Z\r\n",
            "X-QINIU-DATE:20231114T221320Z\r\nX-qINIU-aBC:\t1 \r\n",
            "Host: other\r\nX-Qiniu-Abc: 1\r\nX-Qiniu-: x\r\nX-Qiniu: y\r\nX-Qiniu-Date: 20231114T221320Z\r\nA: é\r\n",
        ] {
            #expect(try sent.with { $0.fields = fields }.judged(authorization, key) == .genuine, "\(fields)")
        }
    }

    @Test func `version 2 covers every part`() throws {
        let sent = ManagementSample()
        let authorization = try sent.authorization("Qiniu", key)
        let changes: [(inout ManagementSample) -> Void] = [
            { $0.method = "GET" }, { $0.target = "/qiniu/callback" }, { $0.target += "&x=1" },
            { $0.host = "other.example.com" }, { $0.host += ":8443" }, { $0.contentType = "application/json" },
            { $0.contentType += "; charset=utf-8" }, { $0.fields = "" }, { $0.fields += "X-Qiniu-B: 1\r\n" },
            { $0.fields = $0.fields.replacing("Abc: 1", with: "Abc: 2") }, { $0.body = "" }, { $0.body += "&size=1" },
            { $0.body = $0.body.replacing("%2F", with: "/") },
        ]
        for (index, change) in changes.enumerated() {
            #expect(try sent.with(change).judged(authorization, key) == .refused(.wrongSignature), "change \(index)")
        }
    }

    @Test func `no byte of a covered body may be another`() throws {
        let sent = ManagementSample()
        for scheme in ["Qiniu", "QBox"] {
            let authorization = try sent.authorization(scheme, key)
            for index in 0..<sent.body.utf8.count {
                var body = Array(sent.body.utf8)
                body[index] ^= 1
                let changed = sent.with { $0.body = String(decoding: body, as: UTF8.self) }
                #expect(try changed.judged(authorization, key) == .refused(.wrongSignature))
            }
        }
    }

    @Test func `a body that the signature does not cover is refused`() throws {
        let sent = ManagementSample()
        for type in ["application/json", "application/x-www-form-urlencoded; charset=utf-8", "text/plain", ""] {
            let changed = sent.with { $0.contentType = type }
            // What the vendor would sign then: the target alone.
            let bare = try changed.with { $0.body = "" }.authorization("QBox", key)
            for authorization in [bare, try changed.authorization("QBox", key)] {
                #expect(try changed.judged(authorization, key) == .refused(.bodyNotCovered), "\(type)")
            }
        }
        for type in ["application/octet-stream", ""] {
            let changed = sent.with { $0.contentType = type }
            #expect(try changed.judged(changed.authorization("Qiniu", key), key) == .refused(.bodyNotCovered))
        }
    }

    @Test func `a JSON callback in QBox does not become a form without a body`() throws {
        let stripped = ManagementSample().with { $0.body = "" }
        #expect(try stripped.judged(stripped.authorization("QBox", key), key) == .refused(.bodyNotCovered))
    }

    @Test func `another key's callback is refused`() throws {
        let sent = ManagementSample()
        for (accessKey, secret) in [("AK-2", "SK"), ("AK-", "SK"), ("AK-11", "SK"), ("ak-1", "SK")] {
            let other = try SigningKey(accessKey: Array(accessKey.utf8), secret: Secret(Array(secret.utf8)))
            #expect(try sent.judged(sent.authorization("Qiniu", other), key) == .refused(.otherKey))
        }
        let thief = try SigningKey(accessKey: key.accessKey, secret: Secret(Array("guess".utf8)))
        #expect(try sent.judged(sent.authorization("Qiniu", thief), key) == .refused(.wrongSignature))
    }

    @Test(arguments: [
        "", "Qiniu", "QBox", "Qiniu ", "Qiniu AK-1", "Qiniu AK-1:", "Qiniu :", "Bearer AK-1:", "AK-1:SIGN",
        "qiniu AK-1:SIGN",
        "QINIU AK-1:SIGN", "Qiniu  AK-1:SIGN ", "Qiniu AK-1:SIGN:", "Qiniu AK-1:SIGN,", "Qiniu AK-1:SIGN\n",
        "Qiniu AK-1: SIGN",
        "UpToken AK-1:SIGN", "Qiniu AK-1:SIGN QBox AK-1:SIGN", "Qiniu AK-1:====", "Qiniu AK-1:AAAA", "Qiniu AK-1:é",
    ])
    func `anything else than scheme, key and signature is refused`(text: String) throws {
        let sent = ManagementSample()
        let signature = try #require(try sent.authorization("Qiniu", key).components(separatedBy: ":").last)
        let verdict = try sent.judged(text.replacing("SIGN", with: signature), key)
        #expect(verdict == .refused(.malformed) || verdict == .refused(.otherKey))
        // The signature's own spellings: without padding, in the other alphabet, with left-over bits.
        for spelled in [
            String(signature.dropLast()), signature.replacing("=", with: "%3D"), String(signature.dropLast(2)) + "A=",
        ] where spelled != signature {
            #expect(try sent.judged("Qiniu AK-1:\(spelled)", key) != .genuine)
        }
    }

    @Test func `a signed field that comes twice makes no callback`() throws {
        let sent = ManagementSample()
        let authorization = try sent.authorization("Qiniu", key)
        for fields in [
            sent.fields + "X-Qiniu-Abc: 1\r\n", sent.fields + "x-qiniu-ABC: 2\r\n", sent.fields + "X-Qiniu-B: é\r\n",
            sent.fields + "X-Qiniu-B: 1\n", sent.fields + "X-Qiniu-B", sent.fields + "X-Qiniu-B\r\n", "\r\n",
        ] {
            #expect(throws: IssueError.self, "\(fields)") {
                try sent.with { $0.fields = fields }.judged(authorization, key)
            }
        }
    }

    @Test func `no token that is handed out is good as a callback`() throws {
        // A management token for our own path, as QBox signs it for any host; and an upload token's and a URL's signature.
        let sent = ManagementSample().with { $0.target = "/list" }
        let bare = try sent.with { $0.body = "" }.authorization("QBox", key)
        #expect(try sent.with { $0.body = "" }.judged(bare, key) == .refused(.bodyNotCovered))
        for text in ["eyJzY29wZSI6Im1lZGlhIn0=", "https://app.example.com/list?e=1"] {
            let signature = try key.sha1.signature(over: text, .urlSafe)
            for scheme in ["Qiniu", "QBox"] {
                #expect(try sent.judged("\(scheme) AK-1:\(signature)", key) == .refused(.wrongSignature))
            }
        }
    }
}
