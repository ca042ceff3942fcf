import Testing

@testable import Bytes
@testable import Crypto
@testable import Providers

@Suite struct STSSignatureTests {
    @Test(arguments: Vector.all.filter { $0.operation == "sts.acs3.sign" })
    func `signs as the vendor's SDK does, ACS3`(vector: Vector) throws {
        try STSVectors.acs3(vector)
    }

    @Test(arguments: Vector.all.filter { $0.operation == "sts.rpc.sign" })
    func `signs as the vendor's SDK does, RPC`(vector: Vector) throws {
        try STSVectors.rpc(vector)
    }

    @Test func `there are vectors of both`() {
        #expect(Vector.all.count { $0.operation == "sts.acs3.sign" } >= 4)
        #expect(Vector.all.count { $0.operation == "sts.rpc.sign" } >= 4)
    }

    /// The vendor's document of the RPC signature, `DescribeRegions`.
    @Test func `gives the RPC document's signature`() throws {
        let parameters = [
            ("Timestamp", "2016-02-23T12:46:24Z"), ("Format", "XML"), ("AccessKeyId", "testid"),
            ("Action", "DescribeRegions"), ("SignatureMethod", "HMAC-SHA1"),
            ("SignatureNonce", "3ee8c1b8-83d3-44af-a94f-4e0ad82fd6cf"), ("Version", "2014-05-26"),
            ("SignatureVersion", "1.0"),
        ].map { NameValue(Array($0.0.utf8), Array($0.1.utf8)) }
        let key = try RPCSignature.key(Secret(Array("testsecret".utf8)))
        #expect(try RPCSignature.signature(over: .get, parameters, key).text == "OLeaidS1JvxuMvnyHOwuJ+uX5qY=")
    }

    @Test func `a key with a suffix is the key of both joined, at every length around the block's`() throws {
        for length in [0, 1, 30, 62, 63, 64, 65, 100, 200] {
            for suffix in [[], [UInt8(ascii: "&")], [UInt8](repeating: 7, count: 64)] {
                let secret = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let message = Array("message".utf8)
                for algorithm in [DigestAlgorithm.sha1, .sha256] {
                    let joined = try HMACKey(algorithm, Secret(secret + suffix)).sign(message.span).bytes.array
                    let apart = try HMACKey(algorithm, Secret(secret), suffix: suffix).sign(message.span).bytes.array
                    #expect(joined == apart)
                }
            }
        }
    }

    @Test func `the host is signed with its port, and header names in lower case`() throws {
        let call = UpstreamCall(
            .post, authority: Array("127.0.0.1:8443".utf8), path: Array("/".utf8),
            headers: [
                NameValue("X-Acs-B", "2"), NameValue("content-type", "a/b"), NameValue("X-Acs-A", "1"),
            ])
        let text = try ACS3Signature.canonicalRequest(call).text
        #expect(
            text.hasPrefix(
                "POST\n/\n\ncontent-type:a/b\nhost:127.0.0.1:8443\nx-acs-a:1\nx-acs-b:2\n\n"
                    + "content-type;host;x-acs-a;x-acs-b\n"))
    }

    @Test func `equal names are sorted by value, and empty values keep their sign`() {
        let fields = [("b", "2"), ("a", ""), ("b", "10"), ("B", "é *~")].map {
            NameValue(Array($0.0.utf8), Array($0.1.utf8))
        }
        #expect(QueryText.form(QueryText.sorted(fields)).text == "B=%C3%A9%20%2A~&a=&b=10&b=2")
    }

    @Test func `every byte is encoded as RFC 3986 has it`() {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        for byte in UInt8.min...UInt8.max {
            let text = QueryText.form([NameValue([byte], [])]).text
            let hex = String(byte, radix: 16, uppercase: true)
            let encoded = "%" + (hex.count == 1 ? "0" : "") + hex
            #expect(text == (plain.contains(byte) ? String(UnicodeScalar(byte)) : encoded) + "=")
        }
    }

    @Test func `keys print nothing of their secret`() throws {
        let key = try STSSample.key(.acs3, token: STSSample.token)
        #expect(!everything(of: key).contains(STSSample.secretText))
        #expect(!everything(of: key).contains(STSSample.token))
    }
}
