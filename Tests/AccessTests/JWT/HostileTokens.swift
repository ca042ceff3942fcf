import Crypto
import TestKeys

@testable import Access
@testable import Bytes

/// Tokens that nobody may believe, made of a good one by one edit each.
struct HostileTokens {
    private let key: TestKey
    private let good: (header: String, payload: String, signature: String)
    private(set) var tokens: [(what: String, token: String)] = []
    private let claims = TokenFixture.claims()

    private var algorithm: SignatureAlgorithm { key.algorithm }
    private var header: String { TokenFixture.header(algorithm) }
    /// The token that all are edits of.
    var twin: String { "\(good.header).\(good.payload).\(good.signature)" }

    init(of key: TestKey) {
        self.key = key
        let parts = key.token(claims: TokenFixture.claims()).split(separator: ".").map(String.init)
        good = (parts[0], parts[1], parts[2])
        editShape()
        editText()
        forgeSignatures()
        confuseAlgorithms()
        editHeaders()
        editClaims()
    }

    private mutating func add(_ what: String, _ token: String) { tokens.append((what, token)) }

    private mutating func sign(_ what: String, header: String? = nil, claims: String? = nil) {
        let (header, claims) = (header ?? self.header, claims ?? self.claims)
        add("\(what): \(header.prefix(80)) \(claims.prefix(200))", key.token(header: header, claims: claims))
    }

    // MARK: Without signing anew

    /// Other numbers of parts, and other forms of a signed text.
    private mutating func editShape() {
        let (h, p, s) = good
        for (number, token) in [
            "", ".", "..", "...", h, "\(h).\(p)", "\(h).\(p).", "\(h)..\(s)", ".\(p).\(s)", "\(h).", "..\(s)",
            ".\(twin)", "\(twin).", "\(twin)..", "\(twin).\(s)", "\(h).\(p).\(s).\(s).\(s)", "\(h).\(p)..\(s)",
            "\(h)..\(p).\(s)", "\(twin),\(twin)", "\(twin) \(twin)", "Bearer \(twin)", " \(twin)", "\(twin) ",
            "\(twin)\n", "\(twin)\0", "\t\(twin)", "\"\(twin)\"", "\(h)%2E\(p)%2E\(s)", "\(h) . \(p) . \(s)",
            "\(p).\(h).\(s)", "\(h).\(s).\(p)", "\(s).\(p).\(h)", "\(h).\(h).\(s)", "\(p).\(p).\(s)",
            "\(h).\(p).\(p)", "\(h).\(p).\(h)", "\(h);\(p);\(s)", "\(h)\u{2024}\(p)\u{2024}\(s)",
            "{\"protected\":\"\(h)\",\"payload\":\"\(p)\",\"signature\":\"\(s)\"}", String(repeating: ".", count: 8000),
            String(repeating: "a.", count: 4000), twin.uppercased(), twin.lowercased(), String(twin.reversed()),
        ].enumerated() {
            add("shape \(number)", token)
        }
    }

    /// Other spellings of base64, and other characters.
    private mutating func editText() {
        let parts = [good.header, good.payload, good.signature]
        func token(_ position: Int, _ part: String) -> String {
            parts.indices.map { $0 == position ? part : parts[$0] }.joined(separator: ".")
        }
        for (position, part) in parts.enumerated() {
            let edits: [String] = [
                "\(part)=", "\(part)==", "\(part)A", "\(part)AA", "\(part)AAA", "\(part)AAAA", "A\(part)",
                "AAAA\(part)",
                String(part.dropLast()), String(part.dropLast(2)), String(part.dropLast(4)), String(part.dropFirst()),
                String(part.dropFirst(4)), "\(part) ", " \(part)", "\(part)\n", "\(part)%", "\(part)+", "\(part)/",
                "\(part)\0", "\(part)\u{e9}", "\(part)\(part)", String(part.prefix(part.count / 2)),
                "\(part.prefix(10))\n\(part.dropFirst(10))",
                "\(part.prefix(10))=\(part.dropFirst(11))",
            ]
            for edit in edits {
                add("part \(position)", token(position, edit))
            }
            // The same bytes with left-over bits that are not zero.
            if part.count % 4 != 0, let last = part.last {
                let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
                let next = (alphabet.firstIndex(of: last) ?? 0) + 1
                add(
                    "left-over bits of part \(position)", token(position, part.dropLast() + String(alphabet[next % 64]))
                )
            }
            // One character for another.
            for step in 0..<16 {
                var characters = Array(part)
                let index = step * (characters.count - 1) / 16
                characters[index] = characters[index] == "x" ? "y" : "x"
                add("character \(index) of part \(position)", token(position, String(characters)))
            }
        }
    }

