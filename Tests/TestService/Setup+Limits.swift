extension Setup {
    /// Small sizes, standard times.
    static let small = Setup(
        name: "small",
        server: #"limits: { requestLine: "256B", headers: "1KiB", headerCount: 10, body: 512, jsonDepth: 2 }"#,
        rest: limitedGrants)

    /// One time that is short, everything else as it is by standard.
    static func hasty(_ limit: String) -> Setup {
        Setup(name: "hasty \(limit)", server: "limits: { \(limit) }", rest: limitedGrants)
    }

    /// A grant to ask within limits.
    static let limitedGrants = """
        grants: {
            "files": {
              route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
              bucket: "demo-files", unscoped: true,
            },
          },
        """
}
