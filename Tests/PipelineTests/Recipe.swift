import Configuration
import Crypto
import Foundation
import Lifecycle
import Machine
import TestKeys

@testable import TestService

/// A configuration of `docs/recipes.md`.
struct Recipe: Sendable {
    let title: String
    /// With the API key of the tests, and an issuer of tokens that can be asked.
    let text: String

    static func all(askingIssuerAt url: String = jwksURL) throws -> [Recipe] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: tests.appending(path: "../docs/recipes.md").standardized, encoding: .utf8)
        return page.components(separatedBy: "\n## ").dropFirst().flatMap { section in
            section.components(separatedBy: "```json5\n").dropFirst().map { block in
                let text = block.components(separatedBy: "```")[0].replacing("<YOUR-DIGEST>", with: digest)
                    .replacing("<OTHER-DIGEST>", with: otherDigest)
                return Recipe(
                    title: section.components(separatedBy: "\n")[0], text: text.replacing(jwksURL, with: url))
            }
        }
    }

    static func named(_ title: String, askingIssuerAt url: String) throws -> Recipe {
        guard let recipe = try all(askingIssuerAt: url).first(where: { $0.title == title }) else {
            throw Program.Failure(description: "no recipe is called \(title)")
        }
        return recipe
    }

    /// What the recipes call the keys of their issuer by.
    static let jwksURL = "https://id.example.com/jwks.json"
    static let key = APIKey(key: "key-of-the-recipes-0123456789", id: "any")
    private static let otherDigest = Digests.hex(Digests.sha256(Array("another-key-of-the-recipes".utf8)))
    private static let digest = Digests.hex(Digests.sha256(Array(key.key.utf8)))

    /// The variables that the recipes name.
    static func environment(askingIssuerAt url: String = jwksURL, stage: String = "staging") -> [String: String] {
        [
            "QINIU_ACCESS_KEY": Setup.qiniuAccessKey, "QINIU_SECRET_KEY": Setup.qiniuSecret,
            "NOS_ACCESS_KEY": Setup.nosAccessKey, "NOS_SECRET_KEY": Setup.nosSecret,
            "OSS_ACCESS_KEY": Setup.ossAccessKey, "OSS_SECRET_KEY": Setup.ossSecret,
            "STS_ACCESS_KEY": Setup.ossAccessKey, "STS_SECRET_KEY": Setup.ossSecret,
            "TICKET_SECRET": Setup.ticketSecret, "OSS_CALLBACK_URL": "https://tokens.example.com/oss/callback?of=us",
            "LOGIN_ISSUER": Setup.issuer, "LOGIN_KEYS": url,
            "SANDBOX": stage == "staging" ? "true" : "false", "MEDIA_SCHEME": stage == "staging" ? "http" : "https",
            "MEDIA_BUCKET": "media-\(stage)",
            "MEDIA_DOMAIN": stage == "staging" ? "media-staging.qiniu.localhost:8090" : "media.example.com",
        ]
    }

    /// Its own tests, after they have held.
    func policyTests() throws -> [PolicyTest] {
        let (text, variables) = (text, Recipe.environment())
        let environment = Environment(
            variable: { variables[$0] },
            file: { _ in ReadFile(bytes: Array(text.utf8), isWorldReadable: false) })
        return try Configuration.checked("recipe.json5", in: environment).policyTests
    }

    /// A token of the issuer's, for the user 42.
    /// - Parameter moment: when it is used; seconds since 1970.
    static func bearer(at moment: Int64, _ claims: String = "") -> String {
        guard let key = TestKey.shared[.rs256] else { return "" }
        let token = key.token(
            header: "{\"alg\":\"RS256\",\"kid\":\"\(FakeIssuer.name(of: key))\"}",
            claims: "{\"iss\":\"\(Setup.issuer)\",\"aud\":\"uploads\",\"sub\":\"42\",\"exp\":\(moment + 7 * 3600)"
                + "\(claims.isEmpty ? "" : "," + claims)}")
        return "Authorization: Bearer \(token)"
    }
}
