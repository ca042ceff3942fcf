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
            Row("API key found") { bench in
                let authenticator = try bench.house().configuration.authenticator
                let key = Array(text: House.apiKey)
                return {
                    guard
                        case .caller(let caller) = authenticator.identify(
                            authorization: nil, apiKey: key.span, at: House.seconds)
                    else { throw RowError("not found") }
                    bench.object = caller
                }
            },
            .deciding("decision among 1 grant", "qiniu.uptoken", "key=photos/2026/img%201.jpg"),
            .deciding(
                "decision among 20 grants", "qiniu.uptoken", "key=users/app/album20/1.jpg", apiKey: House.apiKey),
        ])
}
