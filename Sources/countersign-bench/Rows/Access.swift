import Access
import Bytes
import Configuration
import Crypto

extension Chapter {
    static let access = Chapter(
        grants: (1...20).map { number in
            """
            "album\(number)": { route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:app"],
              bucket: "test-bucket", keyPrefix: "users/${caller.id}/album\(number)/", lifetime: "1h" },

            """
        }.joined(),
        rows: [
            Row("token of a rate, among 65,536 identities") { bench in
                guard let rate = Rate(60, in: 60_000) else { throw RowError("no rate") }
                let rates = Rates()
                return {
                    guard rates.take(rate) else { throw RowError("refused") }
                }
            },
            Row("API key found") { bench in
                let authenticator = try bench.fixture().configuration.authenticator
                let key = Array(text: Fixture.apiKey)
                return {
                    guard
                        case .caller(let caller) = authenticator.identify(
                            apiKey: key.span, at: Fixture.seconds)
                    else { throw RowError("not found") }
                    bench.object = caller
                }
            },
            .findingKey(among: 100_000),
            .deciding("decision among 1 grant", "qiniu.uptoken", "key=photos/2026/img%201.jpg"),
            .deciding(
                "decision among 20 grants", "qiniu.uptoken", "key=users/app/album20/1.jpg", apiKey: Fixture.apiKey),
        ] + ManyGrants.rows)
}

extension Row {
    /// Looks up several API keys in turn.
    fileprivate static func findingKey(among count: Int) -> Row {
        Row("API key found among \(count)") { bench in
            let keys = (0..<count).map { Array(text: "an-api-key-of-the-benchmark-with-the-number-\($0)") }
            var settings = Authenticator.Settings()
            for key in keys {
                let digest = try Digest(.sha256, of: key.span)
                settings.apiKeys.append(.init(id: key, digest: digest, notAfter: nil))
            }
            let authenticator = Authenticator(settings)
            let asked = (0..<16).map { keys[$0 * (count - 1) / 15] }
            var turn = 0
            return {
                turn = (turn + 1) & 15
                let key = asked[turn]
                guard case .caller(let caller) = authenticator.identify(apiKey: key.span, at: Fixture.seconds)
                else { throw RowError("not found") }
                bench.object = caller
            }
        }
    }
}

/// Buckets of as many identities as there are by default; each takes its turn, two seconds of its own time later.
private final class Rates {
    private var table = RateTable(capacity: 65_536)
    private var (turn, now): (UInt64, Int64) = (0, 0)

    func take(_ rate: Rate) -> Bool {
        turn = (turn + 1) & 0x7FFF
        if turn == 0 { now += 2000 }
        let identity = RateTable.Identity(rule: 1, who: turn &* 0x9E37_79B9_7F4A_7C15)
        return table.take(rate, for: identity, at: now).isAllowed
    }
}
