import Foundation
import Providers
import TestPeers
import Testing

/// What the rules say of a request.
struct Ruling: Equatable, Sendable {
    let status: Int
    let code: String

    static let granted = Ruling(status: 200, code: "")
    static let unwantedBody = Ruling(status: 400, code: "invalid_parameter")
    private static let unauthenticated = Ruling(status: 401, code: "unauthenticated")

    /// The order of R7, from above: host, path, method; who asks; what is asked; what is granted.
    init(_ place: EveryRoute?, _ method: String, _ asker: Asker, _ flaw: Flaw) {
        let methods = place.map { $0.isCallback ? ["POST"] : ["GET", "HEAD", "POST"] } ?? ["GET", "HEAD"]
        if flaw == .foreignHost {
            self.init(status: 421, code: "misdirected")
        } else if flaw == .unknownPath {
            self.init(status: 404, code: "not_found")
        } else if flaw == .unknownMethod || !methods.contains(method) {
            self.init(status: 405, code: "method_not_allowed")
        } else if place?.isCallback == true {
            // R6: the vendor's signature is the only credential.
            self = .unauthenticated
        } else {
            self.init(asker.standing, flaw, isListing: place == nil)
        }
    }

    private init(_ standing: Asker.Standing, _ flaw: Flaw, isListing: Bool) {
        switch standing {
        case .unknown: self = .unauthenticated
        // Who is denied gets nothing whatever is asked, so that nothing is read.
        case .denied: self.init(status: 403, code: "forbidden")
        case .stranger, .entitled:
            let isNamed = flaw == .foreignGrant || flaw == .absentGrant
            if flaw == .unknownParameter || isListing && isNamed {
                self.init(status: 400, code: "unknown_parameter")
            } else if isListing || standing == .entitled && !isNamed {
                self = .granted
            } else {
                self.init(status: 403, code: "not_in_grant")
            }
        }
    }

    private init(status: Int, code: String) {
        self.status = status
        self.code = code
    }
}

@Suite("Every route, every method, every caller: R4, R6, R7, R8, R10, R12", .timeLimit(.minutes(5)))
struct CallerTableTests {
    /// A service with all grants, and its vendors.
    private final class House: Sendable {
        let service: Service
        private let kodo: FakeKodo
        private let sts: ClientPeer

        init(_ transport: Transport) throws {
            kodo = try FakeKodo()
            sts = try ClientPeer(STSFault.well)
            service = try Service(
                .everyRoute("every route", kodo: kodo.url, sts: "http://127.0.0.1:\(sts.port)"), transport)
            Keeper.keep(service.process.identifier)
        }

        private static let epoll = Result { try House(.epoll) }
        private static let dispatch = Result { try House(.dispatch) }

        static func shared(_ transport: Transport) throws -> House {
            switch transport {
            case .epoll: try epoll.get()
            case .dispatch: try dispatch.get()
            }
        }
    }

    /// All that can be asked: the routes, and nil for `/grants`.
    private static let places: [EveryRoute?] = EveryRoute.all(kodo: "http://kodo.invalid") + [nil]
    private static let methods = ["GET", "HEAD", "POST"]

    @Test func `the table has every route of the registry`() {
        let routes = CallerTableTests.places.compactMap { $0 }
        #expect(Set(routes.map(\.name)) == Set(Registry.routes.map(\.description.name)))
        for route in Registry.routes.map(\.description) {
            let row = routes.first { $0.name == route.name }
            #expect(row?.path == String(decoding: route.path, as: UTF8.self))
            #expect(row?.isCallback == !route.hasCallers)
        }
    }

    @Test(arguments: Transport.allCases, places)
    func `R7, R8, R12: the answer is what the rules say, whoever asks for what and how`(
        _ transport: Transport, _ place: EveryRoute?
    ) throws {
        let service = try House.shared(transport).service
        var client = try service.connect()
        for asker in Asker.all() {
            for method in CallerTableTests.methods {
                for flaw in Flaw.allCases {
                    try client.send(asker.request(method, place, flaw, to: service))
                    let answer = try client.answer(toHead: method == "HEAD" && flaw != .unknownMethod)
                    let ruling = Ruling(place, method, asker, flaw)
                    let what = "\(method) \(place?.path ?? "/grants") with \(asker.name), flaw: \(flaw)"
                    #expect(answer.status == ruling.status, "\(what): \(answer.text)")
                    if ruling.status == 401 { #expect(answer.has("WWW-Authenticate"), "\(what)") }
                    if ruling.status == 405 { #expect(answer.has("Allow"), "\(what)") }
                    // HEAD is told the same, and issued nothing; a body would be taken for the next answer.
                    if !answer.body.isEmpty {
                        #expect(answer.json["code"]?.string ?? "" == ruling.code, "\(what): \(answer.text)")
                    }
                    if place == nil, ruling == .granted, asker.standing == .stranger, method == "GET" {
                        #expect(answer.json["grants"] == .list([]), "\(what)")
                    }
                    if answer.closes { client = try service.connect() }
                }
            }
        }
    }

    /// Who is refused whatever the body may be need not send it.
    @Test(arguments: Transport.allCases, places)
    func `R7: the order is the same when only the head has come`(_ transport: Transport, _ place: EveryRoute?) throws {
        let service = try House.shared(transport).service
        let path = place?.path ?? "/grants"
        let pending = ["Content-Type: application/json", "Content-Length: 10"]
        for asker in Asker.all() {
            for method in CallerTableTests.methods {
                var ruling = Ruling(place, method, asker, .none)
                // Whoever might be granted something is told that no such request has a body, or is waited for.
                if ruling.status == 200 || ruling.code == "not_in_grant" {
                    if method == "POST" { continue }
                    ruling = Ruling.unwantedBody
                }
                let client = try service.connect()
                try client.send(service.text(method, path, asker.fields + pending))
                let answer = try client.answer(toHead: method == "HEAD")
                #expect(answer.status == ruling.status, "\(method) \(path) with \(asker.name): \(answer.text)")
                if method != "HEAD" { #expect(answer.json["code"]?.string == ruling.code) }
            }
        }
    }

    /// All of an answer but its time.
    private func lasting(_ answer: Answer) -> [String] {
        ["\(answer.status)", answer.text]
            + answer.fields.filter { $0.name != "Date" }.map { "\($0.name): \($0.value)" }
    }

    @Test(arguments: Transport.allCases, places)
    func `R4: a foreign grant and one that does not exist answer alike, whoever asks`(
        _ transport: Transport, _ place: EveryRoute?
    ) throws {
        let service = try House.shared(transport).service
        for asker in Asker.all() {
            for method in CallerTableTests.methods {
                // Both requests have one id, so that nothing else than the time may differ.
                let named = asker.adding("X-Request-Id: one-and-the-same")
                let answers = try [Flaw.foreignGrant, .absentGrant].map { flaw in
                    let client = try service.connect()
                    try client.send(named.request(method, place, flaw, to: service))
                    return lasting(try client.answer(toHead: method == "HEAD"))
                }
                #expect(answers[0] == answers[1], "\(method) with \(asker.name)")
                #expect(answers[0].contains("X-Request-Id: one-and-the-same"))
            }
        }
    }
}
