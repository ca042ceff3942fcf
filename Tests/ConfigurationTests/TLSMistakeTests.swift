import Bytes
import Testing

@testable import Configuration

/// What a configuration may say of TLS.
@Suite(.timeLimit(.minutes(20)))
struct TLSMistakeTests {
    /// An entry of `server.tls.certificates`, in which a mark may stand.
    private static func entry(
        _ names: String = "\"localhost\"", _ chain: String = "tls.pem", _ key: String = "tls.key"
    ) -> String { "{ names: [\(names)], \(member("certificateFile", chain)), \(member("keyFile", key)) }" }

    /// The mark before a value stands before its name, where problems of the file are.
    private static func member(_ name: String, _ value: String) -> String {
        value.hasPrefix(Mistake.mark) ? "\(Mistake.mark)\(name): \"\(value.dropFirst())\"" : "\(name): \"\(value)\""
    }

    /// The sample with such certificates.
    private static func mistake(_ entries: String, _ path: String, _ word: String) -> Mistake {
        Mistake(
            "plaintext: false", "tls: { certificates: [\(entries)] }, plaintext: false",
            "server.tls.certificates\(path)", word)
    }

    private static func loaded(_ entries: String...) throws -> Configuration {
        let tls = "tls: { certificates: [\(entries.joined(separator: ", "))] }"
        return try Sample.load(try #require(Sample.text.replacingOnce("plaintext: false", with: tls)))
    }

    @Test func `holds certificates in their order, each with its names`() throws {
        let server = try TLSMistakeTests.loaded(
            TLSMistakeTests.entry("\"localhost\", \"*.wild.test\", \"STS.test\""),
            TLSMistakeTests.entry("\"other.test\"", "other.pem", "other.key"),
            TLSMistakeTests.entry("\"sub.wild.test\"", "deep.pem", "/run/secrets/deep.key")
        ).server
        let names = try #require(server.tls).certificates.map { $0.names.map(\.text) }
        #expect(names == [["localhost", "*.wild.test", "STS.test"], ["other.test"], ["sub.wild.test"]])
    }

    @Test func `is not needed, and off loopback it stands for plaintext`() throws {
        #expect(try Sample.load(Sample.text).server.tls == nil)
        let listen = "listen: [\"127.0.0.1:8080\", \"[::1]:8080\"], plaintext: false"
        let tls = "listen: \"0.0.0.0:8443\", tls: { certificates: [\(TLSMistakeTests.entry())] }"
        #expect(try Sample.load(try #require(Sample.text.replacingOnce(listen, with: tls))).server.tls != nil)
    }

    @Test(arguments: [
        Mistake("plaintext: false", "‸tls: {}, plaintext: false", "server.tls", "needs certificates"),
        Mistake(
            "plaintext: false", "tls: { ‸certificates: [] }, plaintext: false", "server.tls.certificates",
            "at least one"),
        Mistake(
            "plaintext: false", "tls: { certificates: [\(entry())] }, ‸plaintext: true", "server.plaintext",
            "must be false beside server.tls"),
        mistake("‸{ names: \"localhost\", certificateFile: \"tls.pem\" }", "[0]", "needs keyFile"),
        mistake("{ ‸names: [], certificateFile: \"tls.pem\", keyFile: \"tls.key\" }", "[0].names", "at least one"),
        mistake(entry("‸\"127.0.0.1\""), "[0].names[0]", "must be a host name"),
        mistake(entry("\"localhost\", ‸\"https://sts.test\""), "[0].names[1]", "must be a host name"),
        mistake(entry("‸\"*\""), "[0].names[0]", "\"*.example.com\""),
        mistake(entry("‸\"a.*.test\""), "[0].names[0]", "\"*.example.com\""),
        mistake(entry("‸\"\""), "[0].names[0]", "empty"),
        mistake(entry("‸\"t.example.com\""), "[0].names[0]", "no name that the certificate"),
        mistake(entry("‸\"*.sts.test\""), "[0].names[0]", "no name that the certificate"),
        mistake(entry("‸\"a.b.wild.test\""), "[0].names[0]", "no name that the certificate"),
        // The subject of `other` says localhost, which is for people only.
        mistake(entry("‸\"localhost\"", "other.pem", "other.key"), "[0].names[0]", "no name that the certificate"),
        mistake(entry() + ", " + entry("‸\"LOCALHOST\""), "[1].names[0]", "another certificate's name already"),
    ])
    func `refuses names that clients would not accept`(mistake: Mistake) throws { try mistake.check() }

    @Test(arguments: [
        mistake(entry("\"localhost\"", "‸none.pem"), "[0].certificateFile", "cannot be read"),
        mistake(entry("\"localhost\"", "‸nothing"), "[0].certificateFile", "is empty"),
        mistake(entry("\"localhost\"", "‸writable"), "[0].certificateFile", "can change"),
        mistake(entry("\"localhost\"", "‸nos-key"), "[0].certificateFile", "holds no certificate in PEM"),
        mistake(entry("\"localhost\"", "‸tls.key"), "[0].certificateFile", "holds no certificate in PEM"),
        mistake(entry("\"localhost\"", "‸ca.pem"), "[0].certificateFile", "holds a broken certificate"),
        mistake(
            entry("\"localhost\"", "‸disordered.pem", "deep.key"), "[0].certificateFile",
            "certificate 2 did not issue certificate 1"),
        mistake(entry("\"localhost\"", "‸client.pem", "client.key"), "[0].certificateFile", "not for servers"),
        mistake(entry("\"localhost\"", "‸weak.pem", "weak.key"), "[0].certificateFile", "RSA needs 2048 bits"),
        mistake(entry("\"localhost\"", "‸sha1.pem", "sha1.key"), "[0].certificateFile", "of SHA-2"),
        mistake(entry("\"localhost\"", "tls.pem", "‸none.key"), "[0].keyFile", "cannot be read"),
        mistake(entry("\"localhost\"", "tls.pem", "‸tls.pem"), "[0].keyFile", "can read"),
        mistake(entry("\"localhost\"", "tls.pem", "‸open-tls.key"), "[0].keyFile", "chmod 600"),
        mistake(entry("\"localhost\"", "tls.pem", "‸nos-key"), "[0].keyFile", "holds no private key in PEM"),
        mistake(entry("\"localhost\"", "tls.pem", "‸encrypted.key"), "[0].keyFile", "encrypted"),
        mistake(entry("\"localhost\"", "tls.pem", "‸other.key"), "[0].keyFile", "is not the key of the certificate"),
    ])
    func `refuses files that no server can use`(mistake: Mistake) throws { try mistake.check() }

    /// The sample with a certificate and these fields beside it.
    private static func mistake(beside fields: String, _ path: String, _ word: String) -> Mistake {
        Mistake(
            "plaintext: false", "tls: { certificates: [\(entry())], \(fields) }, plaintext: false",
            "server.tls.\(path)", word)
    }

    @Test(arguments: [
        mistake(beside: "‸clientCAFile: \"none.pem\"", "clientCAFile", "cannot be read"),
        mistake(beside: "‸clientCAFile: \"writable\"", "clientCAFile", "can change"),
        mistake(beside: "‸clientCAFile: \"nos-key\"", "clientCAFile", "no certificate in PEM"),
        mistake(beside: "‸clientCAFile: \"ca.pem\"", "clientCAFile", "broken certificate"),
        mistake(beside: "‸clientCAFile: \"tls.pem\"", "clientCAFile", "none of an authority"),
        mistake(beside: "‸crlFile: \"authority.crl\"", "crlFile", "needs clientCAFile"),
        mistake(beside: "clientCAFile: \"authority.pem\", ‸crlFile: \"none.crl\"", "crlFile", "cannot be read"),
        mistake(beside: "clientCAFile: \"authority.pem\", ‸crlFile: \"authority.pem\"", "crlFile", "no list"),
        mistake(
            beside: "clientCAFile: \"strange.pem\", ‸crlFile: \"authority.crl\"", "crlFile",
            "no list that certificate 1 of the authorities has signed"),
    ])
    func `refuses files of authorities and revocations that let in others, or nobody`(mistake: Mistake) throws {
        try mistake.check()
    }

    @Test func `warns of a list of revocations that is too old`() throws {
        let fields = "clientCAFile: \"authority.pem\", crlFile: \"old.crl\""
        let tls = "tls: { certificates: [\(TLSMistakeTests.entry())], \(fields) }"
        let configuration = try Sample.load(try #require(Sample.text.replacingOnce("plaintext: false", with: tls)))
        #expect(configuration.server.tls?.clientAuthorities != nil)
        #expect(configuration.warnings.contains { $0.contains("crlFile: a list ended at 2020-02-01T00:00:00Z") })
    }

    @Test(arguments: [
        ("expired", "the certificate ended at 2020-01-02T00:00:00Z"),
        ("future", "until it begins at 2048-01-01T00:00:00Z"),
    ])
    func `warns of a certificate that is not valid now`(name: String, words: String) throws {
        let configuration = try TLSMistakeTests.loaded(
            TLSMistakeTests.entry("\"localhost\"", "\(name).pem", "\(name).key"))
        #expect(configuration.warnings.contains { $0.hasPrefix("server.tls.certificates[0]") && $0.contains(words) })
    }

    @Test func `warns of a key that a container's mount lets everybody read`() throws {
        let configuration = try TLSMistakeTests.loaded(
            TLSMistakeTests.entry("\"localhost\"", "tls.pem", "/run/secrets/tls.key"))
        #expect(configuration.warnings.contains { $0.hasPrefix("server.tls.certificates[0].keyFile: anybody") })
    }
}
