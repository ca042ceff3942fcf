extension Setup {
    /// A pair that signed before.
    static let (oldKey, oldSecret) = ("e2e-old-access-key", "the-old-secret-of-the-end-to-end-tests")

    /// - Parameter until: when the old pair ends; nil for a configuration of the old pair alone.
    static func previousKeys(until: Int64?) -> Setup {
        func pair(_ key: String, _ secret: String) -> String {
            let old = "{ accessKey: \"\(oldKey)\", secretKey: \"\(oldSecret)\", until: \"\(iso8601(until ?? 0))\" }"
            return until == nil
                ? "accessKey: \"\(oldKey)\", secretKey: \"\(oldSecret)\""
                : "accessKey: \"\(key)\", secretKey: \"\(secret)\", previous: [\(old)]"
        }
        return Setup(
            name: "previous",
            credentials: """
                credentials: {
                    "qiniu": { provider: "qiniu", \(pair(Setup.qiniuAccessKey, Setup.qiniuSecret)) },
                    "oss": { provider: "oss", \(pair(Setup.ossAccessKey, Setup.ossSecret)) },
                  }
                """,
            rest: """
                grants: {
                    "done": { route: "qiniu.callback", credential: "qiniu",
                      publicURL: "https://app.example.com/hooks/done", reply: { key: "done" } },
                    "photos": { route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "photos/" },
                    "objects": { route: "oss.sign", credential: "oss", callers: ["anonymous"], public: true,
                      bucket: "demo-bucket", keyPrefix: "demo/", methods: ["PUT"] },
                  },
                  reload: { watch: false },
                """)
    }
}
