import Bytes
import Configuration
import Crypto
import Foundation
import TestKeys
import Testing

@testable import TestService

/// The configurations of `docs/recipes.md` do what their sections say.
@Suite("Recipes", .timeLimit(.minutes(20)))
struct RecipeTests {
    /// Who asks in a recipe.
    enum Asker: Sendable {
        case anonymous, key
        case user(claims: String = "")
    }

    /// A request, and the code of its refusal; nil where it is answered 200.
    struct Ask: Sendable {
        var method = "GET"
        let target: String
        var body: String?
        var asker = Asker.user()
        var fields: [String] = []
        /// The address that it is from.
        var source = Client.loopback
        /// The service's date and time; nil for now.
        var time: Int64?
        let refusal: String?

        static func allowed(_ target: String, _ change: (inout Ask) -> Void = { _ in }) -> Ask {
            var ask = Ask(target: target, refusal: nil)
            change(&ask)
            return ask
        }

        static func refused(_ target: String, _ code: String, _ change: (inout Ask) -> Void = { _ in }) -> Ask {
            var ask = Ask(target: target, refusal: code)
            change(&ask)
            return ask
        }
    }

    /// Questions to each recipe, in the order of the document.
    static let asks: KeyValuePairs<String, [Ask]> = [
        "An avatar of at most 2 MiB": [
            .allowed("/qiniu/uptoken?ext=jpg"),
            .refused("/qiniu/uptoken?ext=jpg&key=avatars/43.jpg", "not_in_grant"),
            .refused("/qiniu/uptoken?ext=exe", "not_in_grant"),
        ],
        "An avatar and a folder for each user": [
            .allowed("/qiniu/uptoken?grant=avatar"),
            .allowed("/qiniu/uptoken?key=users/42/avatar.jpg"),
            .allowed("/qiniu/uptoken?key=users/42/photos/a.jpg"),
            .refused("/qiniu/uptoken", "ambiguous_grant"),
            .refused("/qiniu/uptoken?key=users/7/photos/a.jpg", "not_in_grant"),
            .refused("/qiniu/uptoken?key=users/42/a.jpg", "not_in_grant"),
        ],
        "An anonymous gallery": [
            .allowed("/qiniu/download-url?key=gallery/a.jpg") { $0.asker = .anonymous },
            .refused("/qiniu/download-url?key=invoices/1.pdf", "not_in_grant") { $0.asker = .anonymous },
            .refused("/qiniu/uptoken?key=gallery/a.jpg", "unauthenticated") { $0.asker = .anonymous },
        ],
        "A partner, limited by address": [
            .allowed("/oss/presigned-url?method=PUT&key=partner/a.csv") {
                ($0.asker, $0.source) = (.key, 0xC633_6407)  // 198.51.100.7
            },
            .allowed("/oss/presigned-url?method=PUT&key=partner/a.csv") {
                ($0.asker, $0.source, $0.fields) = (.key, 0x0A00_0002, ["X-Forwarded-For: 2001:db8:7::9"])
            },
            .refused("/oss/presigned-url?method=PUT&key=partner/a.csv", "not_in_grant") {
                ($0.asker, $0.source) = (.key, 0xCB00_7109)  // 203.0.113.9
            },
        ],
        "A campaign with a beginning and an end": [
            .allowed("/qiniu/uptoken?key=entries/42/a.jpg") { $0.time = 1_804_680_000 },  // 2027-03-10T12:00:00Z
            .refused("/qiniu/uptoken?key=entries/42/a.jpg", "not_in_grant") { $0.time = 1_803_859_199 },
            .refused("/qiniu/uptoken?key=entries/42/a.jpg", "not_in_grant") { $0.time = 1_806_537_600 },
        ],
        "Two tenants": [
            .allowed("/oss/presigned-url?key=acme/plan.pdf") {
                $0.asker = .user(claims: #""tenant":"acme","role":"reader","suspended":false"#)
            },
            .allowed("/oss/presigned-url?key=acme/plan.pdf&method=PUT") {
                $0.asker = .user(claims: #""tenant":"acme","role":"editor","suspended":false"#)
            },
            .refused("/oss/presigned-url?key=globex/plan.pdf", "not_in_grant") {
                $0.asker = .user(claims: #""tenant":"acme","role":"reader","suspended":false"#)
            },
            .refused("/oss/presigned-url?key=acme/plan.pdf&method=PUT", "not_in_grant") {
                $0.asker = .user(claims: #""tenant":"acme","role":"editor","suspended":true"#)
            },
        ],
        "API keys by tenant": [
            .allowed("/oss/presigned-url?key=apiKey-acme/plan.pdf&method=PUT") { $0.asker = .key },
            .refused("/oss/presigned-url?key=apiKey-globex/plan.pdf", "not_in_grant") { $0.asker = .key },
            .refused("/oss/presigned-url?key=apiKey-acme/plan.pdf", "unauthenticated") { $0.asker = .anonymous },
        ],
        "Staging and production in one file": [
            .allowed("/qiniu/uptoken?key=photos/42/a.jpg"),
            .refused("/qiniu/uptoken?key=photos/7/a.jpg", "not_in_grant"),
        ],
        "Tickets for devices": [
            .allowed("/tickets") {
                ($0.method, $0.asker) = ("POST", .key)
                $0.body = "grant=devices&key=readings/meter-7/1.json&expires=600"
            },
            .refused("/tickets", "unauthenticated") {
                ($0.method, $0.asker) = ("POST", .anonymous)
                $0.body = "grant=devices&key=readings/meter-7/1.json&expires=600"
            },
            .refused("/nos/token?key=readings/meter-7/1.json", "unauthenticated") { $0.asker = .anonymous },
        ],
        "OSS in three regions": [
            .allowed("/oss/presigned-url?bucket=media-frankfurt&key=42/a.jpg"),
            .refused("/oss/presigned-url?key=42/a.jpg", "ambiguous_grant"),
            .refused("/oss/presigned-url?bucket=media-tokyo&key=42/a.jpg", "not_in_grant"),
        ],
        "A web form": [
            .allowed("/oss/post-policy?ext=pdf&contentType=application/pdf") {
                $0.fields = ["Origin: https://app.example.com"]
            },
            .refused("/oss/post-policy?ext=pdf&contentType=application/pdf", "forbidden") {
                $0.fields = ["Origin: https://evil.example"]
            },
            .refused("/oss/post-policy?ext=pdf&contentType=text/html", "not_in_grant"),
        ],
        "Live streaming, a channel for each user": [
            .allowed("/oss/rtmp-url") { $0.asker = .user(claims: #""streamer":true"#) },
            .refused("/oss/rtmp-url", "not_in_grant") { $0.asker = .user(claims: #""streamer":"true""#) },
            .refused("/oss/rtmp-url?channel=live-43", "not_in_grant") {
                $0.asker = .user(claims: #""streamer":true"#)
            },
        ],
        "A backend asks for its users": [
            .allowed("/qiniu/uptoken?key=avatars/42.jpg") { $0.asker = .key },
            .allowed("/qiniu/uptoken?key=users/42/photos/a.jpg") { $0.asker = .key },
            .refused("/qiniu/uptoken?key=invoices/42.pdf", "not_in_grant") { $0.asker = .key },
            .refused("/qiniu/uptoken", "ambiguous_grant") { $0.asker = .key },
            .refused("/qiniu/uptoken?key=avatars/42.jpg", "unauthenticated") { $0.asker = .anonymous },
        ],
        "Callbacks that name the user": [
            .allowed("/qiniu/uptoken?key=photos/42/a.jpg"),
            .allowed("/oss/post-policy?key=photos/42/a.jpg"),
            .refused("/qiniu/uptoken?key=photos/43/a.jpg", "not_in_grant"),
        ],
        "Listing, for Qiniu, NOS and OSS": [
            .allowed("/oss/list-url?prefix=photos/42/2027/"),
            .refused("/oss/list-url?prefix=photos/43/", "not_in_grant"),
            .refused("/qiniu/files?prefix=photos/43/", "not_in_grant"),
            .refused("/nos/files?prefix=photos/43/", "not_in_grant"),
        ],
        "API keys and JWTs, one web page": [
            .allowed("/grants") { ($0.asker, $0.fields) = (.key, ["Origin: https://app.example.com"]) },
            .allowed("/grants") { $0.fields = ["Origin: https://app.example.com"] },
            .refused("/distribute-token.json?keyPrefix=photos/jwt-login/43/", "not_in_grant"),
            .refused("/distribute-token.json?keyPrefix=photos/jwt-login/42/", "not_in_grant") { $0.asker = .key },
            .refused("/distribute-token.json", "unauthenticated") { $0.asker = .anonymous },
        ],
    ]

    @Test func `each recipe has questions that are answered and that are refused`() throws {
        #expect(try Recipe.all().map(\.title) == Self.asks.map(\.key))
        for (title, asks) in Self.asks {
            #expect(asks.contains { $0.refusal == nil } && asks.contains { $0.refusal != nil }, "\(title)")
        }
    }

    @Test(arguments: (try? Recipe.all()) ?? [])
    func `a recipe is a valid configuration, and its tests hold, of what is allowed and of what is not`(
        _ recipe: Recipe
    ) throws {
        let expectations = try recipe.policyTests().map(\.expectation)
        #expect(expectations.contains(.allow), "\(recipe.title)")
        #expect(expectations.contains { $0 != .allow }, "\(recipe.title)")
    }

    @Test(arguments: asks.map { ($0.key, $0.value) })
    func `a service with the recipe answers what it should, and refuses the rest`(
        _ title: String, _ asks: [Ask]
    ) throws {
        try Self.serve(title) { service in
            for ask in asks {
                let answer = try Self.send(ask, to: service)
                if let code = ask.refusal {
                    #expect(answer.json["code"] == .string(code), "\(title): \(ask.target): \(answer.text)")
                    #expect(answer.status >= 400)
                } else {
                    #expect(answer.status == 200, "\(title): \(ask.target): \(answer.text)")
                }
            }
        }
    }

    // MARK: What else the sections say

    @Test(arguments: ["staging", "production"])
    func `one file serves staging and production, by the environment`(stage: String) throws {
        try Self.serve("Staging and production in one file", stage: stage) { service in
            let answer = try Self.send(.allowed("/qiniu/uptoken?key=photos/42/a.jpg"), to: service)
            #expect(answer.json["bucket"] == .string("media-\(stage)"))
            let url = try Self.send(.allowed("/qiniu/download-url?key=photos/42/a.jpg"), to: service).json["url"]?
                .string
            let start = stage == "staging" ? "http://media-staging.qiniu.localhost:8090/" : "https://media.example.com/"
            #expect(url?.hasPrefix(start) == true, "\(url ?? "none")")
        }
    }

    @Test func `a device gets its token by the URL of its ticket, without any header`() throws {
        try Self.serve("Tickets for devices") { service in
            let url = try ticket(for: "readings/meter-7/1.json", service)
            #expect(url.hasPrefix("https://tokens.example.com/nos/token?ticket="))
            let answer = try service.get(String(url.dropFirst("https://tokens.example.com".count)))
            answer.expectSuccess()
            #expect(answer.json["key"] == "readings/meter-7/1.json")

            let other = try ticket(for: "firmware/1.bin", service)
            try service.get(String(other.dropFirst("https://tokens.example.com".count)))
                .expectProblem(403, "not_in_grant")
        }
    }

    /// - Returns: the URL of a ticket for one key.
    private func ticket(for key: String, _ service: Service) throws -> String {
        let ask = Ask.allowed("/tickets") {
            ($0.method, $0.asker, $0.body) = ("POST", .key, "grant=devices&key=\(key)&expires=600")
        }
        return try #require(try Self.send(ask, to: service).json["url"]?.string)
    }

    @Test func `the user stands in what Qiniu and OSS are told, and a forged callback is refused`() throws {
        try Self.serve("Callbacks that name the user") { service in
            let token = try Self.send(.allowed("/qiniu/uptoken?key=photos/42/a.jpg"), to: service)
            let reading = try UploadTokenReading(qiniu: token.json["uptoken"]?.string, secret: Setup.qiniuSecret)
            #expect(reading.policy["endUser"] == "42")
            let form = try Self.send(.allowed("/oss/post-policy?key=photos/42/a.jpg"), to: service)
            let text = try Base64Text.decode(form.json["callback"]?.string ?? "", urlSafe: false)
            #expect(
                try JSON(String(decoding: text, as: UTF8.self))["callbackBody"] == "user=42&key=${object}&size=${size}")

            let callback = KodoCallback().with {
                ($0.target, $0.host) = ("/qiniu/callback", "tokens.example.com")
                $0.body = "user=42&key=photos%2F42%2Fa.jpg&size=1500"
            }
            #expect(try callback.send(to: service, callback.authorization()).json["ok"] == true)
            let forged = callback.with { $0.body = "user=43&key=photos%2F43%2Fa.jpg&size=1500" }
            #expect(try forged.send(to: service, callback.authorization()).status == 401)
        }
    }

    @Test func `each region signs for its own bucket`() throws {
        try Self.serve("OSS in three regions") { service in
            for (bucket, host) in [
                ("media-hangzhou", "oss-cn-hangzhou"), ("media-beijing", "oss-cn-beijing"),
                ("media-frankfurt", "oss-eu-central-1"),
            ] {
                let answer = try Self.send(.allowed("/oss/presigned-url?bucket=\(bucket)&key=42/a.jpg"), to: service)
                #expect(
                    answer.json["url"]?.string?.hasPrefix("https://\(bucket).\(host).aliyuncs.com/42/a.jpg?") == true)
            }
        }
    }

    @Test func `a user and an API key have prefixes of their own on one page`() throws {
        try Self.serve("API keys and JWTs, one web page") { service in
            for (asker, prefix) in [(Asker.user(), "photos/jwt-login/42/"), (.key, "photos/apiKey-kiosk/kiosk/")] {
                let answer = try Self.send(.allowed("/grants") { $0.asker = asker }, to: service)
                #expect(answer.json["grants"]?.list?.map { $0["keyPrefix"] } == [.string(prefix)])
            }
        }
    }

    // MARK: The service

    private static func serve(_ title: String, stage: String = "staging", _ body: (Service) throws -> Void) throws {
        let issuer = try FakeIssuer([try #require(TestKey.shared[.rs256])])
        let recipe = try Recipe.named(title, askingIssuerAt: issuer.url)
        let setup = Setup(name: title, rest: "", whole: recipe.text)
        let environment = Recipe.environment(askingIssuerAt: issuer.url, stage: stage)
        try Service.run(setup, .inProcess, environment) { service in
            // The keys of the issuer have come by then.
            service.pass(milliseconds: 1000)
            try body(service)
        }
    }

    /// Lets an hour pass until a moment, in which the keys of the issuer are fetched again.
    private static func pass(to moment: Int64, _ service: Service) {
        service.clock.stop(at: moment - 3600)
        service.pass(milliseconds: 3_600_000)
    }

    private static func send(_ ask: Ask, to service: Service) throws -> Answer {
        if let time = ask.time { pass(to: time, service) }
        var fields = ask.fields
        switch ask.asker {
        case .anonymous: break
        case .key: fields.append("X-API-Key: \(Recipe.key.key)")
        case .user(let claims):
            fields.append(Recipe.bearer(at: service.clock.now().unixSeconds, claims))
        }
        if ask.body != nil { fields.append("Content-Type: application/x-www-form-urlencoded") }
        let client = try service.connect(from: ask.source)
        try client.send(service.text(ask.method, ask.target, fields, body: ask.body))
        return try client.answer()
    }
}
