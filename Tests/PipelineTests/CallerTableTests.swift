import Foundation
import Providers
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// What the rules say of a request.
struct Ruling: Equatable, Sendable {
    let status: Int
    let code: String

    static let granted = Ruling(status: 200, code: "")
    static let unwantedBody = Ruling(status: 400, code: "invalid_parameter")
    private static let unauthenticated = Ruling(status: 401, code: "unauthenticated")
    private static let forbidden = Ruling(status: 403, code: "forbidden")
    private static let notInGrant = Ruling(status: 403, code: "not_in_grant")

    /// The order of R7, from above: host, path, method; who asks; what is asked; what is granted.
    init(_ endpoint: Endpoint, _ method: String, _ asker: Asker, _ flaw: Flaw) {
        if flaw == .foreignHost {
            self.init(status: 421, code: "misdirected")
        } else if flaw == .unknownPath {
            self.init(status: 404, code: "not_found")
        } else if flaw == .unknownMethod || !endpoint.methods.contains(method) {
            self.init(status: 405, code: "method_not_allowed")
        } else if endpoint.isCallback || asker.standing == .unknown {
            // R6: the vendor's signature is a callback's only credential.
            self = .unauthenticated
        } else {
            self = .known(asker, flaw, at: endpoint)
        }
    }

    private static func known(_ asker: Asker, _ flaw: Flaw, at endpoint: Endpoint) -> Ruling {
        let isNamed = flaw == .foreignGrant || flaw == .absentGrant
        let isEntitled = asker.standing == .entitled && !isNamed
        let unknownParameter = Ruling(status: 400, code: "unknown_parameter")
        switch endpoint {
        case .grants:
            if asker.standing == .denied { return .forbidden }
            if flaw == .unknownParameter || isNamed { return unknownParameter }
            return asker.ticket == nil ? .granted : .notInGrant
        case .tickets:
            // The parameters are those of the grant's route, and nobody can tell which for a grant that is not one's own.
            if asker.standing == .denied || asker.ticket != nil { return .forbidden }
            guard isEntitled else { return .notInGrant }
            return flaw == .unknownParameter ? unknownParameter : .granted
        case .issuing:
            if asker.standing == .denied { return .forbidden }
            if asker.standing != .entitled { return .notInGrant }
            if flaw == .unknownParameter { return unknownParameter }
            return isEntitled ? .granted : .notInGrant
        }
    }

    private init(status: Int, code: String) {
        self.status = status
        self.code = code
    }
}

@Suite("Every route, every method, every caller: R4, R6, R7, R8, R10, R11, R12", .timeLimit(.minutes(20)))
struct CallerTableTests {
    /// Two services with all grants, of which one speaks TLS, their vendors, and tickets that both know.
    private final class Fixture: Sendable {
        private let plain: Service
        private let secure: Service
        private let certificates: ClientCertificates
        let tickets: [String: String]
        private let kodo: FakeKodo
        private let nos: FakeNOS
        private let sts: ClientPeer

        init() throws {
            certificates = try ClientCertificates.shared.get()
            kodo = try FakeKodo()
            nos = try FakeNOS()
            sts = try ClientPeer(STSFault.well)
            let url = "http://127.0.0.1:\(sts.port)"
            plain = try Service(.everyRoute("every route", kodo: kodo.url, nos: nos.url, sts: url))
            secure = try Service(
                .everyRoute("every route by TLS", kodo: kodo.url, nos: nos.url, sts: url, tls: certificates))
            tickets = try Fixture.mint(plain)
        }

        /// Handshakes are dear, so that only those come by TLS who show something there.
        func service(for asker: Asker) -> Service { asker.certificate == nil ? plain : secure }

        func connect(_ asker: Asker) throws -> Client {
            guard let certificate = asker.certificate else { return try plain.connect() }
            return try secure.connect(showing: certificate)
        }

        /// `alice`'s tickets for each of her grants.
        private static func mint(_ service: Service) throws -> [String: String] {
            let client = try service.connect()
            let routes = CallerTableTests.endpoints.compactMap(\.route).filter { !$0.isCallback }
            var tickets: [String: String] = [:]
            for grant in routes.map(\.keyGrant) + [Setup.spareGrant] {
                try client.send(
                    service.text(
                        "POST", "/tickets", [APIKey.alice.bearer, "Content-Type: application/json"],
                        body: "{\"grant\":\"\(grant)\",\"expires\":3600}"))
                tickets[grant] = try #require(try client.answer().json["ticket"]?.string)
            }
            tickets["key-qiniu-callback"] = tickets[Setup.spareGrant]
            tickets["key-oss-callback"] = tickets[Setup.spareGrant]
            return tickets
        }

        /// Everybody there is.
        var askers: [Asker] { Asker.all() + Asker.others(certificates) }

        static let shared = Result { try Fixture() }
    }

    /// All that can be asked.
    private static let endpoints: [Endpoint] =
        EveryRoute.all(kodo: "http://kodo.invalid", nos: "http://nos.invalid").map { .issuing($0) } + [
            .grants, .tickets,
        ]
    private static let methods = ["GET", "HEAD", "POST"]

    @Test func `the table has every route of the registry`() {
        let routes = CallerTableTests.endpoints.compactMap(\.route)
        #expect(Set(routes.map(\.name)) == Set(Registry.routes.map(\.description.name)))
        for route in Registry.routes.map(\.description) {
            let row = routes.first { $0.name == route.name }
            #expect(row?.path == String(decoding: route.path, as: UTF8.self))
            #expect(row?.isCallback == !route.grant.hasCallers)
        }
    }

