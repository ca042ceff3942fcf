import Bytes
import Crypto

/// The key pairs of one vendor's account, by access key.
struct VendorAccounts: Sendable {
    private let secrets: [[UInt8]: Secret]

    init(_ callers: [SandboxCaller]) {
        secrets = Dictionary(callers.map { ($0.accessKeyID, $0.secret) }, uniquingKeysWith: { first, _ in first })
    }

    /// nil for an access key that the vendor does not know.
    func secret(of accessKey: [UInt8]) -> Secret? { secrets[accessKey] }
}
