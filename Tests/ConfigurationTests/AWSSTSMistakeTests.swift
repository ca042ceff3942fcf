import Bytes
import Providers
import Testing

@testable import Configuration

/// What can be wrong with credentials of AWS's STS and with grants of their sessions.
@Suite(.timeLimit(.minutes(20)))
struct AWSSTSMistakeTests {
    private static let role = "roleArn: \"arn:aws:iam::111122223333:role/app\""
    private static let keys = "accessKey: \"AKIA-role\", secretKey: \"sts-secret\""
    private static let actions = "actions: [\"s3:PutObject\"]"
    private static let text: String = #"""
        {
          version: 1,
          credentials: {
            "role": { provider: "aws-sts", \#(keys), region: "eu-west-1", \#(role) },
          },
          authentication: { apiKeys: [{ id: "app", sha256: "\#(Sample.digest)" }] },
          grants: {
            "uploads": {
              route: "s3.credentials", credential: "role", callers: "apiKey:app", bucket: "files",
              keyPrefix: "in/", \#(actions),
            },
          },
        }
        """#

    /// In the credential.
    private static func credential(_ old: String, _ new: String, _ field: String, _ word: String) -> Mistake {
        Mistake(old, new, "credentials.role.\(field)", word, in: text)
    }

    /// In the grant.
    private static func grant(_ old: String, _ new: String, _ field: String, _ word: String) -> Mistake {
        Mistake(old, new, "grants.uploads.\(field)", word, in: text)
    }

    @Test func `the sample is right, and so are the other calls and servers that are not AWS`() throws {
        #expect(
            try Sample.load(Self.text).credentials[0].sessions?.source.endpoints.map(\.authority.text) == [
                "sts.eu-west-1.amazonaws.com"
            ])
        for (old, new) in [
            (Self.role, "call: \"federationToken\""), (Self.role, "endpoints: \"https://minio.example.com:9000\""),
            (Self.role, "\(Self.role), endpoints: \"http://127.0.0.1:9000\", sandbox: true"),
            (Self.role, "roleArn: \"arn:aws:iam::role/Up\", endpoints: \"https://weed.example.com\""),
            (Self.role, "\(Self.role), sessionToken: \"t\", externalId: \"ab\", sourceIdentity: \"ab\""),
            ("\(Self.keys), ", "call: \"webIdentity\", webIdentityTokenFile: \"oidc-token\", "),
            ("\(Self.keys), region: \"eu-west-1\", \(Self.role)", "call: \"webIdentity\", region: \"eu-west-1\""),
            ("eu-west-1\", \(Self.role)", "cn-north-1\", roleArn: \"arn:aws-cn:iam::111122223333:role/a/b\""),
        ] {
            let text = try #require(Self.text.replacingOnce(old, with: new))
            #expect(Sample.problems(in: text).map(\.reason) == [], "\(new)")
        }
    }

    @Test(
        "refuses accounts that no vendor has, and fields that another call has",
        arguments: [
            credential("region: \"eu-west-1\"", "‸region: \"EU\"", "region", "such as eu-west-1"),
            Mistake("\"role\": {", "‸\"role\": {", "credentials.role", "needs region", in: text)
                .without("region: \"eu-west-1\", "),
            Mistake("\"role\": {", "‸\"role\": {", "credentials.role.roleArn", "is needed where AWS is asked", in: text)
                .without(", \(role)"),
            credential(role, "‸roleArn: \"acs:ram::1:role/app\"", "roleArn", "arn:aws:iam::ACCOUNT:role/NAME"),
            credential(role, "‸roleArn: \"arn:aws:iam::1:user/application\"", "roleArn", "arn:aws:iam::ACCOUNT"),
            credential(role, "‸roleArn: \"arn:aws:iam::1:role/a b and c\"", "roleArn", "arn:aws:iam::ACCOUNT"),
            credential(role, "\(role), ‸partition: \"aws-cn\"", "partition", "must be that of roleArn, aws"),
            credential(role, "\(role), ‸partition: \"aws-eu\"", "partition", "\"aws-us-gov\""),
            credential(role, "call: \"federationToken\", ‸\(role)", "roleArn", "is not for call federationToken"),
            credential(role, "\(role), ‸endpoints: []", "endpoints", "must name at least one"),
            credential(
                role, "\(role), ‸endpoints: \"http://sts.example.com\"", "endpoints", "only this machine itself"),
            credential(
                role, "\(role), sandbox: true, ‸endpoints: \"https://sts.example.com\"", "endpoints",
                "must be on this machine with sandbox: true"),
            credential(role, "\(role), ‸s3Endpoint: \"https://a\"", "s3Endpoint", "host in lower case"),
            credential(role, "\(role), ‸externalId: \"a b\"", "externalId", "2 to 1,224 letters"),
            credential(role, "\(role), ‸sourceIdentity: \"g\"", "sourceIdentity", "2 to 64 letters"),
            credential(
                role, "call: \"federationToken\", ‸externalId: \"ab\"", "externalId", "is for call assumeRole only"),
            credential(
                role, "\(role), ‸webIdentityTokenFile: \"oidc-token\"", "webIdentityTokenFile", "call webIdentity only"),
            credential(
                "\(keys), ", "call: \"webIdentity\", ‸webIdentityTokenFile: \"gone\", ", "webIdentityTokenFile",
                "conf/gone cannot be read"),
            credential(
                "accessKey: \"AKIA-role\", ", "call: \"webIdentity\", ", "secretKey", "is not for call webIdentity"
            )
            .at("secretKey"),
            credential(
                role, "call: \"federationToken\", ‸sessionToken: \"t\"", "sessionToken", "is for call assumeRole only"),
            credential(keys, "secretKey: \"s\"", "accessKey", "is needed for call assumeRole").at("\"role\": {"),
            credential("AKIA-role\"", "AKIA/role\"", "accessKey", "must not contain /").at("accessKey"),
            credential(role, "\(role), ‸caFile: \"nothing\"", "caFile", "conf/nothing is empty"),
        ])
    func credentials(mistake: Mistake) throws { try mistake.check() }

    @Test(
        "refuses grants of sessions that STS would refuse, or that reach beyond the prefix (R17)",
        arguments: [
            grant(actions, "‸actions: \"oss:PutObject\"", "actions", "reaches beyond objects"),
            grant(actions, "‸actions: \"s3:*\"", "actions", "needs unscoped: true"),
            grant(actions, "‸actions: \"s3:ListBucket\"", "actions", "listPrefix: true"),
            grant(actions, "‸actions: \"PutObject\"", "actions", "such as s3:PutObject"),
            grant("keyPrefix: \"in/\"", "‸keyPrefix: \"in/*/\"", "keyPrefix", "hold no * ?"),
            grant("keyPrefix: \"in/\"", "‸keyPrefix: \"in\"", "keyPrefix", "must end in /"),
            grant(
                "keyPrefix: \"in/\", \(actions)",
                "keyPrefix: \"\(String(repeating: "报", count: 335))/\", ‸\(actions)", "actions",
                "longer than 2048 bytes"),
            grant(actions, "\(actions), ‸lifetime: \"14m\"", "lifetime", "from 15m to 12h"),
            grant(actions, "\(actions), ‸maxLifetime: \"13h\"", "maxLifetime", "from 15m to 12h"),
        ])
    func grants(mistake: Mistake) throws { try mistake.check() }
}
