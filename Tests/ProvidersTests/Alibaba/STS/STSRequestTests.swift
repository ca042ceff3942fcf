import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct STSRequestTests {
    private let policy = #"{"Version":"1","Statement":[]}"#

    private func wire(_ request: AssumeRole, _ scheme: STSScheme, token: String? = nil) throws -> Wire {
        try STSSample.wire(
            request.call(
                to: STSSample.authority, signedBy: STSSample.key(scheme, token: token), nonce: STSSample.nonce,
                at: STSSample.now))
    }

    // MARK: ACS3

    @Test func `an ACS3 call has all parameters in its query and all of the protocol in its headers`() throws {
        let request = try STSSample.request(policy: policy, externalID: "ext-1", sourceIdentity: "Alice")
        let wire = try wire(request, .acs3)
        #expect(wire.line.hasPrefix("POST /?") && wire.line.hasSuffix(" HTTP/1.1"))
        #expect(
            wire.query.map { "\($0.0)=\($0.1)" } == [
                "DurationSeconds=3600", "ExternalId=ext-1", "Policy=\(policy)",
                "RoleArn=acs:ram::1234567890123456:role/AppUploader", "RoleSessionName=chain", "SourceIdentity=Alice",
            ])
        #expect(wire["host"] == "sts.cn-hangzhou.aliyuncs.com" && wire["content-length"] == "0" && wire.body == "")
        #expect(wire["x-acs-action"] == "AssumeRole" && wire["x-acs-version"] == "2015-04-01")
        #expect(wire["x-acs-date"] == "2025-09-05T10:01:38Z")
        #expect(wire["x-acs-signature-nonce"] == STSSample.nonceText)
        #expect(
            wire["x-acs-content-sha256"] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(wire["x-acs-security-token"] == nil && wire["x-acs-accesskey-id"] == nil)
        #expect(wire["accept"] == "application/json")
    }

    @Test(arguments: [nil, STSSample.token])
    func `an ACS3 call's signature holds over what went out`(token: String?) throws {
        let wire = try wire(try STSSample.request(policy: policy), .acs3, token: token)
        #expect(wire["x-acs-security-token"] == token)
        let authorization = try #require(wire["authorization"])
        let signed = try #require(authorization.firstMatch(of: /SignedHeaders=([^,]*),/)).1
        let names = signed.split(separator: ";").map(String.init)
        #expect(names == names.sorted() && names.contains("host"))
        // Every x-acs-* header is signed, as the vendor demands at least.
        #expect(
            Set(names) == Set(wire.headers.map { $0.name.lowercased() }.filter { $0.hasPrefix("x-acs-") } + ["host"]))
        let query = try #require(wire.line.split(separator: " ")[1].split(separator: "?").last)
        var canonical = "POST\n/\n\(query)\n"
        for name in names { canonical += "\(name):\(try #require(wire[name]))\n" }
        canonical += "\n\(signed)\n\(try #require(wire["x-acs-content-sha256"]))"
        let text = "ACS3-HMAC-SHA256\n" + Hex.encode(try digest(canonical)).text
        let code = try HMACKey(.sha256, Secret(Array(STSSample.secretText.utf8))).sign(Array(text.utf8).span).bytes
            .array
        #expect(
            authorization
                == "ACS3-HMAC-SHA256 Credential=LTAI5tUnitTestKey0001,SignedHeaders=\(signed),Signature="
                + Hex.encode(code).text)
    }

    private func digest(_ text: String) throws -> [UInt8] {
        try Digest(.sha256, of: Array(text.utf8).span).bytes.array
    }

    // MARK: RPC

    @Test(arguments: [nil, STSSample.token])
    func `an RPC call has everything in its form, and its signature holds`(token: String?) throws {
        let wire = try wire(try STSSample.request(policy: policy, externalID: "e=+/1"), .rpc, token: token)
        #expect(wire.line == "POST / HTTP/1.1")
        #expect(wire["content-type"] == "application/x-www-form-urlencoded")
        #expect(wire["content-length"] == String(wire.body.utf8.count))
        #expect(!wire.body.contains("+"))
        var form = Dictionary(uniqueKeysWithValues: wire.form)
        let signature = form.removeValue(forKey: "Signature")
        #expect(form["SecurityToken"] == token)
        form["SecurityToken"] = nil
        #expect(
            form == [
                "Action": "AssumeRole", "Version": "2015-04-01", "Format": "JSON",
                "AccessKeyId": "LTAI5tUnitTestKey0001", "SignatureMethod": "HMAC-SHA1", "SignatureVersion": "1.0",
                "SignatureNonce": STSSample.nonceText, "Timestamp": "2025-09-05T10:01:38Z", "DurationSeconds": "3600",
                "ExternalId": "e=+/1", "Policy": policy, "RoleArn": "acs:ram::1234567890123456:role/AppUploader",
                "RoleSessionName": "chain",
            ])
        form["SecurityToken"] = token
        let parameters = form.map { NameValue(Array($0.key.utf8), Array($0.value.utf8)) }
        let key = try HMACKey(.sha1, Secret(Array((STSSample.secretText + "&").utf8)))
        #expect(try RPCSignature.signature(over: .post, parameters, key).text == signature)
    }

    @Test(arguments: [STSScheme.acs3, .rpc])
    func `another nonce or second is another signature`(scheme: STSScheme) throws {
        let request = try STSSample.request()
        let key = try STSSample.key(scheme)
        var calls: Set<String> = []
        for (nonce, now) in [(UInt8(0), STSSample.now), (1, STSSample.now), (0, STSSample.now + 1)] {
            let call = try request.call(
                to: STSSample.authority, signedBy: key, nonce: InlineArray(repeating: nonce), at: now)
            let wire = try STSSample.wire(call)
            let signature = wire["authorization"] ?? wire.form.first { $0.0 == "Signature" }?.1
            calls.insert(try #require(signature))
        }
        #expect(calls.count == 3)
    }

    // MARK: What the vendor would refuse

    @Test(arguments: [
        "", "acs:ram::1:role/", "acs:ram:::role/a", "acs:ram::x:role/a", "acs:ram::1:user/a", "acs:ram::1:role/a b",
        "acs:ram::1:role/a/b", "acs:ram::1:role/a\n", " acs:ram::1:role/a", "arn:aws:iam::1:role/a",
        "acs:ram::1:role/*", "acs:ram::1:role/é", "acs:ram::1:role",
    ])
    func `no role but a role`(text: String) {
        #expect(throws: AssumeRole.Fault.roleARN) { try STSSample.request(roleARN: STSSample.bytes(text)) }
    }

    @Test(arguments: ["", "a", "a b", "a/b", "a:b", "é", "a+b", "a=b", String(repeating: "a", count: 65), "a\n"])
    func `no session name of other letters or length`(text: String) {
        #expect(throws: AssumeRole.Fault.sessionName) { try STSSample.request(session: text) }
    }

    @Test(arguments: [Int64.min, -1, 0, 899, 43_201, .max]) func `no duration beyond the vendor's`(duration: Int64) {
        #expect(throws: AssumeRole.Fault.durationSeconds) { try STSSample.request(duration: duration) }
    }

    @Test(arguments: [900, 3600, 43_200] as [Int64]) func `every duration of the vendor's`(duration: Int64) throws {
        #expect(try STSSample.request(duration: duration).durationSeconds == duration)
    }

    @Test(arguments: ["", String(repeating: "a", count: 2049)]) func `no policy too short or long`(policy: String) {
        #expect(throws: AssumeRole.Fault.policy) { try STSSample.request(policy: policy) }
    }

    @Test(arguments: ["", "a", "a b", "a\r\nb", "é", "a\"b", String(repeating: "a", count: 1225)])
    func `no external id of other letters or length`(text: String) {
        #expect(throws: AssumeRole.Fault.externalID) { try STSSample.request(externalID: text) }
    }

    @Test(arguments: ["", "a", "a b", "a:b", "é", String(repeating: "a", count: 65)])
    func `no source identity of other letters or length`(text: String) {
        #expect(throws: AssumeRole.Fault.sourceIdentity) { try STSSample.request(sourceIdentity: text) }
    }

    // MARK: OIDC

    private let provider = STSSample.bytes("acs:ram::1:oidc-provider/ack-rrsa-c1")

    @Test func `an OIDC call has its token in the body and no signature`() throws {
        let request = try AssumeRoleWithOIDC(
            roleARN: STSSample.roleARN, providerARN: provider, sessionName: Array("countersign".utf8),
            durationSeconds: 3600)
        let wire = try STSSample.wire(
            request.call(
                to: STSSample.authority, token: Array("eyJh.eyJ+.sig_-".utf8), nonce: STSSample.nonce,
                at: STSSample.now))
        #expect(
            wire.query.map { "\($0.0)=\($0.1)" } == [
                "Action=AssumeRoleWithOIDC", "Format=JSON", "SignatureNonce=\(STSSample.nonceText)",
                "Timestamp=2025-09-05T10:01:38Z", "Version=2015-04-01",
            ])
        #expect(
            wire.form.map { "\($0.0)=\($0.1)" } == [
                "DurationSeconds=3600", "OIDCProviderArn=acs:ram::1:oidc-provider/ack-rrsa-c1",
                "OIDCToken=eyJh.eyJ+.sig_-", "RoleArn=acs:ram::1234567890123456:role/AppUploader",
                "RoleSessionName=countersign",
            ])
        #expect(wire["authorization"] == nil && !wire.line.contains("eyJh"))
    }

    @Test(arguments: ["", "a b", "a\n", "a\r\nb", "é", "a\"b", String(repeating: "a", count: 20_001)])
    func `no OIDC token that is none`(token: String) throws {
        let request = try AssumeRoleWithOIDC(
            roleARN: STSSample.roleARN, providerARN: provider, sessionName: Array("ab".utf8), durationSeconds: 900)
        #expect(throws: AssumeRole.Fault.token) {
            try request.call(
                to: STSSample.authority, token: Array(token.utf8), nonce: STSSample.nonce, at: STSSample.now)
        }
    }

    @Test func `an OIDC request is judged like the other`() {
        func fault(role: String, provider: String, name: String, duration: Int64) -> AssumeRole.Fault? {
            do throws(AssumeRole.Fault) {
                _ = try AssumeRoleWithOIDC(
                    roleARN: Array(role.utf8), providerARN: Array(provider.utf8), sessionName: Array(name.utf8),
                    durationSeconds: duration)
                return nil
            } catch {
                return error
            }
        }
        let (role, provider) = ("acs:ram::1:role/a", "acs:ram::1:oidc-provider/b")
        #expect(fault(role: role, provider: provider, name: "ab", duration: 900) == nil)
        #expect(fault(role: provider, provider: provider, name: "ab", duration: 900) == .roleARN)
        #expect(fault(role: role, provider: role, name: "ab", duration: 900) == .providerARN)
        #expect(fault(role: role, provider: provider, name: "a", duration: 900) == .sessionName)
        #expect(fault(role: role, provider: provider, name: "ab", duration: 1) == .durationSeconds)
    }
}
