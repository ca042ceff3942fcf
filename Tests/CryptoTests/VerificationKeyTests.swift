import Bytes
import Crypto
import TestKeys
import Testing

@Suite struct VerificationKeyTests {
    private static let message = Array("header.claims".utf8)

    /// What verifies the key's signatures, in each of the forms that it is given in.
    private func verifiers(_ key: TestKey) throws -> [VerificationKey] {
        let numbers = key.numbers
        switch key.algorithm.keyKind {
        case .secret: return [try #require(VerificationKey(Secret(key.secret)))]
        case .rsa: return [try pem(key), try PublicKey(rsaModulus: numbers[0], exponent: numbers[1])].map(take)
        case .p256: return [try pem(key), try PublicKey(p256X: numbers[0], y: numbers[1])].map(take)
        case .ed25519: return [try pem(key), try PublicKey(ed25519: numbers[0])].map(take)
        }
    }

    private func take(_ key: PublicKey) -> VerificationKey { VerificationKey(key) }

    private func pem(_ key: TestKey) throws -> PublicKey { try PublicKey(pem: Array(key.pem.utf8).span) }

    private func fault(_ make: () throws -> PublicKey) -> PublicKey.Fault? {
        do {
            _ = try make()
            return nil
        } catch { return error as? PublicKey.Fault }
    }

    private func verifies(
        _ signature: [UInt8], _ key: VerificationKey, _ algorithm: SignatureAlgorithm, over text: [UInt8] = message
    ) throws -> Bool {
        try key.verifies(signature.span, over: text.span, by: algorithm)
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a signature holds over its message by its algorithm, and over nothing else`(
        algorithm: SignatureAlgorithm
    ) throws {
        let key = try #require(TestKey.shared[algorithm])
        let signature = key.sign(Self.message)
        let verifiers = try verifiers(key)
        for verifier in verifiers {
            #expect(verifier.kind == algorithm.keyKind)
            #expect(try verifies(signature, verifier, algorithm))
            for text in [[], Array(Self.message.dropLast()), Self.message + [0]] {
                #expect(try !verifies(signature, verifier, algorithm, over: text))
            }
            for other in SignatureAlgorithm.allCases where other != algorithm {
                #expect(try !verifies(signature, verifier, other), "\(other)")
            }
            let stranger = TestKey(algorithm).sign(Self.message)
            #expect(try !verifies(stranger, verifier, algorithm))
        }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a signature with another bit, or of another length, does not hold`(algorithm: SignatureAlgorithm) throws {
        let key = try #require(TestKey.shared[algorithm])
        let signature = key.sign(Self.message)
        let verifier = try #require(try verifiers(key).first)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= UInt8(1) << UInt8(index % 8)
            #expect(try !verifies(changed, verifier, algorithm), "\(index)")
        }
        let zeroes = [UInt8](repeating: 0, count: signature.count)
        for changed in [[], [0], Array(signature.dropLast()), [0] + signature, signature + [0], zeroes] {
            #expect(try !verifies(changed, verifier, algorithm))
        }
        #expect(try verifies(signature, verifier, algorithm))
    }

    /// As it is, some of 256 signatures of RSA, and of the halves of those of ECDSA, begin with a zero.
    @Test(arguments: [SignatureAlgorithm.rs256, .ps256])
    func `a signature that begins with a zero has it`(algorithm: SignatureAlgorithm) throws {
        let key = try #require(TestKey.shared[algorithm])
        let verifier = try #require(try verifiers(key).first)
        var message: [UInt8] = []
        for number in 0..<5000 {
            message = Array("\(number)".utf8)
            let signature = key.sign(message)
            guard signature[0] == 0 else { continue }
            #expect(try verifies(signature, verifier, algorithm, over: message))
            #expect(try !verifies(Array(signature.dropFirst()), verifier, algorithm, over: message))
            return
        }
        Issue.record("none began with a zero")
    }

    @Test func `zeroes for r or s, and what is not below the order, are no signature of ECDSA (CVE-2022-21449)`() throws
    {
        let key = try #require(TestKey.shared[.es256])
        let verifier = try #require(try verifiers(key).first)
        let signature = key.sign(Self.message)
        let hex = Array("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551".utf8)
        let decoded = Hex.decode(hex.span)
        let order = try #require(decoded)
        let zero = [UInt8](repeating: 0, count: 32)
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        for forged in [zero + zero, r + zero, zero + s, order + s, r + order, order + order, s + r] {
            #expect(try !verifies(forged, verifier, .es256))
        }
    }

    @Test func `a secret has at least 32 bytes`() {
        #expect(VerificationKey(Secret([UInt8](repeating: 7, count: 31))) == nil)
        #expect(VerificationKey(Secret([UInt8](repeating: 7, count: 32))) != nil)
    }

    @Test func `an RSA key has at least 2048 bits and at most 8192`() throws {
        let small = TestKey(.rs256, size: 2040)
        #expect(fault { try pem(small) } == .size)
        #expect(fault { try PublicKey(rsaModulus: small.numbers[0], exponent: small.numbers[1]) } == .size)
        let huge = [UInt8](repeating: 0xFF, count: 1025)
        #expect(fault { try PublicKey(rsaModulus: huge, exponent: [1, 0, 1]) } == .size)
        #expect(fault { try PublicKey(rsaModulus: huge + huge, exponent: [1, 0, 1]) } == .size)
        #expect(fault { try PublicKey(rsaModulus: [], exponent: [1, 0, 1]) } != nil)
    }

    @Test func `numbers that are none of an RSA key are refused`() throws {
        let numbers = try #require(TestKey.shared[.rs256]).numbers
        for exponent: [UInt8] in [[], [0], [1], [2], [1, 0, 0], [UInt8](repeating: 0xFF, count: 9)] {
            #expect(fault { try PublicKey(rsaModulus: numbers[0], exponent: exponent) } != nil, "\(exponent)")
        }
        // Even, and with a small factor.
        for last: UInt8 in [0, 2] {
            let modulus = Array(numbers[0].dropLast()) + [last]
            #expect(fault { try PublicKey(rsaModulus: modulus, exponent: numbers[1]) } == .invalid)
        }
        let ones = [UInt8](repeating: 0xFF, count: 256)
        #expect(fault { try PublicKey(rsaModulus: ones, exponent: numbers[1]) } == .invalid)
    }

    @Test func `a point that is not on the curve is no key`() throws {
        let numbers = try #require(TestKey.shared[.es256]).numbers
        var y = numbers[1]
        y[31] ^= 1
        #expect(fault { try PublicKey(p256X: numbers[0], y: y) } == .invalid)
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(fault { try PublicKey(p256X: zero, y: zero) } == .invalid)
        for (x, y) in [(numbers[0], []), ([0] + numbers[0], numbers[1]), (numbers[0], Array(numbers[1].dropLast()))] {
            #expect(fault { try PublicKey(p256X: x, y: y) } == .size)
        }
    }

    @Test func `a key of Ed25519 has 32 bytes`() throws {
        let x = try #require(TestKey.shared[.eddsa]).numbers[0]
        for wrong in [[], Array(x.dropLast()), x + [0]] {
            #expect(fault { try PublicKey(ed25519: wrong) } == .size)
        }
    }

    @Test func `keys of other kinds and curves are not taken`() {
        for key in [
            TestKey(.es256, curve: "P-384"), TestKey(.es256, curve: "secp256k1"), TestKey(.eddsa, curve: "ED448"),
            TestKey(.eddsa, curve: "X25519"),
        ] {
            #expect(fault { try pem(key) } == .unreadable)
        }
    }

    @Test func `what is no PEM of a public key is refused`() throws {
        let good = try #require(TestKey.shared[.es256]).pem
        #expect(fault { try PublicKey(pem: Array(good.utf8).span) } == nil)
        for text in [
            "", "x", "-----BEGIN PUBLIC KEY-----", good.replacing("PUBLIC", with: "PRIVATE"),
            good.replacing("M", with: "N"), String(good.dropLast(40)), good.replacing("\n", with: " "),
        ] {
            #expect(fault { try PublicKey(pem: Array(text.utf8).span) } == .unreadable, "\(text)")
        }
    }
}
