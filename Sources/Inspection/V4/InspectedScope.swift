import Access
import Bytes
import Crypto
import Providers

/// The key that a version 4 signature names: `AK/20240106/cn-hangzhou/oss/aliyun_v4_request`.
struct InspectedScope {
    private let scheme: V4Scheme
    let accessKey: [UInt8]
    let day, region, product: [UInt8]

    init?(_ credential: [UInt8], _ scheme: V4Scheme) {
        let parts = credential.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 5, !parts[0].isEmpty, parts[4].elementsEqual(scheme.ending.array) else { return nil }
        self.scheme = scheme
        (accessKey, day, region, product) = (parts[0], parts[1], parts[2], parts[3])
    }

    static func form(_ scheme: V4Scheme) -> String {
        "the credential must be access key/day/region/product/\(scheme.ending)"
    }

    /// The derived key; nil, having noted why, if it cannot be the one that was signed with.
    /// - Parameter moment: the date of what is signed.
    func key(of entry: Keyring.Entry, at moment: Int64, in inspection: inout Inspection) -> ScopedKey? {
        do throws(IssueError) {
            return try ScopedKey(entry.key, scheme, region: region, product: product, at: moment)
        } catch {
            inspection.isUnsignable(error)
            return nil
        }
    }

    /// Notes region and product, and where they cannot be right.
    func tell(of moment: Int64, host region: [UInt8]?, in inspection: inout Inspection) {
        inspection.tell("region", self.region)
        if product != scheme.service.array { inspection.tell("product", product) }
        var date = ByteWriter()
        ISO8601.writeBasic(moment, into: &date)
        if day != Array(date.array.prefix(8)) {
            inspection.fails("scope", "the credential's day must be that of the date")
        }
        if let region, region != self.region {
            inspection.fails("scope", "the credential's region must be the host's")
        }
    }
}

extension Inspection {
    /// Notes that a temporary key's token comes with it; the token itself is as secret as the key.
    mutating func tellToken(_ token: [UInt8]?) {
        if let token { tell("security token", "of \(token.count) bytes") }
    }
}
