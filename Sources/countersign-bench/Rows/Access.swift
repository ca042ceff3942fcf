import Access
import Bytes
import Configuration

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
            .deciding("decision among 1 grant", "qiniu.uptoken", "key=photos/2026/img%201.jpg"),
            .deciding(
                "decision among 20 grants", "qiniu.uptoken", "key=users/app/album20/1.jpg", apiKey: Fixture.apiKey),
        ])
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
