import Access
import Bytes
import Providers

/// A temporary key, as `/distribute-token.json` and STS itself give it.
enum InspectedCredential {
    static let inspector: Inspector = Inspector(
        "STS credential", "An answer with `AccessKeyId`, `SecurityToken` and `Expiration`.",
        read: { input, _, now in
            guard case .object(let answer) = input.content else { return nil }
            // STS has it within an answer of its own.
            let credential = answer["Credentials"] ?? answer
            guard credential["SecurityToken"] != nil || credential["AccessKeySecret"] != nil else { return nil }
            return session.inspect(credential, as: inspector.kind, at: now)
        })

    private static let session = InspectedSession(
        accessKey: ["AccessKeyId"], secret: ["AccessKeySecret"], token: ["SecurityToken"], expiration: ["Expiration"],
        end: { ISO8601.parse($0) }, endFault: ": clients read no other form",
        judge: { accessKey, inspection in
            if accessKey.starts(with: "STS.SANDBOX".utf8) {
                inspection.tell("from", "the sandbox: it opens nothing at the vendor's")
            } else if !accessKey.starts(with: "STS.".utf8) {
                inspection.fails("access key", "a temporary key's begins with STS.")
            }
        })
}
