import Testing

@testable import Configuration

@Suite(.timeLimit(.minutes(20)))
struct GrantMistakeTests {
    private static let photos = "route: \"qiniu.uptoken\", credential: \"kodo\", callers: [\"apiKey:app\"]"
    private static let keyLimit = ",\n        keylimit: [\"shared/a\", \"shared/b\"]"
    private static let shared = "route: \"qiniu.uptoken\", credential: \"kodo\", callers: \"anonymous\", public: true,"
    private static let sign = "route: \"oss.sign\", credential: \"oss\", callers: [\"apiKey:app\", \"apiKey:backend\"]"
    private static let photosPrefix = "keyPrefix: \"photos/${caller.id}/\""
    private static let avatarsKey = "key: \"avatars/${caller.source}/${date.yyyy}/${uuid}.${ext}\""
    private static let rest = ", credential: \"kodo\", callers: [\"apiKey:app\"]"

    @Test(
        "refuses routes and credentials that do not go together (R4)",
        arguments: [
            Mistake(photos, "‸route: \"qiniu.uptokne\"\(rest)", "grants.photos.route", "did you mean qiniu.uptoken?"),
            Mistake(photos, "‸route: \"nobody.sessions\"\(rest)", "grants.photos.route", "is not known; there are "),
            Mistake(
                photos, "‸route: [\"nos.token\"]\(rest)", "grants.photos.route",
                "one of qiniu.uptoken, qiniu.download-url"),
            Mistake(
                "\"photos\": {\n      route: \"qiniu.uptoken\", ", "‸\"photos\": { ", "grants.photos", "needs route"),
            Mistake("  \"sign\": {", "  ‸\"two\": 5, \"sign\": {", "grants.two", "must be an object"),
            Mistake("\"photos\": {\n      \(photos)", "‸\"\": {\(photos)", "grants[\"\"]", "name of 1 to 128 bytes"),
            Mistake(
                "\"photos\": {\n      \(photos)", "‸\"a\\tb\": {\(photos)", "grants[\"a\\tb\"]", "control characters"),
            Mistake("credential: \"nos\"", "‸credential: \"nos2\"", "grants.files.credential", "did you mean nos?"),
            Mistake(
                "credential: \"nos\"", "‸credential: \"zzzzzzz\"", "grants.files.credential", "there are kodo, nos"),
            Mistake("credential: \"nos\"", "‸credential: \"kodo\"", "grants.files.credential", "one of nos"),
            Mistake("credential: \"nos\"", "‸credential: {}", "grants.files.credential", "string"),
            Mistake(
                "\"files\": {\n      route: \"nos.token\", credential: \"nos\",",
                "‸\"files\": { route: \"nos.token\",", "grants.files", "needs credential"),
            Mistake("presign: \"5m\"", "presign: \"5m\", ‸lifetime: \"1h\"", "grants.sign.lifetime", "is not known"),
            Mistake("presign: \"5m\"", "presign: \"5m\", ‸rates: {}", "grants.sign.rates", "is not known"),
            Mistake("presign: \"5m\"", "presign: \"5m\", ‸policy: {}", "grants.sign.policy", "is not known"),
        ])
    func routes(mistake: Mistake) throws { try mistake.check() }

    @Test(
        "refuses callers that nobody is, and anonymous ones by accident (R8, R10)",
        arguments: [
            Mistake(photos, photos.at("\"apiKey:ap\""), "grants.photos.callers[0]", "did you mean apiKey:app?"),
            Mistake(photos, photos.at("\"apiKey:zzzzzz\""), "grants.photos.callers[0]", "names no API key"),
            Mistake(
                photos, photos.at("\"key:login\""), "grants.photos.callers[0]",
                "\"apiKey:ID\", \"jwt:ID\" or \"certificate:ID\""),
            Mistake(photos, photos.at("\"app\""), "grants.photos.callers[0]", "\"anonymous\", "),
            Mistake(photos, photos.at("\"Anonymous\""), "grants.photos.callers[0]", "\"anonymous\", "),
            Mistake(photos, photos.at("7"), "grants.photos.callers[0]", "string"),
            Mistake(
                photos, photos.dropLast() + ", ‸\"apiKey:app\"]", "grants.photos.callers[1]",
                "in the list already"),
            Mistake("callers: [\"authenticated\"]", "‸callers: []", "grants.avatars.callers", "must name somebody"),
            Mistake("callers: [\"authenticated\"]", "‸callers: {}", "grants.avatars.callers", "list of strings"),
            Mistake(
                "\"avatars\": {\n      route: \"qiniu.uptoken\", credential: \"kodo\", callers: [\"authenticated\"],",
                "‸\"avatars\": { route: \"qiniu.uptoken\", credential: \"kodo\",", "grants.avatars", "needs callers"),
            Mistake(
                "callers: \"anonymous\", public: true", "‸callers: \"anonymous\"", "grants.shared.callers", "(R10)"),
            Mistake(
                "callers: \"anonymous\", public: true", "‸callers: \"anonymous\", public: false",
                "grants.shared.callers", "public: true"),
            Mistake(
                "callers: \"anonymous\", public: true", "callers: \"authenticated\", ‸public: true",
                "grants.shared.public", "anonymous is not among"),
            Mistake(
                "callers: \"anonymous\", public: true", "callers: \"anonymous\", ‸public: 1",
                "grants.shared.public", "true or false"),
        ])
    func callers(mistake: Mistake) throws { try mistake.check() }

