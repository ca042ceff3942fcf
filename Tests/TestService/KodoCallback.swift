import Foundation

extension Setup {
    /// Callbacks by several URLs, of two accounts.
    static let callbacks = Setup(
        name: "callbacks",
        credentials: """
            credentials: {
                "qiniu": { provider: "qiniu", accessKey: "\(qiniuAccessKey)", secretKey: { file: "secrets/qiniu" } },
                "other": { provider: "qiniu", accessKey: "e2e-other-access-key", secretKey: "secret-of-another-account" },
              }
            """,
        rest: """
            grants: {
                "done": {
                  route: "qiniu.callback", credential: "qiniu", publicURL: "https://app.example.com/hooks/done",
                  reply: { key: "done", payload: { success: true, name: "中文" } },
                },
                "own": {
                  route: "qiniu.callback", credential: "qiniu", publicURL: "http://app.example.com:8080/qiniu/callback?a=1",
                  reply: { ok: 1 },
                },
                "signed": {
                  route: "qiniu.callback", credential: "other", publicURL: "https://app.example.com/hooks/done?of=other",
                  reply: { ok: 2 }, schemes: ["qiniu"],
                },
              },
            """)
}

/// A callback as Kodo sends it, and its signature by the vendor's documents; what is changed after it has been signed is forged.
struct KodoCallback: Sendable {
    static let form = "application/x-www-form-urlencoded"

    var method = "POST"
    var target = "/hooks/done"
    /// The host of the URL that Kodo has.
    var host = "app.example.com"
    var contentType = form
    var date: String? = basicISO8601(now)
    var fields: [String] = []
    var body = "key=photos%2Fa.jpg&hash=FmDZ&fsize=1500"
    var accessKey = Setup.qiniuAccessKey
    var secret = Setup.qiniuSecret

    func with(_ change: (inout KodoCallback) -> Void) -> KodoCallback {
        var changed = self
        change(&changed)
        return changed
    }

    var qiniuFields: [String] { (fields + (date.map { ["X-Qiniu-Date: \($0)"] } ?? [])).sorted() }

    func authorization(_ scheme: String = "Qiniu") -> String {
        var text = "\(target)\n"
        if scheme == "QBox" {
            if contentType == KodoCallback.form { text += body }
        } else {
            let lines = ["Host: \(host)", "Content-Type: \(contentType)"] + qiniuFields
            text = "\(method) \(target)\n" + lines.joined(separator: "\n") + "\n\n\(body)"
        }
        let code = Digests.hmacSHA1(key: Array(secret.utf8), Array(text.utf8))
        return "\(scheme) \(accessKey):\(Base64Text.encode(code, urlSafe: true))"
    }

    func send(
        to service: Service, _ authorization: String?, host: String? = nil, more: [String] = []
    ) throws -> Answer {
        var lines = ["Content-Type: \(contentType)"] + qiniuFields + more
        if let authorization { lines.append("Authorization: \(authorization)") }
        if let host { lines.append("Host: \(host)") }
        return try service.ask(method, target, lines, body: body)
    }
}
