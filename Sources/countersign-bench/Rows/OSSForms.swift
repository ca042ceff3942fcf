extension Chapter {
    static let ossForms = Chapter(
        credentials: """
            "oss-forms": { provider: "oss", accessKey: "LTAI5texampleexample0001", secretKey: { env: "S" },
              region: "cn-hangzhou" },

            """,
        grants: """
            "oss-pictures": { route: "oss.post-policy", credential: "oss-forms", callers: ["anonymous"], public: true,
              bucket: "test-bucket", keyPrefix: "pictures/", maxSize: "10MiB", contentTypes: ["image/png", "image/jpeg"],
              callback: { callbackUrl: "https://app.example.com/done", callbackBody: "object=${object}&size=${size}" } },
            "oss-stage": { route: "oss.rtmp-url", credential: "oss-forms", callers: ["anonymous"], public: true,
              bucket: "test-bucket", channel: "stage-1" },

            """,
        rows: [
            .issuing("OSS form V4, issued", "oss.post-policy", form),
            .issuing("OSS form V1, issued", "oss.post-policy", form + "&version=v1"),
            .answering("OSS form V4, GET answered", Sample.get("/oss/post-policy?" + form)),
            .issuing("OSS RTMP URL, issued", "oss.rtmp-url", "playlist=live.m3u8"),
            .answering("OSS RTMP URL, GET answered", Sample.get("/oss/rtmp-url?playlist=live.m3u8")),
        ])

    private static let form = "key=pictures%2F2026%2Fimage-000001.jpg&contentType=image%2Fjpeg"
}