    private mutating func forgeSignatures() {
        let text = "\(good.header).\(good.payload)"
        let signature = key.sign(Array(text.utf8))
        let other = TestKey(algorithm)
        var forged: [(String, [UInt8])] = [
            ("zeroes", Array(repeating: 0, count: signature.count)),
            ("ones", Array(repeating: 0xFF, count: signature.count)),
            ("one zero", [0]), ("another key's", other.sign(Array(text.utf8))),
            ("of the claims alone", key.sign(Array(good.payload.utf8))),
            ("of the header alone", key.sign(Array(good.header.utf8))),
            ("of both with a dot more", key.sign(Array((text + ".").utf8))),
            ("of the bytes without base64", key.sign(Array((header + "." + claims).utf8))),
            ("of nothing", key.sign([])), ("backwards", signature.reversed()), ("with a zero before", [0] + signature),
            ("with a zero behind", signature + [0]), ("cut", Array(signature.dropLast())),
            ("cut before", Array(signature.dropFirst())), ("doubled", signature + signature),
            (
                "its halves the other way",
                Array(signature[(signature.count / 2)...] + signature[..<(signature.count / 2)])
            ),
            ("the signed text itself", Array(text.utf8)), ("its base64", Array(good.signature.utf8)),
        ]
        for bit in stride(from: 0, to: signature.count * 8, by: max(1, signature.count * 8 / 24)) {
            var changed = signature
            changed[bit / 8] ^= UInt8(1) << UInt8(bit % 8)
            forged.append(("without bit \(bit)", changed))
        }
        for (what, bytes) in forged { add("signature \(what)", "\(text).\(TestKey.base64(bytes))") }
        // Other claims under the good signature.
        for claims in [
            TokenFixture.claims(["sub": "\"43\""]), TokenFixture.claims(["exp": "\(Fixture.now + 601)"]), "{}",
        ] {
            add("claims \(claims)", "\(good.header).\(TestKey.base64(Array(claims.utf8))).\(good.signature)")
        }
    }

    /// Signed by something that an attacker knows.
    private mutating func confuseAlgorithms() {
        let payload = Array(claims.utf8)
        for name in ["none", "None", "NONE", "nOnE", "", " none", "none "] {
            let text = TestKey.base64(Array("{\"alg\":\"\(name)\"}".utf8)) + "." + good.payload
            for signature in ["", good.signature, "AA"] { add("alg \(name)", "\(text).\(signature)") }
        }
        var known: [(String, [UInt8])] = [("nothing", []), ("a word", Array("secret".utf8)), ("kid", Array("k1".utf8))]
        if algorithm != .hs256 {
            let pem = key.pem
            known += [
                ("PEM", Array(pem.utf8)), ("PEM without its end", Array(pem.utf8.dropLast())),
                ("PEM with CR LF", Array(pem.replacing("\n", with: "\r\n").utf8)),
                ("base64 of PEM", Array(pem.split(separator: "\n")[1].utf8)), ("JWK", Array(key.jwk().utf8)),
            ]
            for (number, bytes) in key.numbers.enumerated() {
                known += [("number \(number)", bytes), ("number's text \(number)", Array(TestKey.base64(bytes).utf8))]
            }
        }
        for (what, secret) in known {
            let forger = TestKey(.hs256, secret: secret)
            for name in [SignatureAlgorithm.hs256, algorithm] {
                let token = forger.token(header: Array(TokenFixture.header(name).utf8), claims: payload)
                add("HMAC with \(what) as \(name.rawValue)", token)
            }
        }
        for other in SignatureAlgorithm.allCases where other != algorithm {
            let header = Array(TokenFixture.header(other).utf8)
            if other.keyKind == algorithm.keyKind {
                add("signed by \(other)", key.token(header: header, claims: payload, by: other))
                let own = Array(self.header.utf8)
                add("signed by \(other) in secret", key.token(header: own, claims: payload, by: other))
            }
            add("its own \(other)", TestKey(other).token(header: header, claims: payload))
            add("called \(other)", key.token(header: header, claims: payload))
        }
    }

