import Testing

@testable import Configuration

/// What can be wrong with credentials of STS and with grants of their sessions.
@Suite(.timeLimit(.minutes(20)))
struct SessionMistakeTests {
    private static let role = "roleArn: \"acs:ram::1:role/app\""
    private static let endpoints =
        "endpoints: [\"https://sts.cn-hangzhou.aliyuncs.com\", \"https://sts.internal:8443\"]"
    private static let keys = "accessKey: \"LTAI-role\", secretKey: { env: \"ROLE_SECRET_KEY\" }, identity: \"key\""
    private static let caFile = "caFile: \"ca.pem\""

    /// In the credential `role`.
    private static func credential(_ old: String, _ new: String, _ field: String, _ word: String) -> Mistake {
        Mistake(old, new, "credentials.role.\(field)", word)
    }

    private static func endpoint(_ text: String, _ word: String) -> Mistake {
        credential(endpoints, "‸endpoints: \(text)", "endpoints", word)
    }

    @Test(
        "refuses roles and endpoints that no vendor has (R17)",
        arguments: [
            Mistake("\"role\": {", "‸\"role\": {", "credentials.role", "needs roleArn").without("\(role), "),
            credential(role, "‸roleArn: \"app\"", "roleArn", "acs:ram::ACCOUNT:role/NAME"),
            credential(role, "‸roleArn: \"acs:ram::1:user/app\"", "roleArn", "acs:ram::ACCOUNT:role/NAME"),
            credential(role, "‸roleARN: \"acs:ram::1:role/app\"", "roleARN", "did you mean roleArn?"),
            endpoint("[]", "at least one endpoint"), endpoint("\"sts.aliyuncs.com\"", "begin with https://"),
            endpoint("\"http://sts.aliyuncs.com\"", "only this machine itself"),
            endpoint("\"https://sts.aliyuncs.com/path\"", "must name a host"),
            endpoint("[\"https://a.com\", \"https://A.com:443/\"]", "names an endpoint twice"),
            endpoint("\"sandbox\"", "where a countersign-sandbox listens, such as \"http://127.0.0.1:8090\""),
            endpoint("[\"https://a.com\", \"Sandbox\"]", "with sandbox: true and the accessKey and secretKey"),
            credential(endpoints, "\(endpoints), ‸region: \"Hangzhou\"", "region", "such as cn-hangzhou"),
            credential(endpoints, "‸region: \"Hangzhou\"", "region", "such as cn-hangzhou"),
            credential(endpoints, "‸region: \"oss-cn-hangzhou\"", "region", "such as cn-hangzhou"),
            credential(endpoints, "\(endpoints), ‸ossEndpoint: \"https://oss\"", "ossEndpoint", "host in lower case"),
            credential(endpoints, "\(endpoints), ‸signingLifetime: \"14m\"", "signingLifetime", "from 15m to 12h"),
            credential(endpoints, "\(endpoints), ‸signingLifetime: \"13h\"", "signingLifetime", "from 15m to 12h"),
            credential("signature: \"rpc\"", "‸signature: \"v4\"", "signature", "\"acs3\" or \"rpc\""),
            credential("externalId: \"partner-7\"", "‸externalId: \"a b\"", "externalId", "2 to 1,224 letters"),
            credential("sourceIdentity: \"gate\"", "‸sourceIdentity: \"g\"", "sourceIdentity", "2 to 64 letters"),
            credential(caFile, "‸caFile: \"missing\"", "caFile", "conf/missing cannot be read"),
            credential(caFile, "‸caFile: \"nothing\"", "caFile", "conf/nothing is empty"),
            credential(caFile, "‸caFile: \"pipe\"", "caFile", "conf/pipe is a pipe"),
            credential(caFile, "‸caFile: \"writable\"", "caFile", "anybody on this machine can change"),
            credential(caFile, "‸caFile: \"oidc-token\"", "caFile", "no certificate in PEM"),
            credential(caFile, "\(caFile), ‸sandbox: 1", "sandbox", "true or false"),
        ])
    func roles(mistake: Mistake) throws { try mistake.check() }