    @Test(
        "refuses grants without a scope, and keys that no client could have (R13)",
        arguments: [
            Mistake("\"avatars\": {", "‸\"avatars\": {", "grants.avatars", "needs bucket and key or keyPrefix")
                .without("bucket: \"media\",\n      key: \"avatars/${caller.source}/${date.yyyy}/${uuid}.${ext}\", ")
                .without("extensions: [\"jpg\", \"png\"],"),
            Mistake("\"sign\": {", "‸\"sign\": {", "grants.sign", "needs bucket and keyPrefix; a grant for more")
                .without("keyPrefix: \"users/${caller.source}/\","),
            Mistake("\"photos\": {", "‸\"photos\": {", "grants.photos", "needs bucket").without("\(photosPrefix), "),
            Mistake("\"files\": {", "‸\"files\": {", "grants.files", "unscoped: true").without(", unscoped: true"),
            Mistake("unscoped: true", "‸unscoped: true, keyPrefix: \"x/\"", "grants.files.unscoped", "has a scope"),
            Mistake("bucket: \"app-objects\"", "‸bucket: \"a/b\"", "grants.sign.bucket", "letters, digits"),
            Mistake("bucket: \"app-objects\"", "‸bucket: \"a:b\"", "grants.sign.bucket", "letters, digits"),
            Mistake("bucket: \"app-objects\"", "‸bucket: 1", "grants.sign.bucket", "string"),
            Mistake("presign: \"5m\"", "presign: \"5m\", ‸key: \"a\"", "grants.sign.key", "is not known"),
            Mistake(photosPrefix, "key: \"a\", ‸\(photosPrefix)", "grants.photos.keyPrefix", "cannot stand beside key"),
            prefix("photos", "must end in /"), prefix("photos/a${uuid}", "must end in /"),
            prefix("/photos/", "begin with /"),
            prefix("photos/../", "segments . or .."), prefix("./photos/", "segments . or .."), prefix("..", "segments"),
            prefix("photos/$(etag)/", "a $ must begin a placeholder"),
            prefix("photos/$/", "a $ must begin a placeholder"),
            prefix("photos\\u0001/", "control characters"), prefix("photos\\n/", "control characters"),
            prefix("", "empty"), prefix(String(repeating: "x", count: 750) + "/", "longer than the vendor allows"),
            Mistake(photosPrefix, "‸key: \"/a\"", "grants.photos.key", "must not begin with /"),
            Mistake(photosPrefix, "‸key: \"a/..\"", "grants.photos.key", "segments"),
            Mistake(photosPrefix, "‸key: \"\(String(repeating: "x", count: 751))\"", "grants.photos.key", "longer"),
            Mistake(
                ", unscoped: true", ", ‸key: \"\(String(repeating: "x", count: 1001))\"", "grants.files.key", "longer"),
            Mistake(
                "keyPrefix: \"users/${caller.source}/\"", "‸keyPrefix: \"\(String(repeating: "x", count: 1023))/\"",
                "grants.sign.keyPrefix", "longer"),
        ])
    func scopes(mistake: Mistake) throws { try mistake.check() }

    private static func prefix(_ text: String, _ word: String) -> Mistake {
        Mistake(photosPrefix, "‸keyPrefix: \"\(text)\"", "grants.photos.keyPrefix", word)
    }

