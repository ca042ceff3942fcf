import Access
import Bytes
import Providers

/// A temporary key, as `/s3/credentials` and `/s3/sts` give it.
enum InspectedS3Credential {
    static let inspector: Inspector = Inspector(
        "AWS session credential", "An answer of `/s3/credentials` or `/s3/sts`.",
        read: { input, _, now in
            guard case .object(let answer) = input.content else { return nil }
            let credential = answer["credentials"] ?? answer["Credentials"] ?? answer
            guard credential["SecretAccessKey"] != nil || credential["secretAccessKey"] != nil else { return nil }
            return session.inspect(credential, as: inspector.kind, at: now)
        })

    private static let session = InspectedSession(
        accessKey: ["AccessKeyId", "accessKeyId"], secret: ["SecretAccessKey", "secretAccessKey"],
        token: ["SessionToken", "sessionToken", "Token"], expiration: ["Expiration", "expiration"],
        end: { ISO8601.parseInternet($0) }, endFault: "",
        judge: { accessKey, inspection in
            if accessKey.starts(with: "AKIA".utf8) {
                inspection.fails("access key", "one that begins with AKIA is a permanent key's")
            }
        })
}
