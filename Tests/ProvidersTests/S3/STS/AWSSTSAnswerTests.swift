import TestTraits
import Testing

@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct AWSSTSAnswerTests {
    private func fault(_ body: String, status: Int = 200, date: Int64? = nil) -> SessionFault? {
        if case .failure(let fault) = AWSSTSSample.read(body, status: status, date: date) { fault } else { nil }
    }

    @Test func `a good answer is a credential, however it is indented and ordered`() throws {
        let indented = AWSSTSSample.granted([
            ("Expiration", "2026-03-14T18:09:26.987+02:00"), ("SessionToken", "\n  t==\n  "),
            ("SecretAccessKey", "s/e+c"),
            ("AccessKeyId", "ASIA1"), ("Other", "x"),
        ])
        let prefixed = AWSSTSSample.granted().replacing("</", with: "</s:").replacing("<A", with: "<s:A")
            .replacing("<S", with: "<s:S").replacing("<C", with: "<s:C").replacing("<E", with: "<s:E")
            .replacing("<R", with: "<s:R")
        for text in [
            AWSSTSSample.granted(), indented, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + AWSSTSSample.granted(),
            prefixed,
        ] {
            let credential = try AWSSTSSample.read(text).get()
            #expect(credential.accessKeyID.text == "ASIA1" && credential.securityToken.text == "t==")
            #expect(credential.secret.constantTimeEquals(Secret(Array("s/e+c".utf8))))
            #expect(credential.expiresAt == AWSSTSSample.now + 3600, "\(text)")
        }
    }

    @Test func `R5: what is given beyond what was asked for is told to nobody`() throws {
        let longer = AWSSTSSample.granted().replacing("2026-03-14T16", with: "2026-03-15T16")
        #expect(try AWSSTSSample.read(longer, longest: 900).get().expiresAt == AWSSTSSample.now + 900)
        #expect(try AWSSTSSample.read(longer, longest: .max).get().expiresAt == AWSSTSSample.now + 43_200)
    }

    @Test(
        arguments: [
            ("", "AnswerUnreadable"), ("{}", "AnswerUnreadable"),
            ("<html><body>502<br></body></html>", "AnswerUnreadable"),
            ("<a/>", "AnswerIncomplete"), (AWSSTSSample.granted() + "x", "AnswerUnreadable"),
            ("<!DOCTYPE a [<!ENTITY b \"c\">]>" + AWSSTSSample.granted(), "AnswerUnreadable"),
            (AWSSTSSample.granted().replacing("AssumeRoleR", with: "GetFederationTokenR"), "AnswerIncomplete"),
            (AWSSTSSample.granted().replacing("ASIA1", with: "ASIA 1"), "AnswerIncomplete"),
            (AWSSTSSample.granted().replacing("ASIA1", with: ""), "AnswerIncomplete"),
            (AWSSTSSample.granted().replacing("ASIA1", with: "&#0;"), "AnswerUnreadable"),
            (AWSSTSSample.granted().replacing("t==", with: "&quot;"), "AnswerIncomplete"),
            (AWSSTSSample.granted().replacing("t==", with: String(repeating: "t", count: 16_385)), "AnswerIncomplete"),
            (AWSSTSSample.granted().replacing("Z<", with: "<"), "AnswerIncomplete"),
            (AWSSTSSample.granted().replacing("2026-03-14T16", with: "2026-03-14T15"), "AnswerExpired"),
            (
                AWSSTSSample.granted().replacing(
                    "<AccessKeyId>", with: "<AccessKeyId>ASIA0</AccessKeyId><AccessKeyId>"),
                "AnswerIncomplete"
            ),
            (
                AWSSTSSample.granted().replacing("</AssumeRoleResult>", with: "<Credentials/></AssumeRoleResult>"),
                "AnswerIncomplete"
            ),
            (String(repeating: " ", count: 65_537), "AnswerTooLarge"),
            (String(repeating: "<a>", count: 9) + String(repeating: "</a>", count: 9), "AnswerUnreadable"),
        ])
    func `no bad answer is a credential`(body: String, code: String) {
        #expect(fault(body)?.code == code)
    }

    @Test func `no answer that is cut off anywhere is a credential`() {
        let whole = AWSSTSSample.granted()
        for length in 0..<whole.utf8.count {
            #expect(fault(String(whole.prefix(length)))?.code == "AnswerUnreadable")
        }
    }

    @Test func `nothing happens to 20,000 mutated answers`() {
        var random = SplitMix64(seed: 0xA57)
        let whole = Array(AWSSTSSample.granted().utf8)
        for _ in 0..<20_000 {
            var body = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<body.count, using: &random)
                body[index] = UInt8.random(in: 0...255, using: &random)
            }
            guard let credential = try? AWSSTSSample.read(body.text).get() else { continue }
            let texts = [credential.accessKeyID, credential.securityToken]
            #expect(texts.allSatisfy { SessionCredential.isPlain($0, length: 1...16_384) })
            #expect(credential.expiresAt > AWSSTSSample.now)
        }
    }

    @Test func `a fault is told by its code, status and request id, and nothing else of the answer`() {
        let text = "<Error><Type>Sender</Type><Code>Throttling</Code><Message>the hidden message</Message></Error>"
        for body in ["<ErrorResponse>\(text)<RequestId>r-1</RequestId></ErrorResponse>", text] {
            let fault = fault(body, status: 400)
            #expect(fault?.code == "Throttling" && fault?.status == 400 && fault?.kind == .vendor)
            #expect(fault?.requestID == (body == text ? nil : "r-1"))
            #expect(!everything(of: fault as Any).contains("hidden"))
        }
        #expect(fault("<ErrorResponse/>", status: 500)?.kind == .answer)
        #expect(fault("", status: 302)?.code == "AnswerRedirects")
        #expect(fault(text.replacing("Throttling", with: "a b"), status: 400)?.code == "AnswerUnreadable")
    }

    @Test func `R17: clocks more than five minutes apart give nothing`() {
        #expect(fault(AWSSTSSample.granted(), date: AWSSTSSample.now + 301)?.code == "ClockSkew")
        #expect(fault(AWSSTSSample.granted(), date: AWSSTSSample.now - 301)?.code == "ClockSkew")
        #expect(fault(AWSSTSSample.granted(), date: AWSSTSSample.now + 300) == nil)
    }
}