    @Test(arguments: endpoints)
    func `R7, R8, R12: the answer is what the rules say, whoever asks for what and how`(
        _ endpoint: Endpoint
    ) throws {
        let fixture = try Fixture.shared.get()
        for (place, asker) in fixture.askers.enumerated() {
            var client = try fixture.connect(asker)
            for method in CallerTableTests.methods {
                for (number, flaw) in Flaw.allCases.enumerated() where Rounds.takes(place + number + method.count) {
                    try client.send(
                        asker.request(method, endpoint, flaw, to: fixture.service(for: asker), tickets: fixture.tickets)
                    )
                    let answer = try client.answer(toHead: method == "HEAD" && flaw != .unknownMethod)
                    let ruling = Ruling(endpoint, method, asker, flaw)
                    let what = "\(method) \(endpoint.path) with \(asker.name), flaw: \(flaw)"
                    #expect(answer.status == ruling.status, "\(what): \(answer.text)")
                    if ruling.status == 401 { #expect(answer.has("WWW-Authenticate"), "\(what)") }
                    if ruling.status == 405 { #expect(answer.has("Allow"), "\(what)") }
                    // HEAD is told the same, and issued nothing; a body would be taken for the next answer.
                    if !answer.body.isEmpty {
                        #expect(answer.json["code"]?.string ?? "" == ruling.code, "\(what): \(answer.text)")
                    }
                    if case .grants = endpoint, ruling == .granted, asker.standing == .stranger, method == "GET" {
                        #expect(answer.json["grants"] == .list([]), "\(what)")
                    }
                    if answer.closes { client = try fixture.connect(asker) }
                }
            }
        }
    }

    /// Who is refused whatever the body may be need not send it.
    @Test(arguments: endpoints)
    func `R7: the order is the same when only the head has come`(_ endpoint: Endpoint) throws {
        let fixture = try Fixture.shared.get()
        let pending = ["Content-Type: application/json", "Content-Length: 10"]
        for asker in fixture.askers {
            for method in CallerTableTests.methods {
                var ruling = Ruling(endpoint, method, asker, .none)
                // A ticket for another grant of the same route is compared with the parameters.
                var isOtherGrant = false
                if case .spare = asker.ticket { isOtherGrant = endpoint.path == "/qiniu/uptoken" }
                // Any other known caller gets the faults of the request first, or the service waits for the body.
                let isEarly =
                    [401, 405].contains(ruling.status) || ruling.code == "forbidden"
                    || endpoint.route != nil && asker.standing == .stranger && !isOtherGrant
                if !isEarly {
                    if method == "POST" { continue }
                    ruling = Ruling.unwantedBody
                }
                // The parameters would be in the body.
                let text = asker.request(
                    method, endpoint, .none, to: fixture.service(for: asker), tickets: fixture.tickets)
                let target = text.split(separator: " ")[1].split(separator: "?", maxSplits: 1)
                let query = target.count == 2 ? target[1].split(separator: "&").filter { $0.hasPrefix("ticket=") } : []
                let client = try fixture.connect(asker)
                try client.send(
                    fixture.service(for: asker).text(
                        method, endpoint.path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
                        asker.fields + pending))
                let answer = try client.answer(toHead: method == "HEAD")
                #expect(answer.status == ruling.status, "\(method) \(endpoint.path) with \(asker.name): \(answer.text)")
                if method != "HEAD" { #expect(answer.json["code"]?.string == ruling.code) }
            }
        }
    }

    @Test(arguments: endpoints)
    func `the body of a caller who may get nothing on a route is not read`(_ endpoint: Endpoint) throws {
        guard endpoint.methods.contains("POST"), endpoint.route?.isCallback == false else { return }
        let fixture = try Fixture.shared.get()
        for asker in fixture.askers where asker.certificate == nil && asker.ticket == nil {
            for body in ["{", #"{"nonsense":1}"#, "<?xml"] {
                let client = try fixture.connect(asker)
                try client.send(
                    fixture.service(for: asker).text(
                        "POST", endpoint.path, asker.fields + ["Content-Type: application/json"], body: body))
                let answer = try client.answer()
                let what = "\(endpoint.path) with \(asker.name): \(answer.text)"
                switch asker.standing {
                case .denied, .stranger: #expect(answer.status == 403, "\(what)")
                case .unknown: #expect(answer.status == 401, "\(what)")
                case .entitled: #expect([400, 422].contains(answer.status), "\(what)")
                }
            }
        }
    }

    /// All of an answer but its time.
    private func lasting(_ answer: Answer) -> [String] {
        ["\(answer.status)", answer.text]
            + answer.fields.filter { $0.name != "Date" }.map { "\($0.name): \($0.value)" }
    }

    @Test(arguments: endpoints)
    func `R4: a foreign grant and one that does not exist answer alike, whoever asks`(
        _ endpoint: Endpoint
    ) throws {
        let fixture = try Fixture.shared.get()
        for asker in fixture.askers {
            // Both requests have one id, so that nothing else than the time may differ.
            let named = asker.adding("X-Request-Id: one-and-the-same")
            var client = try fixture.connect(named)
            for method in CallerTableTests.methods {
                let answers = try [Flaw.foreignGrant, .absentGrant].map { flaw in
                    try client.send(
                        named.request(method, endpoint, flaw, to: fixture.service(for: asker), tickets: fixture.tickets)
                    )
                    let answer = try client.answer(toHead: method == "HEAD")
                    if answer.closes { client = try fixture.connect(named) }
                    return lasting(answer)
                }
                #expect(answers[0] == answers[1], "\(method) with \(asker.name)")
                #expect(answers[0].contains("X-Request-Id: one-and-the-same"))
            }
        }
    }
}
