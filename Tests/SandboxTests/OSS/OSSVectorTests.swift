import Foundation
import HTTP
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// Requests, URLs and forms that the vendor's own SDKs signed, by a clock that stood still.
struct OSSVector: Sendable, CustomTestStringConvertible {
    let id: String
    let input: JSONValue
    let expected: JSONValue

    var testDescription: String { id }

    static func all(_ operation: String) -> [OSSVector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "ProvidersTests/Fixtures/vectors/oss-sts.json")
        guard let data = try? Data(contentsOf: file), let list = try? JSONReader.read([UInt8](data), as: .json),
            case .array(let values) = list.content
        else { return [] }
        return values.compactMap { value in
            guard let id = value["id"]?.text?.text, id.hasPrefix(operation + "/"), let input = value["input"],
                let expected = value["expected"]
            else { return nil }
            return OSSVector(id: id, input: input, expected: expected)
        }
    }

    func text(_ name: String) -> String { input[name]?.text?.text ?? "" }

    func pairs(_ name: String) -> [(String, String)] {
        guard case .array(let list)? = input[name]?.content else { return [] }
        return list.compactMap { pair in
            guard case .array(let parts) = pair.content, parts.count == 2 else { return nil }
            return (parts[0].text?.text ?? "", parts[1].text?.text ?? "")
        }
    }

    func request(_ fields: [(String, String)], isHosted: Bool) -> SandboxRequest {
        let bucket = text("bucket")
        var target = bucket.isEmpty || isHosted ? "/" : "/\(bucket)/"
        target += OSSTestCall.encode(text("key"), keeping: "/")
        let query = pairs("query").map {
            OSSTestCall.encode($0.0) + ($0.1.isEmpty ? "" : "=" + OSSTestCall.encode($0.1))
        }.joined(separator: "&")
        let host = bucket.isEmpty || !isHosted ? "127.0.0.1:8090" : "\(bucket).oss.localhost:8090"
        let own = fields.filter { $0.0.lowercased() != "host" } + [("Host", host)]
        return SandboxRequest(
            Array(text("method").utf8), target: Array((target + (query.isEmpty ? "" : "?" + query)).utf8),
            fields: own.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) })
    }

    /// Of version 4, put together from its parts.
    func authorization(_ additional: [String]) -> String {
        let scope = "\(text("timestamp").prefix(8))/\(text("region"))/oss/aliyun_v4_request"
        let more = additional.isEmpty ? "" : ",AdditionalHeaders=\(additional.joined(separator: ";"))"
        let sent = signature.isEmpty ? "0" : signature
        return "OSS4-HMAC-SHA256 Credential=\(text("accessKeyId"))/\(scope)\(more),Signature=\(sent)"
    }

    var secret: Secret { Secret(Array(text("accessKeySecret").utf8)) }
    var signature: String { expected["signature"]?.text?.text ?? "" }
}

/// What the vendor's SDKs sign, the sandbox finds signed, and nothing else.
@Suite struct OSSVectorTests {
    private func check(_ request: SandboxRequest, _ vector: OSSVector, at now: Int64) throws {
        let claim = try #require(try OSSClaim(OSSRequest(request), at: now))
        #expect(try claim.isSigned(with: vector.secret))
        let text = vector.expected["stringToSign"]?.text
        #expect(text == nil || claim.stringToSign == text, "\(claim.stringToSign.text)")
        #expect(claim.accessKeyID.text == vector.text("accessKeyId"))
        #expect(!(try claim.isSigned(with: Secret(Array("other".utf8)))))
    }

