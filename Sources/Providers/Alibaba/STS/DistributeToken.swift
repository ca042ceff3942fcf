import Access
import Bytes

/// `/distribute-token.json`: a temporary key of the vendor's own, narrowed to the grant's prefix, in the words of Alibaba's
/// SDKs.
enum DistributeToken {
    static let route = RouteDescription(
        "distribute-token", path: "/distribute-token.json",
        "A temporary access key for one prefix of a bucket, from Alibaba Cloud STS.", sessions: form,
        answer: RouteAnswer(
            [
                AnswerField("StatusCode", type: .integer, "200."), AnswerField("Code", "Success."),
                AnswerField("AccessKeyId", "The public half of the key."),
                AnswerField("AccessKeySecret", "The secret key."),
                AnswerField("SecurityToken", "What has to be sent along with every request."),
                AnswerField("Expiration", "When the key ends: 2015-11-03T09:52:59Z."),
                AnswerField(
                    "Scope", type: .object,
                    "What the key is for: `Bucket`, `Prefix` or `Key`, and `Region` and `Endpoint` where the credential has them."
                ),
            ], token: ["SecurityToken"], for: .alibabaSDK))

    static let form = SessionForm(
        policy: { _ in .oss }, longestKey: OSS.maximumKeyLength,
        names: (bucket: "Bucket", key: "Key", prefix: "Prefix"),
        place: { credential in
            JSONMembers { json in
                if let region = credential[STSAccount.fields.region] { json.add("Region", region) }
                if let endpoint = OSS.endpoint(credential) { json.add("Endpoint", endpoint.authority) }
            }
        },
        write: { $0.writeAnswer(for: $1, into: &$2) })
}

extension SessionCredential {
    /// Writes the whole JSON object that `/distribute-token.json` answers with. ali-oss copies all of its members into its own
    /// options, each with its first letter in lower case. So what a session is for stands in one member, `Scope`, which is no
    /// option of ali-oss; `Bucket`, `Region` or `Endpoint` beside the key would be.
    /// - Parameter scope: the members of that object.
    package func writeAnswer(for scope: JSONMembers, into out: inout ByteWriter) {
        out.append(object: { answer in
            answer.add("StatusCode", 200)
            answer.add("Code", "Success")
            answer.add("AccessKeyId", accessKeyID)
            addSecret(as: "AccessKeySecret", to: &answer)
            answer.add("SecurityToken", securityToken)
            answer.add("Expiration", time: expiresAt)
            answer.add("Scope", object: { $0.add(scope) })
        })
    }
}
