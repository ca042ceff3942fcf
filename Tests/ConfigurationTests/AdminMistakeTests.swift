import Bytes
import Testing

@testable import Configuration

@Suite(.timeLimit(.minutes(20)))
struct AdminMistakeTests {
    private static func mistake(_ admin: String, _ path: String, _ word: String) -> Mistake {
        Mistake("version: 1,", "version: 1, admin: { \(admin) },", path, word)
    }

    private static let key = "{ id: \"ops\", sha256: \"\(Sample.digest)\" }"

    @Test(arguments: [
        mistake("‸listen: \"localhost\"", "admin.listen", "numeric address and a port"),
        mistake("‸listen: \"127.0.0.1:8080\"", "admin.listen", "already, by 127.0.0.1:8080"),
        mistake("listen: [\"127.0.0.1:1\", ‸\"localhost:1\"]", "admin.listen[1]", "already, by 127.0.0.1:1"),
        mistake("‸listen: \"192.0.2.1:1\", auth: [\(key)]", "admin.listen", "server.tls"),
        mistake("auth: [{ id: \"ops\", ‸sha256: \"secret\" }]", "admin.auth[0].sha256", "64 hex digits"),
        mistake("auth: [{ ‸id: \".ops\", sha256: \"\(Sample.digest)\" }]", "admin.auth[0].id", "not begin with a dot"),
        mistake("auth: [\(key), { id: \"b\", ‸sha256: \"\(Sample.digest)\" }]", "admin.auth[1].sha256", "already"),
        mistake("‸connections: 0", "admin.connections", "from 1 to 1000"),
        mistake("‸tls: {}", "admin.tls", "is not known"),
    ])
    func `refuses an admin listener that nobody reaches, or anybody`(mistake: Mistake) throws { try mistake.check() }

    @Test func `off loopback it needs a key, whatever protects what is sent`() throws {
        let text = """
            { version: 1, server: { plaintext: true }, credentials: {}, grants: {},
              admin: { ‸listen: ["127.0.0.1:1", "0.0.0.0:8081"] } }
            """
        try Mistake.check(
            text, "admin.listen", "0.0.0.0:8081 is not a loopback address; listening there needs admin.auth")
        let keyed = text.replacing("‸", with: "").replacing(
            "8081\"]", with: "8081\"], auth: [\(AdminMistakeTests.key)]")
        let admin = try Sample.load(keyed).admin
        #expect(admin.listen.map(\.description) == ["127.0.0.1:1", "0.0.0.0:8081"])
        #expect(admin.authenticator != nil)
    }

    @Test func `without a word of it there is one on loopback, and an empty list is none`() throws {
        let standard = try Sample.load("{version:1,credentials:{},grants:{}}").admin
        #expect(standard.listen.map(\.description) == ["127.0.0.1:8081"])
        #expect(standard.authenticator == nil && standard.connections == 64)
        let none = try Sample.load("{version:1,credentials:{},grants:{},admin:{listen:[]}}").admin
        #expect(none.listen.isEmpty)
    }
}
