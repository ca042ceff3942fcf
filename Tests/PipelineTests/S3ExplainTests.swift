import Foundation
import Testing

@testable import TestService

/// What operators are told of requests to S3 that clients have signed.
@Suite("Explanations of S3's signatures")
struct S3ExplainTests {
    private func explain(_ route: String, _ parameters: [String: Any], caller: String = "anonymous") throws -> JSON {
        let inquiry: [String: Any] = ["caller": caller, "route": route, "parameters": parameters]
        let text = String(decoding: try JSONSerialization.data(withJSONObject: inquiry), as: UTF8.self)
        let answer = try Service.shared(.s3Requests).admin.post("/explain", json: text)
        answer.expectSuccess()
        return answer.json
    }

    private func facts(_ explained: JSON) -> [String: String] {
        let pairs = explained["signed"]?.list?.map { ($0["name"]?.string ?? "", $0["value"]?.string ?? "") } ?? []
        return Dictionary(pairs) { first, _ in first }
    }

    @Test func `a string is explained by its canonical request, and by nothing of its signature`() throws {
        let signable = SignableS3(method: "PUT")
        let allowed = try explain(
            "s3.sign", ["contentToSign": signable.string, "canonicalRequest": signable.canonical])
        #expect(allowed["verdict"] == "allow" && allowed["permitted"]?["key"] == .string(signable.key))
        #expect(allowed["permitted"]?["grant"] == "strings")
        let outside = SignableS3(method: "PUT", key: "out/a")
        let denied = try explain("s3.sign", ["contentToSign": outside.string, "canonicalRequest": outside.canonical])
        #expect(denied["verdict"] == "deny" && denied["refusal"]?["code"] == "not_in_grant")
        for (explained, made) in [(allowed, signable), (denied, outside)] {
            #expect(!"\(explained)".contains(made.signature))
        }
        #expect(allowed["enforcement"]?.list?.isEmpty == false)
    }

    @Test func `Uppy's URL is drafted and read back`() throws {
        let asked: [String: Any] = ["method": "PUT", "key": "in/a", "uploadId": "u", "partNumber": 3]
        let allowed = try explain("s3.sign", asked)
        #expect(allowed["verdict"] == "allow")
        let said = facts(allowed)
        #expect(said.values.contains("in/a") && said.values.contains("demo-bucket"), "\(said)")
        #expect(try explain("s3.sign", ["method": "PUT", "key": "images/a"])["verdict"] == "deny")
    }

    @Test func `an upload in parts, and a request of Iceberg's client`() throws {
        let s3 = try FakeS3()
        try Service.run(Setup.s3Uploads("s3 explained", s3), .inProcess, Setup.environment) { service in
            func expect(_ verdict: JSON, of parameters: String) throws {
                let inquiry = #"{"caller": "apiKey:alice", "route": "s3.multipart", "parameters": {\#(parameters)}}"#
                let answer = try service.admin.post("/explain", json: inquiry)
                #expect(answer.json["verdict"] == verdict, "\(answer.text)")
            }
            let id = SealedUpload.text(of: "apiKey:alice", key: "up/a")
            try expect("allow", of: #""filename": "a", "metadata": {"a": {}}"#)
            try expect("allow", of: #""operation": "part", "partNumber": 1, "key": "up/a", "uploadId": "\#(id)""#)
            try expect("deny", of: #""operation": "part", "partNumber": 1, "key": "up/b", "uploadId": "\#(id)""#)
            #expect(s3.sent.isEmpty, "nothing is asked of the vendor")
        }
        for (asked, verdict) in [(IcebergAsk(), "allow"), (.delete("wh/t/a"), "allow"), (.delete("out/a"), "deny")] {
            let parameters = try JSONSerialization.jsonObject(with: Data(asked.json.utf8)) as? [String: Any] ?? [:]
            let explained = try explain("s3.iceberg", parameters)
            #expect(explained["verdict"] == .string(verdict))
        }
    }
}
