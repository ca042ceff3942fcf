import Bytes
import Crypto

extension JWTKeySet {
    /// Why a text is no set of keys: what is wrong, and what would be right.
    package struct Fault: Error, Sendable {
        package let reason: String
        /// Whether nothing is wrong with a key but that it is larger than those of a fetched set may be.
        fileprivate var isSize = false

        package init(_ reason: String) { self.reason = reason }
    }

    /// The most keys that a set may list.
    package static let mostKeys = 100
    /// The longest text of a set, in bytes.
    package static let longestText = 262_144

    /// The most keys that are looked at of a set that is fetched, good or not: to check one takes a loop's time, and the
    /// publisher of the set decides how many there are.
    static let mostFetchedKeys = 16
    /// The most bits of RSA there; the keys of the configuration may have more.
    static let mostFetchedBits = 4096

    /// Reads a JWK set (RFC 7517 section 5). Keys of unknown kinds, for other uses and of other algorithms are left out; a set
    /// with a key that is broken, too short, or not public is refused as a whole.
    package init(jwks text: Span<UInt8>) throws(Fault) {
        var keys: [Key] = []
        for (index, entry) in try JWTKeySet.entries(of: text).enumerated() {
            if let key = try JWTKeySet.key(entry, "keys[\(index)]", beside: keys) { keys.append(key) }
        }
        self.init(keys)
    }

    /// Reads a set that its issuer publishes. What the issuer has withdrawn must not be believed any longer, so the set counts whatever
    /// is wrong with some of its keys: they are left out.
    /// - Parameter faults: gets what is wrong with the keys that are left out.
    package init(published text: Span<UInt8>, leavingOut faults: inout [Fault]) throws(Fault) {
        var keys: [Key] = []
        var (looks, unused) = (0, 0)
        for (index, entry) in try JWTKeySet.entries(of: text).enumerated() {
            guard looks < JWTKeySet.mostFetchedKeys else {
                unused += 1
                continue
            }
            do throws(Fault) {
                guard
                    let key = try JWTKeySet.key(
                        entry, "keys[\(index)]", beside: keys, mostBits: JWTKeySet.mostFetchedBits)
                else { continue }
                keys.append(key)
                looks += 1
            } catch {
                if error.isSize {
                    unused += 1
                } else {
                    faults.append(error)
                    looks += 1
                }
            }
        }
        if unused > 0 {
            let bounds = "\(JWTKeySet.mostFetchedKeys) are, and RSA of at most \(JWTKeySet.mostFetchedBits) bits"
            faults.insert(Fault("\(unused) of its keys are not used: at most \(bounds)"), at: 0)
        }
        self.init(keys)
    }

    private static func entries(of text: Span<UInt8>) throws(Fault) -> [JSONValue] {
        guard text.count <= JWTKeySet.longestText else { throw Fault("has more than 256 KiB") }
        guard !text.begins(with: "-----BEGIN") else { throw Fault("is a PEM, which belongs in publicKeyFile") }
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONReader.read(text, as: .json, maximumDepth: 8, maximumValues: 5000)
        } catch {
            throw Fault("is not proper JSON at byte \(error.offset): \(error.reason)")
        }
        guard case .array(let entries)? = document["keys"]?.content else {
            throw Fault("is no JWK set: { \"keys\": [ … ] }")
        }
        guard entries.count <= JWTKeySet.mostKeys else { throw Fault("has more than \(JWTKeySet.mostKeys) keys") }
        return entries
    }

    /// - Returns: nil for a key that is for something else.
    private static func key(
        _ entry: JSONValue, _ path: String, beside others: [Key], mostBits: Int = .max
    ) throws(Fault) -> Key? {
        guard case .object = entry.content else { throw Fault("\(path) is no object") }
        guard let type = try text("kty", of: entry, path) else { throw Fault("\(path) has no kty") }
        for name in ["d", "p", "q", "dp", "dq", "qi", "oth"] where entry[name] != nil {
            throw Fault("\(path) has the private half of a key, which belongs to the issuer alone")
        }
        let id = try text("kid", of: entry, path)
        guard try isForSignatures(entry, path) else { return nil }
        var algorithm: SignatureAlgorithm?
        if let name = try text("alg", of: entry, path) {
            algorithm = SignatureAlgorithm.allCases.first { $0.rawValue.utf8.elementsEqual(name) }
            if algorithm == nil { return nil }
        }
        guard let key = try publicKey(entry, type.text, path, mostBits: mostBits) else { return nil }
        let made = Key(id: id, VerificationKey(key), for: algorithm)
        if let algorithm, !made.fits(algorithm) { throw Fault("\(path) has an alg that is not of its kty") }
        if let id, others.contains(where: { $0.id == id }) { throw Fault("\(path) has the kid of another key") }
        return made
    }

    /// Sections 4.2 and 4.3.
    private static func isForSignatures(_ entry: JSONValue, _ path: String) throws(Fault) -> Bool {
        if let use = try text("use", of: entry, path), !use.elementsEqual("sig".utf8) { return false }
        guard let operations = entry["key_ops"] else { return true }
        guard case .array(let list) = operations.content else { throw Fault("\(path) has a key_ops that is no list") }
        return list.contains { $0.text?.elementsEqual("verify".utf8) == true }
    }

    /// - Returns: nil for a key of a kind that is not known.
    private static func publicKey(
        _ entry: JSONValue, _ type: String, _ path: String, mostBits: Int
    ) throws(Fault) -> PublicKey? {
        let curve = try text("crv", of: entry, path)?.text
        do {
            switch (type, curve) {
            case ("RSA", _):
                let modulus = try number("n", of: entry, path)
                // Before OpenSSL calculates with it.
                guard bits(of: modulus) <= mostBits else {
                    var fault = Fault("\(path) has more than \(mostBits) bits")
                    fault.isSize = true
                    throw fault
                }
                return try PublicKey(rsaModulus: modulus, exponent: number("e", of: entry, path))
            case ("EC", "P-256"):
                return try PublicKey(p256X: number("x", of: entry, path), y: number("y", of: entry, path))
            case ("OKP", "Ed25519"): return try PublicKey(ed25519: number("x", of: entry, path))
            default: return nil
            }
        } catch let fault as PublicKey.Fault {
            throw Fault("\(path) \(fault.description)")
        } catch { throw (error as? Fault) ?? Fault("\(path) cannot be read") }
    }

    private static func bits(of number: [UInt8]) -> Int {
        let digits = number.drop { $0 == 0 }
        return digits.count * UInt8.bitWidth - (digits.first?.leadingZeroBitCount ?? 0)
    }

    private static func text(_ name: String, of entry: JSONValue, _ path: String) throws(Fault) -> [UInt8]? {
        guard let value = entry[name] else { return nil }
        guard let text = value.text else { throw Fault("\(path) has a \(name) that is no string") }
        return text
    }

    private static func number(_ name: String, of entry: JSONValue, _ path: String) throws(Fault) -> [UInt8] {
        guard let text = try text(name, of: entry, path),
            let number = Base64.urlSafe.decode(text.span, padded: false), !number.isEmpty
        else { throw Fault("\(path) has no \(name) in canonical base64url without padding") }
        return number
    }
}

extension PublicKey.Fault {
    /// What is wrong with the key, and what would be right.
    package var description: String {
        switch self {
        case .unreadable: "is no public key of RSA, P-256 or Ed25519"
        case .size:
            "has not the size of such a key: RSA has 2048 to 8192 bits, P-256 and Ed25519 have 32 bytes a number"
        case .invalid: "is none that an issuer can have made: its numbers do not belong together"
        }
    }
}
