extension NOS {
    /// What `countersign init` writes for it.
    static let sample = StartingSample(
        variable: "NOS_SECRET_KEY",
        credential: """
            "nos": {
              provider: "nos", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "NOS_SECRET_KEY" },
              endpoint: "nos-eastchina1.126.net",
            },
            """,
        grants: """
            // Uploads of single objects to NetEase NOS.
            "files": {
              route: "nos.token", credential: "nos", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "inbox/${caller.id}/", lifetime: "10m",
            },
            // URLs to download them.
            "links": {
              route: "nos.presigned-url", credential: "nos", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "inbox/${caller.id}/", methods: ["GET"], lifetime: "10m",
            },
            // Lists of keys: the service asks NOS, and returns only the keys below the prefix.
            "file-list": {
              route: "nos.files", credential: "nos", callers: ["CALLERS"],
              bucket: "<YOUR-BUCKET>", keyPrefix: "inbox/${caller.id}/",
            },
            """,
        policyTests: """
            { caller: "CALLER", route: "nos.token", parameters: { object: "inbox/NAME/a.jpg" }, expect: "allow" },
            { caller: "CALLER", route: "nos.token", parameters: { object: "inbox/other/a.jpg" }, expect: "deny" },
            """)
}
