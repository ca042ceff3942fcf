@testable import Configuration

/// Small configurations for tests of this room.
enum Sample {
    static func configuration(server: String = "", grants: String = "") throws -> Configuration {
        let text = """
            { version: 1, server: { \(server) },
              credentials: { q: { provider: "qiniu", accessKey: "AK", secretKey: { env: "SK" } } },
              grants: { \(grants) } }
            """
        return try load(text)
    }

    static func load(_ text: String) throws -> Configuration {
        try Configuration.load(
            "/etc/test.json5",
            in: Surroundings(
                variable: { _ in "a-secret-of-the-tests" },
                file: { _ in Surroundings.File(bytes: Array(text.utf8), isWorldReadable: false) }))
    }
}
