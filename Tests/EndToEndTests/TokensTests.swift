import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("Tokens over HTTP: R5, R7, R8, R9, R12, R14, R17", .waiting)
struct TokensTests {
    @Test(.enabled(if: Python.path != nil))
    func `R8: tokens and keys of the libraries that issuers use are believed`() throws {
        let folder = try Keeper.makeFolder()
        try Python.expectSuccess("tokens.py", "keys", folder)
        let algorithms = "algorithms: [\"RS256\", \"PS256\", \"ES256\", \"EdDSA\"]"
        let setup = Setup(
            name: "libraries",
            rest: """
                authentication: {
                    jwt: [
                      { id: "one", issuer: "one", audience: "uploads", \(algorithms), jwksFile: "\(folder)/jwks.json" },
                      { id: "two", issuer: "two", audience: "uploads", \(algorithms), jwksFile: "\(folder)/authlib.json" },
                      { id: "intern", issuer: "intern", audience: "uploads", algorithms: "HS256",
                        secret: "a-secret-that-is-as-long-as-it-has-to-be" },
                    ],
                  },
                  grants: {
                    "everybody": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["authenticated"], bucket: "token-media",
                      keyPrefix: "all/${caller.source}/${caller.id}/",
                    },
                  },
                """)
        try Service.run(setup, .epoll) { service in
            try Python.expectSuccess("tokens.py", "ask", folder, "http://127.0.0.1:\(service.port)/qiniu/uptoken")
        }
    }
}
