import Bytes
import Crypto
import Testing

@testable import Configuration

@Suite(.timeLimit(.minutes(20)))
struct CredentialMistakeTests {
    @Test(arguments: [
        Mistake("provider: \"nos\"", "‸provider: \"noss\"", "credentials.nos.provider", "did you mean nos?"),
        Mistake("provider: \"nos\"", "‸provider: \"nobody\"", "credentials.nos.provider", "is not known"),
        Mistake("provider: \"nos\"", "‸provider: 1", "credentials.nos.provider", "one of qiniu, nos, oss"),
        Mistake(
            "\"nos\": { provider: \"nos\", ", "‸\"nos\": { ", "credentials.nos", "needs provider, one of qiniu, nos"),
        Mistake(
            "\"oss\": { provider: \"oss\", accessKey: \"AK-oss\", secretKey: \"inline-OSS-secret\" }", "‸\"oss\": 1",
            "credentials.oss", "object"),
        Mistake(
            "\"nos\": { provider: \"nos\", accessKey: \"AK-nos\",", "‸\"nos\": { provider: \"nos\",",
            "credentials.nos", "needs accessKey"),
        Mistake("\"AK-nos\", secretKey: { file: \"nos-key\" }", "\"AK-nos\"", "credentials.nos", "needs secretKey")
            .at("\"nos\": {"),
        Mistake("accessKey: \"AK-nos\"", "‸accessKey: \"\"", "credentials.nos.accessKey", "empty"),
        Mistake("accessKey: \"AK-nos\"", "‸accessKey: \"a b\"", "credentials.nos.accessKey", "printable ASCII"),
        Mistake("accessKey: \"AK-nos\"", "‸accessKey: \"a'\\\"b\"", "credentials.nos.accessKey", "quotes"),
        Mistake("accessKey: \"AK-nos\"", "‸accessKey: \"a:b\"", "credentials.nos.accessKey", "must not contain :"),
        Mistake("accessKey: \"AK-qiniu\"", "‸accessKey: \"a:b\"", "credentials.kodo.accessKey", "must not contain :"),
        Mistake("accessKey: \"AK-oss\"", "‸accessKey: \"a:b\"", "credentials.oss.accessKey", "must not contain :"),
        Mistake(
            "accessKey: \"AK-oss\"", "accessKey: \"A\", ‸roleArn: \"x\"", "credentials.oss.roleArn", "is not known"),
        Mistake(
            "accessKey: \"AK-oss\"", "accessKey: \"A\", previous: [‸{ accessKey: \"B\", secretKey: \"s\" }]",
            "credentials.oss.previous[0]", "needs until"),
        Mistake(
            "accessKey: \"AK-oss\"",
            "accessKey: \"A\", ‸previous: [{ accessKey: \"A\", secretKey: \"s\", until: \"2099-01-01T00:00:00Z\" }]",
            "credentials.oss.previous", "other access keys"),
        Mistake(
            "accessKey: \"AK-oss\"",
            "accessKey: \"A\", ‸previous: [{ accessKey: \"a:b\", secretKey: \"s\", until: \"2099-01-01T00:00:00Z\" }]",
            "credentials.oss.previous", "must not contain :"),
        Mistake("accessKey: \"AK-oss\"", "accessKey: \"A\", ‸limits: {}", "credentials.oss.limits", "is not known"),
        Mistake("accessKey: \"AK-oss\"", "accessKey: \"A\", ‸sandbox: 1", "credentials.oss.sandbox", "true or false"),
    ])
    func `refuses credentials that no vendor can have given`(mistake: Mistake) throws { try mistake.check() }

    private static let env = "secretKey: { env: \"QINIU_SECRET_KEY\" }"
    private static let file = "secretKey: { file: \"nos-key\" }"
    private static let text = "secretKey: \"inline-OSS-secret\""

