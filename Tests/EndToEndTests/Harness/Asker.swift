import Crypto

/// Somebody who asks, by what the request presents; whoever is new (a URL ticket, a certificate) is a line here.
struct Asker: Sendable {
    /// What the rules make of it.
    enum Standing: Sendable {
        /// R8: nobody at all, or a credential that is not one.
        case unknown
        /// R12
        case denied
        /// R4: known, and no grant of what is asked is for it.
        case stranger
        case entitled
    }

    let name: String
    let standing: Standing
    /// Whose objects are asked for.
    var object = "alice"
    let fields: [String]

    private static func bearer(_ token: String) -> String { "Authorization: Bearer \(token)" }
    private static func field(_ key: APIKey) -> String { "X-API-Key: \(key.key)" }

    /// A key that is none.
    static let wrong = "key-that-nobody-has-0123456789"

    /// All there are, made anew for each use: tokens end.
    static func all(_ keys: EveryKey = EveryKey()) -> [Asker] {
        let token = Setup.token()
        let parts = token.split(separator: ".")
        return [
            Asker(name: "no credential", standing: .unknown, fields: []),
            Asker(name: "a wrong key", standing: .unknown, fields: ["X-API-Key: \(wrong)"]),
            Asker(name: "a wrong bearer", standing: .unknown, fields: [bearer(wrong)]),
            Asker(name: "another scheme", standing: .unknown, fields: ["Authorization: Basic YTpi"]),
            Asker(name: "a forged token", standing: .unknown, fields: [bearer("\(parts[0]).\(parts[1]).AAAA")]),
            Asker(name: "an expired key", standing: .unknown, fields: [keys.ended.bearer]),
            Asker(name: "an expired token", standing: .unknown, fields: [bearer(Setup.token(expiresIn: -60))]),
            Asker(name: "two keys", standing: .unknown, fields: [keys.alice.bearer, field(keys.alice)]),
            Asker(name: "a token and a key", standing: .unknown, fields: [bearer(token), field(keys.alice)]),
            Asker(name: "a key twice", standing: .unknown, fields: [field(keys.alice), field(keys.alice)]),
            Asker(name: "a bearer twice", standing: .unknown, fields: [bearer(token), bearer(token)]),
            Asker(name: "another's key", standing: .stranger, fields: [keys.bob.bearer]),
            Asker(name: "another issuer's token", standing: .stranger, fields: [bearer(Setup.token(.hs256))]),
            Asker(name: "another's token", standing: .stranger, fields: [bearer(Setup.token(sub: "alice"))]),
            Asker(name: "a denied key", standing: .denied, fields: [keys.denied.bearer]),
            Asker(name: "a denied subject", standing: .denied, fields: [bearer(Setup.token(sub: "mallory"))]),
            Asker(name: "the right key", standing: .entitled, fields: [keys.alice.bearer]),
            Asker(name: "the right key in its field", standing: .entitled, fields: [field(keys.alice)]),
            Asker(name: "the right token", standing: .entitled, object: "42", fields: [bearer(token)]),
        ]
    }
}

/// What is wrong with a request beside who asks.
enum Flaw: String, CaseIterable, Sendable {
    case none, foreignHost, unknownParameter, foreignGrant, absentGrant, unknownPath, unknownMethod
}

extension Asker {
    /// The same with a field more.
    func adding(_ field: String) -> Asker {
        Asker(name: name, standing: standing, object: object, fields: fields + [field])
    }

    /// The text of a request.
    /// - Parameter place: nil for `/grants`.
    func request(_ method: String, _ place: EveryRoute?, _ flaw: Flaw, to service: Service) -> String {
        var parameters = place?.parameters?(object) ?? []
        switch flaw {
        case .unknownParameter: parameters.append(("nothing", "1"))
        case .foreignGrant:
            parameters.append(
                ("grant", (object == "alice" ? place?.tokenGrant : place?.keyGrant) ?? "key-nos-token"))
        case .absentGrant: parameters.append(("grant", "no-such-grant"))
        case .none, .foreignHost, .unknownPath, .unknownMethod: break
        }
        let form = EveryRoute.form(parameters)
        let path = (place?.path ?? "/grants") + (flaw == .unknownPath ? "/" : "")
        let fields = fields + (flaw == .foreignHost ? ["Host: evil.example"] : [])
        let verb = flaw == .unknownMethod ? "DELETE" : method
        guard method == "POST", verb == method else {
            return service.text(verb, form.isEmpty ? path : "\(path)?\(form)", fields)
        }
        let type = "Content-Type: application/x-www-form-urlencoded"
        return service.text(verb, path, fields + [type], body: form)
    }
}
