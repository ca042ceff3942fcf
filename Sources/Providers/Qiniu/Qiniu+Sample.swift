extension Qiniu {
    /// What `countersign init` writes for it.
    static let sample = StartingSample(
        variable: "QINIU_SECRET_KEY",
        credential: """
            "qiniu": { provider: "qiniu", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "QINIU_SECRET_KEY" } },
            """,
        grants: """
            // Uploads to Qiniu below photos/: images of at most 5 MiB, for ten minutes. Existing objects are not overwritten.
            "photos": {
              route: "qiniu.uptoken", credential: "qiniu", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "photos/${caller.id}/",
              lifetime: "10m", maxLifetime: "1h",
              policy: { fsizeLimit: "5MiB", mimeLimit: "image/jpeg;image/png" },
            },
            // URLs to download them from the private domain of the bucket.
            "pictures": {
              route: "qiniu.download-url", credential: "qiniu", callers: ["CALLERS"],
              domain: "<YOUR-DOMAIN>", keyPrefix: "photos/${caller.id}/", lifetime: "10m",
            },
            // Lists of keys: the service asks Kodo, and returns only the keys below the prefix.
            "listing": {
              route: "qiniu.files", credential: "qiniu", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "photos/${caller.id}/",
            },
            """,
        policyTests: """
            {
              caller: "CALLER", route: "qiniu.uptoken", parameters: { key: "photos/NAME/a.jpg" },
              expect: "allow", gives: { grant: "photos", key: "photos/NAME/a.jpg", lifetime: "10m" },
            },
            { caller: "CALLER", route: "qiniu.uptoken", parameters: { key: "photos/other/a.jpg" }, expect: "deny" },
            { caller: "anonymous", route: "qiniu.uptoken", expect: "unauthenticated" },
            """)
}
