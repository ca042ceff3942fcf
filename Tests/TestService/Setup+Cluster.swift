extension Setup {
    /// One of several replicas that share a limit of `perGrant`, and one of `perCaller`.
    static func replica(_ name: String, of redis: RedisProcess, beside more: String = "", _ rest: String = "") -> Setup
    {
        Setup(
            name: name,
            rest: """
                authentication: {
                    apiKeys: [\(APIKey.alice.entry)],
                    tickets: { secret: "f1e2d3c4b5a6978869584a3b2c1d0e0ff1e2d3c4b5a6978869584a3b2c1d0e0f" },
                  },
                  cluster: {
                    servers: ["redis://127.0.0.1:\(redis.port)"], instance: "\(name)", timeout: "300ms",
                    key: "\(clusterKey)", \(more)
                  },
                  grants: {
                    "limited": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "photos/", rate: { perGrant: "1000/h" },
                    },
                    "few": {
                      route: "qiniu.uptoken", credential: "qiniu", callers: ["apiKey:alice"],
                      bucket: "demo-media", keyPrefix: "few/", rate: { perCaller: "60/h" },
                    },
                  },
                  \(rest)
                """)
    }

    /// One of several replicas that ask for sessions: the sandbox, or another vendor at a port.
    static func sessionReplica(_ name: String, of redis: RedisProcess, asking vendor: SessionVendor? = nil) -> Setup {
        let credential = vendor.map { vendor in
            """
            provider: "sts", accessKey: "LTAI5e2e", secretKey: "secret-of-the-end-to-end-tests", roleArn: "\(roleARN)",
                  endpoints: "http://127.0.0.1:\(vendor.port)"
            """
        }
        return Setup(
            name: name,
            credentials: "credentials: { \"sts\": { \(credential ?? RunningSandbox.credential), \(patient) } }",
            rest: """
                cluster: { servers: "redis://127.0.0.1:\(redis.port)", instance: "\(name)", key: "\(clusterKey)" },
                  grants: {
                    "photos": {
                      route: "distribute-token", credential: "sts", callers: ["anonymous"], public: true,
                      bucket: "demo-media", keyPrefix: "photos/", actions: ["oss:PutObject"], shareAcrossCallers: true,
                    },
                  },
                """)
    }

    static let clusterKey = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0"
}
