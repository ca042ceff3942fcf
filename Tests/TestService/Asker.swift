import Crypto
import TestPeers

/// Somebody who asks, by what the request presents, or the connection.
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

    /// A URL ticket (R11).
    enum Bearing: Sendable {
        /// One for `alice`'s grant of what is asked.
        case own
        /// One for another grant of hers, which is of `qiniu.uptoken`.
        case spare
        case twice
        case text(String)
    }

    let name: String
    let standing: Standing
    /// Whose objects are asked for.
    var object = "alice"
    var fields: [String] = []
    var ticket: Bearing?
    /// What is shown by TLS.
    var certificate: ClientCertificates.Pair?

    private static func bearer(_ token: String) -> String { "Authorization: Bearer \(token)" }
    private static func field(_ key: APIKey) -> String { "X-API-Key: \(key.key)" }

    /// A key that is none.
    static let wrong = "key-that-nobody-has-0123456789"

    /// Those who need TLS, or tickets that somebody has had made.
    static func others(_ certificates: ClientCertificates) -> [Asker] {
        let (key, bob) = (APIKey.alice.bearer, APIKey.bob.bearer)
        let wrong = "X-API-Key: \(wrong)"
        return [
            Asker(name: "a ticket", standing: .entitled, ticket: .own),
            Asker(
                name: "a ticket beside a certificate", standing: .entitled, ticket: .own,
                certificate: certificates.caller),
            Asker(name: "a ticket for another grant or route", standing: .stranger, ticket: .spare),
            Asker(name: "a wrong ticket", standing: .unknown, ticket: .text("AAAA")),
            Asker(name: "an empty ticket", standing: .unknown, ticket: .text("")),
            Asker(name: "two tickets", standing: .unknown, ticket: .twice),
            Asker(name: "a ticket and its owner's key", standing: .unknown, fields: [key], ticket: .own),
            Asker(
                name: "a certificate", standing: .entitled, object: "backend", certificate: certificates.caller),
            Asker(name: "an unknown certificate", standing: .unknown, certificate: certificates.unknownCaller),
            Asker(name: "a certificate of two callers", standing: .unknown, certificate: certificates.doubleCaller),
            Asker(name: "a denied certificate", standing: .denied, certificate: certificates.deniedCaller),
            // What is said expressly goes first (R8).
            Asker(
                name: "the right key beside an unknown certificate", standing: .entitled, fields: [key],
                certificate: certificates.unknownCaller),
            Asker(
                name: "the right key beside a denied certificate", standing: .entitled, fields: [key],
                certificate: certificates.deniedCaller),
            Asker(
                name: "another's key beside a certificate", standing: .stranger, fields: [bob],
                certificate: certificates.caller),
            Asker(
                name: "a wrong key beside a certificate", standing: .unknown, fields: [wrong],
                certificate: certificates.caller),
        ]
    }

    /// Those who are known, or not, by fields alone; made anew for each use: tokens end.
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
        var more = self
        more.fields.append(field)
        return more
    }

    /// The text of a request.
    /// - Parameter tickets: by the names of their grants.
    func request(
        _ method: String, _ endpoint: Endpoint, _ flaw: Flaw, to service: Service, tickets: [String: String] = [:]
    ) -> String {
        let form = EveryRoute.form(endpoint.parameters(of: object, flaw))
        let path = endpoint.path + (flaw == .unknownPath ? "/" : "")
        let fields = fields + (flaw == .foreignHost ? ["Host: evil.example"] : [])
        let verb = flaw == .unknownMethod ? "DELETE" : method
        let isPosted = method == "POST" && verb == method
        let query = [isPosted ? "" : form, ticketQuery(endpoint, tickets)].filter { !$0.isEmpty }.joined(separator: "&")
        let target = query.isEmpty ? path : "\(path)?\(query)"
        guard isPosted else { return service.text(verb, target, fields) }
        let type = "Content-Type: application/x-www-form-urlencoded"
        return service.text(verb, target, fields + [type], body: form)
    }

    private func ticketQuery(_ endpoint: Endpoint, _ tickets: [String: String]) -> String {
        let own = tickets[endpoint.grants(of: "alice").own] ?? "none"
        switch ticket {
        case nil: return ""
        case .own: return "ticket=\(own)"
        case .spare: return "ticket=\(tickets[Setup.spareGrant] ?? "none")"
        case .twice: return "ticket=\(own)&ticket=\(own)"
        case .text(let text): return "ticket=\(text)"
        }
    }
}