    @Test(arguments: [
        Mistake(text, "‸secretKey: \"\"", "credentials.oss.secretKey", "empty"),
        Mistake(text, "‸secretKey: \"inline-OSS-secret\\n\"", "credentials.oss.secretKey", "control characters"),
        Mistake(text, "‸secretKey: 12345", "credentials.oss.secretKey", "{ env: \"NAME\" }"),
        Mistake(text, "‸secretKey: [\"inline-OSS-secret\"]", "credentials.oss.secretKey", "{ file: \"PATH\" }"),
        Mistake(text, "‸secretKey: {}", "credentials.oss.secretKey", "{ file: \"PATH\" }"),
        Mistake(text, "‸secretKey: { env: \"A\", file: \"b\" }", "credentials.oss.secretKey", "{ env: \"NAME\" }"),
        Mistake(text, "secretKey: { ‸path: \"b\" }", "credentials.oss.secretKey.path", "there are env, file"),
        Mistake(env, "secretKey: { ‸env: \"NOT_SET\" }", "credentials.kodo.secretKey.env", "NOT_SET is not set"),
        Mistake(env, "secretKey: { ‸env: \"EMPTY\" }", "credentials.kodo.secretKey.env", "not set, or empty"),
        Mistake(env, "secretKey: { ‸env: \"TWO_LINES\" }", "credentials.kodo.secretKey.env", "one line"),
        Mistake(env, "secretKey: { ‸env: \"PATH\" }", "credentials.kodo.secretKey.env", "another name"),
        Mistake(env, "secretKey: { ‸env: \"\" }", "credentials.kodo.secretKey.env", "empty"),
        Mistake(env, "secretKey: { ‸env: \"inline-OSS-secret\" }", "credentials.kodo.secretKey.env", "the name of an"),
        Mistake(env, "secretKey: { ‸env: 1 }", "credentials.kodo.secretKey.env", "string"),
        Mistake(file, "secretKey: { ‸file: \"missing\" }", "credentials.nos.secretKey.file", "conf/missing cannot be"),
        Mistake(file, "secretKey: { ‸file: \"nos-key\\u0000\" }", "credentials.nos.secretKey.file", "control"),
        Mistake(
            file, "secretKey: { ‸file: \"empty-key\" }", "credentials.nos.secretKey.file", "conf/empty-key is empty"),
        Mistake(file, "secretKey: { ‸file: \"two-lines\" }", "credentials.nos.secretKey.file", "on one line"),
        Mistake(file, "secretKey: { ‸file: \"open-key\" }", "credentials.nos.secretKey.file", "chmod 600"),
        Mistake(
            file, "secretKey: { ‸file: \"/run/secretsx/key\" }", "credentials.nos.secretKey.file", "anybody on this"),
        Mistake(
            file, "secretKey: { ‸file: \"/run/secrets/../open-key\" }", "credentials.nos.secretKey.file", "anybody on"),
    ])
    func `refuses secrets that are not there, or there for everybody`(mistake: Mistake) throws { try mistake.check() }

    @Test(arguments: [
        Mistake("{ id: \"app\",", "{ ‸id: \"\",", "authentication.apiKeys[0].id", "empty"),
        Mistake("{ id: \"app\",", "{ ‸id: 7,", "authentication.apiKeys[0].id", "string"),
        Mistake("{ id: \"app\",", "‸{", "authentication.apiKeys[0]", "needs id"),
        Mistake("{ id: \"app\",", "{ id: \"app\", ‸key: \"k\",", "authentication.apiKeys[0].key", "is not known"),
        Mistake(
            "notAfter: \"2030-01-01T00:00:00Z\"", "‸notAfter: \"2030-01-01\"",
            "authentication.apiKeys[1].notAfter", "time in UTC"),
        Mistake(
            "notAfter: \"2030-01-01T00:00:00Z\"", "‸notAfter: \"2030-02-30T00:00:00Z\"",
            "authentication.apiKeys[1].notAfter", "time in UTC"),
        Mistake(
            "notAfter: \"2030-01-01T00:00:00Z\"", "‸notAfter: 1893456000",
            "authentication.apiKeys[1].notAfter", "time in UTC"),
        Mistake(
            "sha256: \"\(Sample.digest)\"", "‸sha256: \"9f86\"", "authentication.apiKeys[0].sha256", "64 hex digits"),
        Mistake(
            "sha256: \"\(Sample.digest)\"", "‸sha256: \"inline-OSS-secret\"",
            "authentication.apiKeys[0].sha256", "not the key itself"),
        Mistake(
            "sha256: \"\(Sample.digest)\"", "‸sha256: \"\(Sample.digest)00\"",
            "authentication.apiKeys[0].sha256", "64 hex"),
        Mistake(
            "sha256: \"\(Sample.otherDigest)\"", "‸sha256: \"\(Sample.digest.uppercased())\"",
            "authentication.apiKeys[1].sha256", "another entry's key"),
        Mistake(
            "deny: [\"apiKey:backend\"]", "deny: [‸\"apiKey:bakend\"]", "authentication.deny[0]", "apiKey:backend?"),
        Mistake("deny: [\"apiKey:backend\"]", "deny: [‸\"backend\"]", "authentication.deny[0]", "\"apiKey:ID\""),
        Mistake("deny: [\"apiKey:backend\"]", "deny: [‸\"anonymous\"]", "authentication.deny[0]", "\"apiKey:ID\""),
        Mistake("deny: [\"apiKey:backend\"]", "deny: [‸\"apiKey:\"]", "authentication.deny[0]", "\"apiKey:ID\""),
        Mistake("deny: [\"apiKey:backend\"]", "‸deny: \"jwt:a/\"", "authentication.deny", "\"jwt:ID/SUBJECT\""),
    ])
    func `refuses API keys and denials that match nobody (R8, R12)`(mistake: Mistake) throws { try mistake.check() }

