import Access
import Bytes
import Configuration
import Crypto
import FoundationEssentials

extension FuzzTarget {
    /// Whatever is loaded as a configuration is one, or it is said why it is none, without a word of the secrets.
    static let configuration = FuzzTarget(name: "configuration") { bytes in
        do {
            _ = try Fixture(bytes)
        } catch let error as ConfigurationError {
            try require(!error.problems.isEmpty, "nothing is said")
            try require(!error.description.contains(Fixture.secret), "a secret is said")
        }
    }

    /// A token that is believed says what tokens must; and nobody without the key makes one. The bytes are a token; or a token's
    /// header, a line feed and its claims, which are signed.
    static let token = FuzzTarget(name: "token") { bytes in
        try require(try FuzzTarget.caller(of: bytes) == nil, "it is believed without a key")
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return }
        let (header, claims) = (Array(bytes[..<end]), Array(bytes[(end + 1)...]))
        guard let caller = try FuzzTarget.caller(of: FuzzTarget.signed(header, claims)) else { return }
        let believed = try JSONDecoder().decode(Claims.self, from: Data(claims))
        try require(believed.iss == "login" && believed.aud.names.contains("uploads"), "it is for others")
        try require(believed.exp > Double(Fixture.now) - 61, "it is over")
        try require(
            !believed.sub.isEmpty && caller.principal.subject == Array(believed.sub.utf8), "its subject is another")
        let algorithm = try JSONDecoder().decode(Header.self, from: Data(header)).alg
        try require(algorithm == "HS256", "it is by another algorithm")
    }

    /// What is read as a list of brakes has one spelling but for white space and order: it is read again as it is written. Merged with
    /// others it is none the worse.
    static let brakes = FuzzTarget(name: "brakes") { bytes in
        let list: BrakeList
        do throws(BrakeFault) { list = try BrakeList(reading: bytes.span) } catch {
            return try require(!error.description.isEmpty, "nothing is said")
        }
        try require(try BrakeList(reading: list.text.span) == list, "it is not read again")
        let other = BrakeList(
            list.brakes.prefix(3).map { brake in
                Brake(brake.subject, because: brake.reason, by: brake.by, at: brake.at, isReleased: !brake.isReleased)
            })
        let merged = list.merged(with: other, keeping: 5, at: 0)
        try require(merged == other.merged(with: list, keeping: 5, at: 0) && merged.counted <= 5, "the order matters")
        try require(merged.merged(with: list, keeping: 5, at: 0) == merged, "an old copy matters")
        try require(list.pruned(at: Fixture.now).brakes.count <= list.brakes.count, "it has grown")
        _ = BrakeTable(list).covers(Array("photos".utf8), of: "q", for: Caller.nobody, at: Fixture.now)
    }

    private static func caller(of token: [UInt8]) throws -> Caller? {
        let authenticator = try Fixture.standing.get().configuration.authenticator
        var memory = CredentialCache(capacity: 0)
        let field = Array("Bearer ".utf8) + token
        switch authenticator.identify(authorization: field.span, apiKey: nil, at: Fixture.now, remembering: &memory) {
        case .caller(let caller): return caller
        case .refused: return nil
        }
    }

    private static func signed(_ header: [UInt8], _ claims: [UInt8]) throws -> [UInt8] {
        let text = part(header) + [UInt8(ascii: ".")] + part(claims)
        let code = try HMACKey(.sha256, Secret(Array(Fixture.secret.utf8))).sign(text.span)
        return text + [UInt8(ascii: ".")] + part(code.bytes.array)
    }

    private static func part(_ bytes: [UInt8]) -> [UInt8] {
        Base64.urlSafe.encode(bytes).filter { $0 != UInt8(ascii: "=") }
    }
}

private struct Header: Decodable {
    let alg: String
}

private struct Claims: Decodable {
    let iss, sub: String
    let exp: Double
    let aud: Audience
}

/// One name, or a list of them.
private struct Audience: Decodable {
    let names: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let name = try? container.decode(String.self) {
            names = [name]
        } else {
            names = try container.decode([String].self)
        }
    }
}
