import Access
import Bytes

/// Alibaba Cloud OSS.
enum OSS {
    static let description = ProviderDescription(
        name: "oss", title: "Alibaba Cloud OSS",
        givesSessions: false, credentialFields: [],
        routes: [RemoteSignature.route],
        accessKeyFault: { key in
            // The iOS and Android SDKs split the authorization at its colon and want two parts.
            key.contains(UInt8(ascii: ":")) ? "must not contain : since clients split authorizations there" : nil
        })

    /// The longest object key, in bytes.
    static let maximumKeyLength = 1023
    /// How long the vendor takes a dated signature, in seconds.
    static let dateTolerance: Int64 = 15 * 60

    static func isBucket(_ name: Span<UInt8>) -> Bool {
        guard (3...63).contains(name.count), name[0] != UInt8(ascii: "-"), name[name.count - 1] != UInt8(ascii: "-")
        else { return false }
        for index in name.indices where !isLowerOrDigit(name[index]) && name[index] != UInt8(ascii: "-") {
            return false
        }
        return true
    }

    static func isLowerOrDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte.isDigit
    }
}
