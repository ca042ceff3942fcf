/// What is the service's own, whatever the provider.
extension Chapter {
    static let service = Chapter(rows: [
        .answering("liveness answered", Sample.get("/livez")),
        .answering("unknown path refused", Sample.get("/nothing"), status: 404),
        .answering("key outside the grant refused", Sample.get("/qiniu/uptoken?key=other%2F1.jpg"), status: 403),
        .answering(
            "wrong API key refused", Sample.get("/qiniu/uptoken?key=photos%2F1.jpg", "X-API-Key: wrong"), status: 401),
    ])
}
