import Access
import Bytes
import Configuration
import Providers

/// Policies with many grants that one caller may use, and asks that are for one of them, or for none.
enum ManyGrants: CaseIterable {
    case bucket, prefix, nestedPrefix, key, template, credential

    /// Each way with one grant, and with many; what is refused too.
    static let rows =
        allCases.flatMap { way in [1, 10_000, 100_000].map { way.deciding(among: $0) } }
        + Refused.allCases.flatMap { refused in
            [1, 100_000].map { ManyGrants.prefix.deciding(among: $0, refused: refused) }
        }

    /// By what the grants are told apart.
    var name: String {
        switch self {
        case .bucket: "bucket"
        case .prefix: "prefix"
        case .nestedPrefix: "nested prefix"
        case .key: "key"
        case .template: "template"
        case .credential: "credential"
        }
    }

    /// The bucket, and the key or prefix, of a grant.
    private func scope(of number: Int) throws -> (bucket: String, target: Grant.Target) {
        func template(_ text: String) throws -> KeyTemplate { try KeyTemplate(Array(text: text)) }
        return switch self {
        case .bucket: ("bucket-\(number)", .prefix(try template("photos/")))
        case .prefix: ("media", .prefix(try template("albums/\(number)/")))
        case .nestedPrefix: ("media", .prefix(try template(ManyGrants.path(number) + "/own/")))
        case .key: ("media", .key(try template("albums/\(number).jpg")))
        case .template: ("media", .prefix(try template("users/${caller.id}/\(number)/")))
        case .credential: ("media", .prefix(try template("photos/")))
        }
    }

    /// What is asked for by a grant's caller.
    private func query(for number: Int) -> String {
        switch self {
        case .bucket: "bucket=bucket-\(number)&key=photos/1.jpg"
        case .prefix: "bucket=media&key=albums/\(number)/1.jpg"
        case .nestedPrefix: "bucket=media&key=\(ManyGrants.path(number))/own/1.jpg"
        case .key: "bucket=media&key=albums/\(number).jpg"
        case .template: "bucket=media&key=users/app/\(number)/1.jpg"
        case .credential: "bucket=media&key=photos/1.jpg&grant=grant\(number)"
        }
    }

    /// A folder for each digit, so that folders of some are in those of others.
    private static func path(_ number: Int) -> String { "\(number)".map { "\($0)" }.joined(separator: "/") }

    /// Far less than the judging of many grants takes.
    private static let slowest = 5000.0

    /// What none of the grants is for.
    enum Refused: String, CaseIterable {
        case key = "bucket=media&key=nobody/1.jpg"
        case bucket = "bucket=nobodys&key=photos/1.jpg"
        case lifetime = "expires=2000000000"
    }

    /// The decision about asks for several of the grants in turn, or about one that is denied.
    func deciding(among count: Int, refused: Refused? = nil) -> Row {
        let what = refused.map { "denial by \($0)" } ?? "decision"
        let number = count == 1 ? "1 grant" : "\(count) grants"
        return Row("\(what) among \(number), by \(name)", slowest: ManyGrants.slowest) { bench in
            let policy = try policy(of: count, in: try bench.fixture())
            let caller = try bench.fixture().caller(Fixture.apiKey)
            let asks = try (0..<16).map { turn in
                try Asked("qiniu.uptoken", refused?.rawValue ?? query(for: turn * (count - 1) / 15))
            }
            var turn = 0
            return {
                turn = (turn + 1) & 15
                let asked = asks[turn]
                switch policy.decide(asked.ask, on: asked.route, by: caller, at: Fixture.now, in: &bench.policy) {
                case .permitted(let permit):
                    permit.end(in: &bench.policy)
                    guard refused == nil else { throw RowError("permitted") }
                case .denied(let denial): guard refused != nil else { throw RowError("\(denial)") }
                }
            }
        }
    }

    private func policy(of count: Int, in fixture: Fixture) throws -> Policy {
        guard let model = fixture.configuration.grants.first(where: { $0.name.elementsEqual("album1".utf8) }) else {
            throw RowError("there is no grant to copy")
        }
        let issuer = fixture.configuration.issuers[model.index].issuer
        let grants = try (0..<count).map { number in
            let (bucket, target) = try scope(of: number)
            return Grant(
                Grant.Entry(Array(text: "grant\(number)"), at: number, terms: model.entry.terms), for: model.principals,
                of: .init(target, in: .named(Array(text: bucket)), withoutKey: model.resources.withoutKey),
                lasting: model.lifetimes,
                Grant.Issuance(by: issuer, on: model.route, with: self == .credential ? number : model.credential))
        }
        return Policy(grants, for: fixture.configuration.authenticator, routes: Registry.routes.count)
    }
}
