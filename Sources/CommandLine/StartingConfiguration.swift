import Access
import Bytes
import Crypto
import Machine
import Providers

/// `countersign init`: a configuration to begin with. It holds no secret; it says where each is read from. What only the operator
/// knows is written as `<YOUR-…>`, which no configuration may have when it is used.
struct StartingConfiguration {
    /// How callers prove who they are.
    enum Callers: String, CaseIterable { case keys, jwt }

    /// The vendors that it has examples for; of all of them, as comments, where it is empty.
    private let samples: [StartingSample]
    private let callers: Set<Callers>
    private let areComments: Bool

    /// - Parameters:
    ///   - providers: names of the registry.
    ///   - callers: at least one.
    init(providers: [String], callers: Set<Callers>) throws(UsageError) {
        let known = Registry.providers.map(\.name)
        for name in providers where !known.contains(name) {
            let hint = NearestName.of(name, among: known).map { "did you mean \($0)?" }
            throw UsageError(
                reason: "there is no provider \(name); " + (hint ?? "there are \(known.joined(separator: ", "))"))
        }
        let isForAll = providers.isEmpty
        areComments = isForAll
        samples = Registry.providers.filter { isForAll || providers.contains($0.name) }.map(\.sample)
        self.callers = callers
    }

    init(_ options: Options) throws(UsageError) {
        let providers = options.all(.provider).flatMap { $0.split(separator: ",").map(String.init) }
        let words = (options[.callers] ?? Callers.keys.rawValue).split(separator: ",").map(String.init)
        let callers = words.compactMap(Callers.init(rawValue:))
        guard !callers.isEmpty, callers.count == words.count else {
            throw UsageError(reason: "--callers is keys, jwt, or keys,jwt for both")
        }
        try self.init(providers: providers, callers: Set(callers))
    }

    static func write(_ options: Options) -> Exit {
        do {
            let configuration = try StartingConfiguration(options)
            let (key, digest) = try KeyMaking.make()
            let path = options.configuration
            if let fault = NewFile.make(Array(configuration.text(digest: digest.text).utf8), at: path) {
                Terminal.complain("countersign init: \(path.visible) \(fault)")
                return .failed
            }
            Terminal.say("\(path.visible) is written; only you can read it.")
            if configuration.callers.contains(.keys) {
                Terminal.say("The API key of the caller \"app\", shown only now: \(key.text)")
            }
            Terminal.say(configuration.nextSteps(path.visible))
            return .done
        } catch let error as UsageError {
            Terminal.complain("countersign init: \(error.reason.visible)")
            return .usage
        } catch {
            Terminal.complain("countersign init: \(error)")
            return .failed
        }
    }

    private func nextSteps(_ path: String) -> String {
        let placeholders = "put your own values in place of all <YOUR-…>"
        let variables = samples.map(\.variable).joined(separator: ", ")
        let steps =
            areComments
            ? "Its examples are comments: remove the slashes of those that you need, \(placeholders)"
            : "Next: \(placeholders), set \(variables)"
        return "\(steps), then: countersign check --config \(path)"
    }

    // MARK: The text

    /// - Parameter digest: the SHA-256 of the API key that the caller `app` gets.
    func text(digest: String) -> String {
        """
        // The configuration of Countersign, in JSON5: comments and trailing commas are allowed.
        // `countersign check` reports every mistake; unknown keys are mistakes. config/README.md explains every key.
        {
          version: 1,

          server: {
            // host:port or [v6]:port. Other addresses than loopback need `tls`, or a proxy with TLS in front and `plaintext: true`.
            listen: "127.0.0.1:8080",
            // Host names in the clients' URLs. On loopback, localhost and the address itself need not be listed.
            hosts: [],
            // CORS: origins allowed to call from a browser, such as "https://app.example.com".
            cors: { origins: [] },
          },

          // For operators: /livez, /readyz and /metrics. Other addresses than loopback need `auth`.
          admin: {
            listen: "127.0.0.1:8081",
            // A page for operators at http://127.0.0.1:8081/console; with `audit`, it shows what was issued to whom:
            // console: true,
          },
          // What is issued is on record here. The key has at least 32 bytes, such as those of `openssl rand -base64 32`.
          // audit: { file: "audit.jsonl", key: { file: "audit-key" } },

          // The vendors' keys. No client ever sees them. A secret is { env: "NAME" }, { file: "PATH" } or a string;
          // files with secrets must not be readable by everybody. To try it without a cloud account: docs/sandbox.md.
          credentials: {
        \(section(samples.map(\.credential)))
          },

          authentication: {
        \(authentication(digest))
            // URL tickets, for SDKs that cannot send headers:
            // tickets: { secret: { env: "TICKET_SECRET" }, maxLifetime: "1h" },
          },

          // Who gets what. The service issues nothing else.
          // For a second caller in `callers`, say ${caller.source}/ in place of ${caller.id}/: the callers must not share keys.
          grants: {
        \(section(samples.map(\.grants)))
          },

          // Tests of the grants: `countersign check` runs them, and the service does not start if one fails.
          // `countersign explain` says why a caller gets something, or does not.
          policyTests: [
        \(section(samples.map(\.policyTests)))
          ],

          log: { level: "info", format: "text" },
        }

        """
    }

    private func authentication(_ digest: String) -> String {
        Callers.allCases.filter(callers.contains).map { authentication($0, digest) }.joined(separator: "\n")
    }

    private func authentication(_ callers: Callers, _ digest: String) -> String {
        switch callers {
        case .keys:
            """
                // `countersign make-key` makes more keys. Clients send: Authorization: Bearer <key>
                apiKeys: [{ id: "app", sha256: "\(digest)" }],
            """
        case .jwt:
            """
                // Users of your identity provider are the callers "jwt:login". Clients send: Authorization: Bearer <token>
                jwt: [{
                  id: "login", issuer: "https://<YOUR-ISSUER>", audience: "<YOUR-AUDIENCE>", algorithms: ["RS256"],
                  jwksUrl: "https://<YOUR-ISSUER>/.well-known/jwks.json",
                }],
            """
        }
    }

    /// The samples of a section, indented, with the callers put in.
    private func section(_ samples: [String]) -> String {
        samples.joined(separator: "\n").split(separator: "\n").map { line in
            "    \(areComments ? "// " : "")\(line)"
                .replacing("CALLERS", with: names)
                .replacing("CALLER", with: callers.contains(.jwt) ? "jwt:login/42" : "apiKey:app")
                .replacing("NAME", with: name)
                .replacing("${caller.id}", with: isMixed ? "${caller.source}/${caller.id}" : "${caller.id}")
        }.joined(separator: "\n")
    }

    /// Callers of two kinds may have one name; `${caller.source}` tells them apart (R9).
    private var isMixed: Bool { callers.count > 1 }

    /// What a grant's `callers` hold between the quotes.
    private var names: String {
        isMixed ? #"apiKey:app", "jwt:login"# : callers.contains(.jwt) ? "jwt:login" : "apiKey:app"
    }

    /// The part of a key that the grants have for the caller of the tests.
    private var name: String { isMixed ? "jwt-login/42" : callers.contains(.jwt) ? "42" : "app" }
}
