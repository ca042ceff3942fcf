import Bytes
import Crypto

/// A credential as replicas pass it on to each other: its secret, and all else as a text, each part behind its length.
extension SessionCredential {
    /// - Parameter moment: when the vendor gave it, by its clock, in seconds since 1970.
    package func parts(at moment: Int64) -> (text: [UInt8], secret: Secret) {
        var text = ByteWriter()
        for part in [Array(text: "\(max(0, moment))"), Array(text: "\(max(0, expiresAt))"), accessKeyID, securityToken]
        {
            text.append(decimal: part.count)
            text.append(":")
            text.append(part)
        }
        return (text.array, secret)
    }

    /// - Parameter secret: one of `parts`; nobody without the cluster's key has sealed it.
    /// - Returns: nil for a text that `parts` does not make.
    package static func read(
        _ text: [UInt8], with secret: Secret
    ) -> (credential: SessionCredential, moment: Int64)? {
        var rest = text[...]
        guard let moment = number(&rest), let end = number(&rest), let id = part(&rest), let token = part(&rest),
            rest.isEmpty,
            let credential = SessionCredential(
                accessKeyID: Array(id), checked: secret, securityToken: Array(token), expiresAt: end)
        else { return nil }
        return (credential, moment)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        part(&rest).flatMap { Decimal.parse(Array($0).span) }
    }

    private static func part(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
            let count = Decimal.parse(Array(rest[..<colon]).span, maximum: 65_536),
            rest.endIndex - colon - 1 >= Int(count)
        else { return nil }
        let start = colon + 1
        let part = rest[start..<start + Int(count)]
        rest = rest[(start + Int(count))...]
        return part
    }
}