    /// The credential `role` with these keys and this identity instead of its own.
    private static func identity(_ new: String, _ field: String, _ word: String) -> Mistake {
        credential(keys, new, field, word)
    }

    @Test(
        "refuses identities that the service cannot have, and keys that it would not use",
        arguments: [
            identity("‸identity: \"file\"", "identity", "\"key\" or \"environment\""),
            identity("secretKey: \"s\"", "accessKey", "is needed for identity key").at("\"role\": {"),
            identity("accessKey: \"a\"", "secretKey", "is needed for identity key").at("\"role\": {"),
            identity("‸accessKey: \"a b\", secretKey: \"s\"", "accessKey", "printable ASCII"),
            identity("identity: \"environment\", ‸accessKey: \"a\"", "accessKey", "is for identity key only"),
            identity("identity: \"ecs\", ‸secretKey: \"s\"", "secretKey", "is for identity key only"),
            identity("identity: \"oidc\", ‸secretKey: \"s\"", "secretKey", "is for identity key only"),
            identity("\(keys), ‸ecsRole: \"r\"", "ecsRole", "is for identity ecs only"),
            identity("identity: \"ecs\", ‸ecsRole: \"a/b\"", "ecsRole", "a role's name"),
            identity("\(keys), ‸oidcRoleArn: \"acs:ram::1:role/b\"", "oidcRoleArn", "is for identity oidc only"),
            identity("identity: \"ecs\", ‸oidcProviderArn: \"x\"", "oidcProviderArn", "is for identity oidc only"),
            identity("identity: \"environment\", ‸oidcTokenFile: \"x\"", "oidcTokenFile", "identity oidc only"),
            identity("identity: \"oidc\", ‸oidcRoleArn: \"b\"", "oidcRoleArn", "acs:ram::ACCOUNT:role/NAME"),
            identity("identity: \"oidc\", ‸oidcProviderArn: \"acs:ram::1:role/b\"", "oidcProviderArn", "oidc-provider"),
            identity("identity: \"oidc\", ‸oidcTokenFile: \"gone\"", "oidcTokenFile", "conf/gone cannot be read"),
            identity("identity: \"oidc\", ‸oidcTokenFile: \"/gone\"", "oidcTokenFile", "the file /gone cannot be read"),
            identity("identity: \"oidc\", ‸oidcTokenFile: \"nothing\"", "oidcTokenFile", "conf/nothing is empty"),
            identity("identity: \"oidc\", ‸oidcTokenFile: \"writable\"", "oidcTokenFile", "can change it"),
        ])
    func identities(mistake: Mistake) throws { try mistake.check() }

    private static func limit(_ name: String, _ old: String, _ new: String, _ word: String) -> Mistake {
        credential("\(name): \(old)", "‸\(name): \(new)", "limits.\(name)", word)
    }

    @Test(
        "holds the limits of calls to their bounds, and attempts to their call's",
        arguments: [
            limit("callTimeout", "\"4s\"", "\"99ms\"", "from 100ms to 1m"),
            limit("callTimeout", "\"4s\"", "\"61s\"", "from 100ms to 1m"),
            limit("callTimeout", "\"4s\"", "6", "a duration such as"),
            limit("attemptTimeout", "\"1500ms\"", "\"4001ms\"", "must not be longer than callTimeout"),
            limit("attemptTimeout", "\"1500ms\"", "\"31s\"", "from 100ms to 30s"),
            limit("attempts", "3", "0", "from 1 to 10"), limit("attempts", "3", "11", "from 1 to 10"),
            limit("callsPerSecond", "20", "0", "from 1 to 1000"), limit("callBurst", "10", "1001", "from 1 to 1000"),
            limit("sessions", "5000", "1", "from 2 to 1000000"), limit("waiters", "2000", "-1", "from 1 to 1000000"),
            limit("waitersPerSession", "200", "1000001", "from 1 to 1000000"),
            limit("patience", "\"900ms\"", "\"0s\"", "from 100ms to 1m"),
            credential("attempts: 3", "attempts: 3, ‸retries: 3", "limits.retries", "is not known"),
            credential("\"4s\", ", "\"1s\", ", "limits.attemptTimeout", "must not be longer")
                .without("attemptTimeout: \"1500ms\", ").at("limits: {\n        callTimeout"),
        ])
    func limits(mistake: Mistake) throws { try mistake.check() }