    @Test(
        "refuses templates with placeholders that cannot be filled in, or not for one caller alone (R14)",
        arguments: [
            prefix("${caller.name}/", "${caller.name} is not known; there are ${caller.id}"),
            prefix("${}/", "is not known"), prefix("${caller.id/", "a $ must begin a placeholder"),
            prefix("${ caller.id }/", "is not known"), prefix("${CALLER.ID}/", "is not known"),
            prefix("${claims.sub}/", "only callers jwt:ID"),
            prefix("${sha256:claims.sub}/", "only callers jwt:ID"),
            prefix("${caller.id}${caller.source}/", "two values of the caller's in one path segment"),
            prefix("${caller.id}${uuid}${caller.id}/", "two values"),
            prefix("a/${ext}/", "cannot have ${ext}"), prefix("a/b.${ext}", "cannot have ${ext}"),
            Mistake(avatarsKey, "‸key: \"${caller.source}${ext}\"", "grants.avatars.key", "two values"),
            Mistake(avatarsKey, "key: \"${caller.source}/a.jpg\"", "grants.avatars.extensions", "needs ${ext} in key")
                .at("extensions: ["),
            Mistake(photosPrefix, "\(photosPrefix), ‸extensions: [\"a\"]", "grants.photos.extensions", "needs ${ext}"),
            Mistake("extensions: [\"jpg\", \"png\"]", "‸extensions: []", "grants.avatars.extensions", "at least one"),
            extensions("JPG"), extensions(".jpg"), extensions("jpegimage"), extensions("名"),
            Mistake(
                "endUser: \"${caller.id}\"", "‸endUser: \"${user}\"", "grants.photos.policy.endUser", "is not known"),
        ])
    func templates(mistake: Mistake) throws { try mistake.check() }

    private static func extensions(_ name: String) -> Mistake {
        Mistake("[\"jpg\", \"png\"]", "[\"jpg\", ‸\"\(name)\"]", "grants.avatars.extensions[1]", "1 to 8 of a-z 0-9")
    }

    @Test(
        "refuses placeholders for a caller's name where callers of different identities could meet (R9)",
        arguments: [
            Mistake(
                avatarsKey, "‸key: \"a/${caller.id}/b.${ext}\"", "grants.avatars.key", "must have ${caller.source}"),
            Mistake(
                "keyPrefix: \"users/${caller.source}/\"", "‸keyPrefix: \"users/${caller.id}/\"",
                "grants.sign.keyPrefix", "must have ${caller.source}"),
            Mistake(
                "keyPrefix: \"shared/\",\n      policy: { saveKey: \"shared/$(etag)\", forceSaveKey: true, ",
                "‸keyPrefix: \"${caller.id}/\", policy: { ", "grants.shared.keyPrefix", "anonymous callers have no name"
            ).without(keyLimit),
            Mistake(
                "keyPrefix: \"shared/\",\n      policy: { saveKey: \"shared/$(etag)\", forceSaveKey: true, ",
                "‸keyPrefix: \"${caller.source}/\", policy: { ", "grants.shared.keyPrefix", "(R9)"
            ).without(keyLimit),
            Mistake(
                "returnUrl: \"https://app.example.com/\"", "‸endUser: \"${caller.source}\"",
                "grants.shared.policy.endUser", "anonymous"),
            Mistake(
                "extensions: [\"jpg\", \"png\"]", "policy: { ‸endUser: \"${caller.id}\" }",
                "grants.avatars.policy.endUser", "must have ${caller.source}"),
        ])
    func identities(mistake: Mistake) throws { try mistake.check() }

    @Test
    func `caller.source may be shared by all who are known, caller.id by the keys of one id (R9)`() throws {
        _ = try Sample.load(Sample.text)
        let text = Sample.text.replacing("id: \"backend\"", with: "id: \"app\"")
            .replacing("\"apiKey:app\", \"apiKey:backend\"", with: "\"apiKey:app\"")
            .replacing("apiKey:backend", with: "apiKey:app")
        #expect(try Sample.load(text).grants.count == 6)
    }

    @Test(
        "refuses lifetimes that cannot be (R5)",
        arguments: [
            lifetime("\"0s\""), lifetime("\"-1s\""), lifetime("\"8d\""), lifetime("\"10 m\""), lifetime("\"1.5h\""),
            lifetime("600"), lifetime("\"9223372036854775808s\""), lifetime("\"1500ms\""), lifetime("\"\""),
            Mistake(
                "maxLifetime: \"1h\"", "‸maxLifetime: \"9m\"", "grants.photos.maxLifetime", "shorter than lifetime"),
            Mistake("maxLifetime: \"1h\"", "‸maxLifetime: \"8d\"", "grants.photos.maxLifetime", "from 1s to 7d"),
            Mistake("maxLifetime: \"7d\"", "‸maxLifetime: \"169h\"", "grants.files.maxLifetime", "from 1s to 7d"),
        ])
    func lifetimes(mistake: Mistake) throws { try mistake.check() }

    private static func lifetime(_ text: String) -> Mistake {
        Mistake(
            "lifetime: \"10m\", ", "‸lifetime: \(text), ", "grants.photos.lifetime", "in whole seconds, from 1s to 7d")
    }
}

extension String {
    /// The fields of a grant for `apiKey:app`, for another caller, which is marked.
    fileprivate func at(_ caller: String) -> String { replacing("\"apiKey:app\"", with: "‸" + caller) }
}