    // MARK: Signed with the good key

    private mutating func editHeaders() {
        let name = algorithm.rawValue
        for alg in [
            "HS384", "HS512", "RS384", "RS512", "PS384", "PS512", "ES384", "ES512", "ES256K", "Ed448", "RS1", "dir",
            "A128KW", "RSA-OAEP", name.lowercased() + "x", name + " ", " " + name, name + "\\u0000", "",
        ] {
            sign("alg", header: "{\"alg\":\"\(alg)\"}")
        }
        if name.lowercased() != name { sign("alg", header: "{\"alg\":\"\(name.lowercased())\"}") }
        for alg in ["null", "true", "256", "[\"\(name)\"]", "{\"alg\":\"\(name)\"}", "[]"] {
            sign("alg", header: "{\"alg\":\(alg)}")
        }
        let attacker = TestKey(algorithm)
        let jwk = algorithm == .hs256 ? "{\"kty\":\"oct\"}" : attacker.jwk()
        for member in [
            "\"crit\":[]", "\"crit\":[\"exp\"]", "\"crit\":[\"b64\"],\"b64\":false", "\"crit\":null", "\"b64\":false",
            "\"b64\":true", "\"crit\":[\"x\"],\"x\":1", "\"jwk\":\(jwk)", "\"jwk\":null",
            "\"jku\":\"https://evil.example\"",
            "\"jku\":\"file:///dev/null\"", "\"x5u\":\"https://evil.example\"", "\"x5c\":[]", "\"x5c\":[\"MIIB\"]",
            "\"zip\":\"DEF\"", "\"enc\":\"A128GCM\"", "\"typ\":\"JWE\"", "\"typ\":null", "\"typ\":1", "\"typ\":\"\"",
            "\"typ\":[\"JWT\"]", "\"typ\":\"JWT \"", "\"typ\":\"logout+jwt\"", "\"typ\":\"dpop+jwt\"", "\"kid\":1",
            "\"kid\":null", "\"kid\":[\"k1\"]", "\"kid\":{}", "\"kid\":\"k2\"", "\"kid\":\"\"", "\"kid\":\"K1\"",
            "\"kid\":\"k1 \"", "\"kid\":\"../../dev/null\"", "\"kid\":\"k1' OR '1'='1\"", "\"alg\":\"none\"",
            "\"alg\":\"\(name)\"", "\"\\u0061lg\":\"\(name)\"", "\"kid\":\"k1\",\"kid\":\"k1\"",
        ] {
            sign("member", header: "{\"alg\":\"\(name)\",\(member)}")
            sign("member", header: "{\(member),\"alg\":\"\(name)\"}")
        }
        // A key of its own, and a signature of that.
        if algorithm != .hs256 {
            add("own jwk", attacker.token(header: "{\"alg\":\"\(name)\",\"jwk\":\(jwk)}", claims: claims))
            add(
                "own jwk", attacker.token(header: "{\"alg\":\"\(name)\",\"kid\":\"k1\",\"jwk\":\(jwk)}", claims: claims)
            )
        }
        for header in [
            "{}", "[]", "null", "\"\(name)\"", "{\"ALG\":\"\(name)\"}", "[\(header)]", "\(header)\(header)",
            "\(header),",
            "\(header)x", "{\"alg\":\"\(name)\",}", "{alg:\"\(name)\"}", "{'alg':'\(name)'}",
            "{\"alg\":\"\(name)\"/**/}", "\u{feff}\(header)", "\(header)\0",
            "{\"alg\":\"\(name)\",\"a\":[[[[[[1]]]]]]}",
            "{\"alg\":\"\(name)\",\"a\":\"\\ud800\"}", "{\"alg\":\"\(name)\",\"a\":01}", "",
            "{\"alg\":\"\(name)\",\"a\":[\(Array(repeating: "1", count: 100).joined(separator: ","))]}",
        ] {
            sign("header", header: header)
        }
        add(
            "no UTF-8",
            key.token(
                header: Array("{\"alg\":\"\(name)\",\"a\":\"".utf8) + [0xFF, 0x22, 0x7D], claims: Array(claims.utf8)))
    }