    @Test
    func `a key that has ended is a warning, and one that has not is none`() throws {
        func warnings(_ end: String) throws -> [String] {
            let text = Sample.text.replacing("2030-01-01T00:00:00Z", with: end)
            return try Sample.load(text).warnings.filter { $0.hasPrefix("authentication.apiKeys") }
        }
        #expect(try warnings("2099-01-01T00:00:00Z") == [])
        let ended = try warnings("2020-01-01T00:00:00Z")
        #expect(ended.count == 1 && ended[0].hasPrefix("authentication.apiKeys[1]"), "\(ended)")
        #expect(ended.first?.contains("the key ended at 2020-01-01T00:00:00Z") == true, "\(ended)")
    }

    @Test
    func `an API key's id must be able to stand in a key (R9)`() throws {
        let text = Sample.text.replacing("\"app\"", with: "\"a/b\"").replacing("apiKey:app", with: "apiKey:a/b")
        let problems = Sample.problems(in: text)
        #expect(problems.map(\.path) == ["authentication.apiKeys[0].id"])
        #expect(problems.first?.reason.contains("not begin with a dot") == true)
    }

    @Test(arguments: ["/run/secrets/key", "/var/run/secrets/key"])
    func `a mounted secret that all of the container can read is a warning`(path: String) throws {
        let text = Sample.text.replacing("{ file: \"nos-key\" }", with: "{ file: \"\(path)\" }")
        let warnings = try Sample.load(text).warnings.filter { $0.hasPrefix("credentials.") }
        #expect(warnings == ["credentials.nos.secretKey.file: anybody in this container can read \(path)"])
    }

    @Test
    func `an inline secret in a file that everybody can read is refused, at the secret`() throws {
        let problems = Sample.problems(in: Sample.text, isWorldReadable: true)
        #expect(problems.map(\.path) == ["credentials.oss.secretKey"])
        #expect(problems.first?.position?.line == 16)
        #expect(problems.first?.reason.contains("chmod 600") == true)
        let text = Sample.text.replacing("\"inline-OSS-secret\"", with: "{ env: \"QINIU_SECRET_KEY\" }")
        #expect(try Sample.load(text, isWorldReadable: true).warnings.allSatisfy { $0.hasPrefix("grants.") })
    }

    @Test
    func `a mounted configuration with an inline secret is a warning`() throws {
        let text = Sample.text.replacing("{ file: \"nos-key\" }", with: "{ file: \"key\" }")
        let warnings = try Sample.load(text, as: "/run/secrets/countersign.json5", isWorldReadable: true).warnings
            .filter { $0.hasPrefix("credentials.") }
        #expect(warnings.count == 2)
        #expect(warnings.last?.hasPrefix("credentials.oss.secretKey: ") == true)
        let problems = Sample.problems(in: Sample.text, as: "/run/secrets/../c.json5", isWorldReadable: true)
        #expect(problems.contains { $0.path == "credentials.oss.secretKey" })
    }

    @Test
    func `a trailing newline of a secret file is not part of the secret, in either form`() throws {
        for name in ["nos-key", "windows-key"] {
            let text = Sample.text.replacing("\"nos-key\"", with: "\"\(name)\"")
            let credential = try Sample.load(text).credentials.first { $0.name == "nos" }
            #expect(credential?.key?.secret.count == "file-NOS-secret".utf8.count)
        }
    }
}
