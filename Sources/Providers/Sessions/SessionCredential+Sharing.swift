import Bytes

/// A credential as replicas pass it on to each other, sealed: each part behind its length.
extension SessionCredential {
    /// - Returns: nil for what `write` does not write.
    package static func read(_ bytes: [UInt8]) -> (credential: SessionCredential, moment: Int64)? {
        var rest = bytes[...]
        guard let moment = number(&rest), let end = number(&rest), let id = part(&rest), let secret = part(&rest),
            let token = part(&rest), rest.isEmpty,
            let credential = SessionCredential(
                accessKeyID: Array(id), secret: Array(secret), securityToken: Array(token), expiresAt: end)
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

    static func append(part: [UInt8], to out: inout ByteWriter) {
        out.append(decimal: part.count)
        out.append(":")
        out.append(part)
    }
}