    private mutating func editClaims() {
        for (name, values) in [
            (
                "iss",
                [
                    "\"https://id.example.com/\"", "\"https://ID.example.com\"", "\"http://id.example.com\"",
                    "\"https://id.example.com \"", "\"https://id.example.co\"", "[\"https://id.example.com\"]",
                ]
            ),
            (
                "aud",
                [
                    "\"Uploads\"", "\"uploads \"", "\"upload\"", "\"uploadsx\"", "[]", "[\"other\"]", "[\"uploads\",1]",
                    "[[\"uploads\"]]", "[\"uploads\",null]", "{\"uploads\":1}", "\"uploads,other\"",
                    "\"other uploads\"",
                ]
            ),
            ("sub", ["[\"42\"]", "42"]),
            (
                "exp",
                [
                    "\(Fixture.now - 30)", "\(Fixture.now - 31)", "-1", "-0", "\"\(Fixture.now + 600)\"", "1e10",
                    "1E10",
                    "1.8e9", "253402300800", "9223372036854775807", "9223372036854775808", "99999999999999999999999999",
                    "1\(String(repeating: "0", count: 400))", "\(Fixture.now - 30).999", "1e400",
                    "[\(Fixture.now + 600)]",
                    "\(Fixture.now + 600).5e0", "\(Fixture.now + 600).0000000000000000000000000000000001",
                ]
            ),
            (
                "nbf",
                [
                    "\(Fixture.now + 31)", "\(Fixture.now + 30).5", "\"\(Fixture.now)\"", "null", "true", "-1", "1e9",
                    "[]",
                    "99999999999999999999",
                ]
            ),
            ("iat", ["\(Fixture.now + 31)", "\(Fixture.now + 600)", "\"\(Fixture.now)\"", "null", "-5", "1e9", "{}"]),
        ] {
            for value in values { sign("claim", claims: TokenFixture.claims([name: value])) }
        }
        for name in ["nbf", "iat"] {
            sign("over before", claims: TokenFixture.claims([name: "\(Fixture.now - 5)", "exp": "\(Fixture.now - 6)"]))
        }
        for name in ["iss", "aud", "sub", "exp"] {
            sign("without \(name)", claims: TokenFixture.claims([name: nil]))
            for value in ["null", "true", "0", "\"\"", "[]", "{}", "\"\\u0000\""]
            where (name, value) != ("sub", "\"\\u0000\"") {
                sign("claim", claims: TokenFixture.claims([name: value]))
            }
        }
        let body = TokenFixture.claims().dropFirst().dropLast()
        for again in [
            "\"iss\":\"https://evil.example\"", "\"aud\":\"other\"", "\"sub\":\"43\"", "\"exp\":9999999999",
            "\"\\u0073ub\":\"43\"", "\"sub\":\"42\"",
        ] {
            sign("twice", claims: "{\(body),\(again)}")
            sign("twice", claims: "{\(again),\(body)}")
        }
        for claims in [
            "", "null", "[]", "[{\(body)}]", "\"x\"", "{\(body)", "{\(body),}", "{\(body)}x", "{\(body)}{\(body)}",
            "{\(body),\"a\":}", "{\(body),\"a\":'b'}", "{\(body),a:1}", "{\(body)/**/}", "\u{feff}{\(body)}",
            "{\(body),\"a\":\"\\ud83d\"}", "{\(body),\"a\":\"\n\"}", "{\(body),\"a\":NaN}", "{\(body),\"a\":+1}",
            "{\(body),\"a\":\(String(repeating: "[", count: 40))\(String(repeating: "]", count: 40))}",
            "{\(body),\"a\":[\(Array(repeating: "1", count: 1100).joined(separator: ","))]}",
            "{\(body),\"a\":\"\(String(repeating: "x", count: 8000))\"}",
        ] {
            sign("claims", claims: claims)
        }
        let broken = Array("{\(body),\"a\":\"".utf8) + [0xC0, 0xAF, 0x22, 0x7D]
        add("claims without UTF-8", key.token(header: Array(header.utf8), claims: broken))
    }
}
