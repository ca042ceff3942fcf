import HTTP
import TestTraits
import Testing

@testable import Bytes
@testable import Crypto
@testable import Sandbox

/// What the vendor's SDKs signed is accepted, and nothing that is one byte different.
@Suite struct VectorTests {
    @Test func `there are vectors of both signatures`() {
        #expect(SignedVector.assumeRole.count { $0.isACS3 } >= 3)
        #expect(SignedVector.assumeRole.count { !$0.isACS3 } >= 4)
    }

    @Test(arguments: SignedVector.assumeRole)
    func `a request of the vendor's SDK gets credentials`(vector: SignedVector) {
        var sts = SandboxSTS(vector.settings)
        let answer = sts.answer(vector.request, at: vector.now)
        #expect(answer.status == 200, "\(answer.body.text)")
    }

    @Test(arguments: SignedVector.assumeRole.filter { !$0.isACS3 })
    func `RPC parameters may come in the form, or in both query and form`(vector: SignedVector) throws {
        #expect(Fixture.code(vector.rpc(inForm: true), at: vector.now, vector.settings) == "200")
        var both = vector.rpc(inForm: true)
        let cut = try #require(both.body.lastIndex(of: UInt8(ascii: "&")))
        both.target += [UInt8(ascii: "?")] + both.body[(cut + 1)...]
        both.body.removeSubrange(cut...)
        #expect(Fixture.code(both, at: vector.now, vector.settings) == "200")
    }

    @Test(arguments: SignedVector.all)
    func `the text to sign is the SDK's`(vector: SignedVector) throws {
        let claim = try SignatureClaim(vector.request)
        if let text = SignedVector.text(vector.expected["canonicalRequest"]) {
            #expect(claim.canonicalRequest?.text == text)
        }
        if let text = SignedVector.text(vector.expected["stringToSign"]) { #expect(claim.stringToSign.text == text) }
        #expect(try claim.isSigned(with: Secret(Array(vector.secret.utf8))))
        #expect(try !claim.isSigned(with: Secret(Array((vector.secret + "x").utf8))))
    }

    @Test func `a well signed call of another service is not found`() {
        let others = SignedVector.all.filter { vector in !SignedVector.assumeRole.contains { $0.id == vector.id } }
        #expect(others.count >= 1)
        for vector in others {
            #expect(Fixture.code(vector.request, at: vector.now, vector.settings) == "InvalidAction.NotFound")
        }
    }

    @Test(arguments: SignedVector.assumeRole)
    func `no byte of it may be another`(vector: SignedVector) {
        var sts = SandboxSTS(vector.settings)
        var changed = 0
        func variants(_ text: [UInt8]) -> [[UInt8]] {
            text.indices.filter(Rounds.takes).flatMap { index in
                [1, 4].map { (bit: UInt8) in
                    var copy = text
                    copy[index] ^= bit
                    return copy
                }
            }
        }
        func refuses(_ request: SandboxRequest, _ what: @autoclosure () -> String) {
            changed += 1
            let answer = sts.answer(request, at: vector.now)
            #expect((400..<500).contains(answer.status), "\(what()) of \(vector.id)")
        }
        let original = vector.request
        for method in ["GET", "POST", "HEAD", "OPTIONS", "PUT"] where method != original.method.text {
            var request = original
            request.method = Array(method.utf8)
            refuses(request, "method")
        }
        for target in variants(original.target) {
            var request = original
            request.target = target
            refuses(request, "target \(target.text)")
        }
        // Of RPC no field is signed.
        for (index, field) in original.fields.enumerated() where vector.isACS3 {
            for value in variants(field.value) {
                var request = original
                request.fields[index] = NameValue(field.name, value)
                refuses(request, "\(field.name.text): \(value.text)")
            }
            for name in variants(field.name) {
                var request = original
                request.fields[index] = NameValue(name, field.value)
                refuses(request, "\(name.text)")
            }
            var request = original
            request.fields.remove(at: index)
            refuses(request, "no \(field.name.text)")
            request.fields += [field, field]
            refuses(request, "two of \(field.name.text)")
        }
        if vector.isACS3 {
            var request = original
            request.body = [0]
            refuses(request, "body")
        } else {
            let form = vector.rpc(inForm: true)
            for body in variants(form.body) {
                var request = form
                request.body = body
                refuses(request, "form \(body.text)")
            }
        }
        #expect(changed > Rounds.share(of: 1000))
        // None of them has used the nonce up.
        #expect(sts.code(original, at: vector.now) == "200")
        #expect(sts.code(original, at: vector.now) == "SignatureNonceUsed")
    }
}