    private static let actions = "actions: [\"oss:PutObject\", \"oss:AbortMultipartUpload\"]"
    private static let prefix = "keyPrefix: \"uploads/${caller.id}/\""
    private static let name = "sessionName: \"app-${caller.id}\""
    private static let lifetime = "lifetime: \"15m\", maxLifetime: \"2h\""

    /// In the grant `uploads`.
    private static func grant(_ old: String, _ new: String, _ field: String, _ word: String) -> Mistake {
        Mistake(old, new, "grants.uploads.\(field)", word)
    }

    @Test(
        "refuses grants of sessions that the vendor would refuse, or that reach beyond the prefix (R17)",
        arguments: [
            Mistake(
                "credential: \"role\"", "‸credential: \"oss\"", "grants.uploads.credential",
                "is one of provider oss; this route needs one of sts"),
            Mistake(
                "credential: \"oss\"", "‸credential: \"role\"", "grants.sign.credential", "needs one of oss"),
            Mistake("\"uploads\": {", "‸\"uploads\": {", "grants.uploads", "needs actions").without("\(actions), "),
            grant(actions, "‸actions: []", "actions", "at least one action"),
            grant(actions, "‸actions: \"oss:*\"", "actions", "needs unscoped: true"),
            grant(actions, "‸actions: \"oss:PutObjectAcl\"", "actions", "reaches beyond objects"),
            grant(actions, "‸actions: \"ecs:RunInstances\"", "actions", "reaches beyond objects"),
            grant(actions, "‸actions: \"oss:ListObjects\"", "actions", "listPrefix: true"),
            grant(actions, "‸actions: \"PutObject\"", "actions", "such as oss:PutObject"),
            grant(prefix, "‸keyPrefix: \"uploads/*/\"", "keyPrefix", "hold no * ?"),
            grant(prefix, "‸keyPrefix: \"uploads\"", "keyPrefix", "must end in /"),
            grant(prefix, "‸keyPrefix: \"uploads/${uuid}/\"", "keyPrefix", "every request another session"),
            grant(prefix, "‸key: \"uploads/a\"", "key", "is not known"),
            grant("\(prefix), ", "‸key: \"uploads/a\", ", "key", "is not known"),
            grant(name, "‸sessionName: \"${uuid}\"", "sessionName", "every request another session"),
            grant(name, "‸sessionName: \"a.${ext}\"", "sessionName", "nobody asks for a key"),
            grant(
                "\(name), outliveCaller: true, shareAcrossCallers: false",
                "‸\(name), shareAcrossCallers: true", "sessionName", "must not name the caller"),
            grant("outliveCaller: true", "‸outliveCaller: \"yes\"", "outliveCaller", "true or false"),
            grant("listPrefix: true", "‸listPrefix: 1", "listPrefix", "true or false"),
            grant("shareAcrossCallers: false", "‸shareAcrossCallers: 0", "shareAcrossCallers", "true or false"),
            grant("listPrefix: true", "listPrefix: true, ‸narrow: 1", "narrow", "true or false"),
            grant(
                "bucket: \"uploads\", \(prefix), ", "bucket: \"uploads\", unscoped: true, ‸narrow: true, ", "narrow",
                "needs keyPrefix"),
            grant(lifetime, "‸lifetime: \"899s\"", "lifetime", "from 15m to 12h"),
            grant(lifetime, "lifetime: \"15m\", ‸maxLifetime: \"13h\"", "maxLifetime", "from 15m to 12h"),
            grant(lifetime, "‸maxLifetime: \"10m\"", "maxLifetime", "from 15m to 12h"),
            grant(lifetime, "lifetime: \"1h\", ‸maxLifetime: \"30m\"", "maxLifetime", "shorter than lifetime"),
            Mistake(
                "bucket: \"uploads\", \(prefix), ", "unscoped: true, ", "grants.uploads.bucket",
                "the session's policy names it"
            ).at("\"uploads\": {"),
        ])
    func grants(mistake: Mistake) throws { try mistake.check() }
}