    @Test(arguments: OSSVector.all("oss.v1.header"), [false, true])
    func `requests of version 1 are signed`(vector: OSSVector, isHosted: Bool) throws {
        var fields = vector.pairs("headers")
        fields.append(("Authorization", try #require(vector.expected["authorization"]?.text?.text)))
        let request = vector.request(fields, isHosted: isHosted)
        let date = fields.first { $0.0.lowercased() == "x-oss-date" } ?? fields.first { $0.0.lowercased() == "date" }
        let moment = Array(try #require(date).1.utf8)
        let parsed = HTTPDate.parse(moment.span)
        let now = try #require(parsed)
        guard !vector.text("key").hasPrefix("/") else {
            // No object can have that name.
            #expect(throws: OSSError.self) { try OSSRequest(request) }
            return
        }
        try check(request, vector, at: now)
        #expect(throws: OSSError.self) { try OSSClaim(OSSRequest(request), at: now + 901) }
    }

    @Test(arguments: OSSVector.all("oss.v4.header").filter { $0.text("product") == "oss" }, [false, true])
    func `requests of version 4 are signed`(vector: OSSVector, isHosted: Bool) throws {
        var fields = vector.pairs("headers")
        let date = vector.text("timestamp")
        fields += [("x-oss-date", date), ("x-oss-content-sha256", "UNSIGNED-PAYLOAD")]
        if !vector.text("securityToken").isEmpty {
            fields.append(("x-oss-security-token", vector.text("securityToken")))
        }
        let names = IssuedSessionPolicy.texts(vector.input["additionalHeaders"]).map { $0.text.lowercased() }.sorted()
        let isHostSigned = names.contains("host")
        fields.append(("Authorization", vector.expected["authorization"]?.text?.text ?? vector.authorization(names)))
        var request = vector.request(fields, isHosted: isHosted)
        if isHostSigned {
            // The vector's host is none of the sandbox's, so its bucket must be in the path.
            let host = vector.pairs("headers").first { $0.0.lowercased() == "host" }
            request = vector.request(fields, isHosted: false)
            request.fields =
                request.fields.filter { $0.name.text != "Host" }
                + [NameValue("Host", Array(try #require(host).1.utf8))]
        }
        let moment = Array(date.utf8)
        let parsed = ISO8601.parseBasic(moment.span)
        let now = try #require(parsed)
        #expect(throws: OSSError.self) { try OSSClaim(OSSRequest(request), at: now - 901) }
        guard !vector.signature.isEmpty else {
            // The vendor's document tells no secret.
            let claim = try #require(try OSSClaim(OSSRequest(request), at: now))
            #expect(claim.stringToSign == vector.expected["stringToSign"]?.text)
            return
        }
        try check(request, vector, at: now)
    }

    @Test(arguments: OSSVector.all("oss.v1.presign") + OSSVector.all("oss.v4.presign"))
    func `URLs are signed, in each spelling of the SDKs`(vector: OSSVector) throws {
        guard case .object(let urls)? = vector.expected["urls"]?.content else { return }
        #expect(!urls.isEmpty)
        let now = try #require(vector.input["now"]?.integer)
        let life = try #require(vector.input["expiresIn"]?.integer)
        for url in urls {
            let text = try #require(url.value.text?.text)
            let rest = try #require(text.components(separatedBy: "://").last)
            let target = "/" + rest.drop { $0 != "/" }.dropFirst()
            let fields = vector.pairs("headers") + [("Host", vector.text("bucket") + ".oss.localhost:8090")]
            let request = SandboxRequest(
                Array(vector.text("method").utf8), target: Array(target.utf8),
                fields: fields.map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) })
            try check(request, vector, at: now)
            try check(request, vector, at: now + life)
            #expect(throws: OSSError.self) { try OSSClaim(OSSRequest(request), at: now + life + 1) }
        }
    }

    @Test(arguments: OSSVector.all("oss.post.v1") + OSSVector.all("oss.post.v4"))
    func `forms are signed`(vector: OSSVector) throws {
        guard case .object(let members)? = vector.expected["formFields"]?.content else { return }
        let boundary = "xyz"
        var text = ""
        for member in members {
            text +=
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(member.name.text)\"\r\n\r\n"
                + "\(try #require(member.value.text).text)\r\n"
        }
        text +=
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nx\r\n--\(boundary)--\r\n"
        let request = SandboxRequest(
            Array("POST".utf8), target: Array("/examplebucket".utf8),
            fields: [NameValue("Content-Type", Array("multipart/form-data; boundary=\(boundary)".utf8))])
        let form = try OSSForm(try #require(MultipartForm(request, BodyReader(Array(text.utf8)))))
        let moment = Array(vector.text("timestamp").utf8)
        let now = ISO8601.parseBasic(moment.span) ?? 0
        let claim = try #require(try OSSClaim(form, at: now))
        #expect(claim.signature.text == vector.signature)
        #expect(try claim.isSigned(with: vector.secret))
        #expect(throws: Never.self) { try OSSFormPolicy(try #require(form["policy"])) }
    }

    @Test func `there are such vectors`() {
        for operation in [
            "oss.v1.header", "oss.v4.header", "oss.v1.presign", "oss.v4.presign", "oss.post.v1", "oss.post.v4",
        ] {
            #expect(OSSVector.all(operation).count >= 4)
        }
    }
}
