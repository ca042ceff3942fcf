import Access
import Bytes

/// `/s3/credentials` and `/s3/sts`: temporary keys of STS, narrowed to the grant's prefix, in the words of those who fetch them.
enum S3Credentials {
    /// AWS SDKs read it as a container's credentials (`AWS_CONTAINER_CREDENTIALS_FULL_URI`), and as what a `credential_process` prints;
    /// they skip what they do not know.
    static let sdkRoute = RouteDescription(
        "s3.credentials", path: "/s3/credentials",
        "A temporary access key for one prefix of a bucket, in the words of AWS's SDKs.",
        sessions: form(names: ("Bucket", "Key", "Prefix"), region: "Region", endpoint: "Endpoint") {
            credential, scope, answer in
            answer.add("Version", 1)
            credential.writeMembers(into: &answer)
            answer.add("Token", credential.securityToken)
            answer.add("Scope", object: { $0.add(scope) })
        },
        answer: RouteAnswer(
            [
                AnswerField("Version", type: .integer, "1, which `credential_process` needs."),
                AnswerField("AccessKeyId", "The public half of the key."),
                AnswerField("SecretAccessKey", "The secret key."),
                AnswerField("SessionToken", "What has to be sent along with every request."),
                AnswerField("Expiration", "When the key ends: 2015-11-03T09:52:59Z."),
                AnswerField("Token", "The same as `SessionToken`, as a container's credentials have it."),
                AnswerField(
                    "Scope", type: .object,
                    "What the key is for: `Bucket`, `Prefix` or `Key`, `Region`, and `Endpoint` where the credential has one."
                ),
            ], token: ["SessionToken"], isWhole: true))

    /// Uppy reads it where Companion gives it, and its `getCredentials` in the other spelling.
    static let uppyRoute = RouteDescription(
        "s3.sts", path: "/s3/sts", "A temporary access key for one prefix of a bucket, in the words of Uppy.",
        sessions: form(names: ("bucket", "key", "keyPrefix"), region: "region", endpoint: "endpoint") {
            credential, scope, answer in
            answer.add(
                "credentials",
                object: { members in
                    credential.writeMembers(into: &members)
                    members.add("accessKeyId", credential.accessKeyID)
                    credential.addSecret(as: "secretAccessKey", to: &members)
                    members.add("sessionToken", credential.securityToken)
                    members.add("expiration", time: credential.expiresAt)
                })
            answer.add(scope)
        },
        answer: RouteAnswer(
            [
                AnswerField(
                    "credentials", type: .object,
                    "`AccessKeyId`, `SecretAccessKey`, `SessionToken` and `Expiration`, and the same as `accessKeyId`, "
                        + "`secretAccessKey`, `sessionToken` and `expiration`."),
                AnswerField("bucket", "The bucket."), AnswerField("key", "The one key that it is for."),
                AnswerField("keyPrefix", "What the keys begin with that it is for."),
                AnswerField("region", "The bucket's region."),
                AnswerField("endpoint", "The bucket's host, where the credential has one."),
            ], token: ["SessionToken"], isWhole: true))

    private static func form(
        names: (bucket: StaticString, key: StaticString, prefix: StaticString), region: StaticString,
        endpoint: StaticString,
        write: @escaping @Sendable (SessionCredential, _ scope: JSONMembers, inout JSONObject) -> Void
    ) -> SessionForm {
        SessionForm(
            policy: { .s3(in: AWSSTSAccount.partition($0)) }, longestKey: ObjectKeyRule.maximumLength, names: names,
            place: { credential in
                JSONMembers { json in
                    if let name = credential[AWSSTSAccount.fields.region] { json.add(region, name) }
                    if let host = credential[AWSSTSAccount.fields.s3Endpoint] { json.add(endpoint, host) }
                }
            },
            write: { credential, scope, out in out.append(object: { write(credential, scope, &$0) }) })
    }
}

extension SessionCredential {
    /// As AWS's SDKs spell them.
    fileprivate func writeMembers(into object: inout JSONObject) {
        object.add("AccessKeyId", accessKeyID)
        addSecret(as: "SecretAccessKey", to: &object)
        object.add("SessionToken", securityToken)
        object.add("Expiration", time: expiresAt)
    }
}
