import Access
import Bytes
import Crypto

/// What version 4 signs with: a key that is derived for one day, one region and one product. Deriving it takes four HMACs, so
/// a signing key keeps the one of the day (`kept`).
package final class ScopedKey: DerivedKey {
    let scheme: V4Scheme
    /// The public half of the key that this one comes from.
    let accessKey: [UInt8]
    /// `20240106/cn-hangzhou/oss/aliyun_v4_request`
    let scope: [UInt8]
    /// `AK/scope`, as fields and forms name a key.
    let credential: [UInt8]
    /// The same percent-encoded, for a URL.
    let encodedCredential: [UInt8]
    private let region: [UInt8]
    private let day: Int64
    private let key: HMACKey

    /// - Parameters:
    ///   - region: such as `cn-hangzhou`, or the identifier of a CloudBox.
    ///   - product: the scheme's service, or another of the vendor's, such as `oss-cloudbox`.
    ///   - moment: seconds since 1970; any of the day.
    package init(
        _ key: SigningKey, _ scheme: V4Scheme, region: [UInt8], product: [UInt8], at moment: Int64
    ) throws(IssueError) {
        guard ScopedKey.isName(region.span), ScopedKey.isName(product.span) else {
            throw .unsignable("region and product must be of a-z 0-9 and -")
        }
        var scope = ByteWriter(capacity: 64)
        ISO8601.writeBasic(moment, into: &scope)
        scope.truncate(to: 8)
        let date = scope.array
        for part in [region, product, scheme.ending.array] {
            scope.append(UInt8(ascii: "/"))
            scope.append(part)
        }
        self.scheme = scheme
        accessKey = key.accessKey
        self.scope = scope.array
        credential = accessKey + [UInt8(ascii: "/")] + self.scope
        encodedCredential = Percent.encoded(credential)
        self.region = region
        day = ScopedKey.day(of: moment)
        do throws(CryptoError) {
            self.key = try HMACKey(.sha256, prefix: scheme.keyPrefix.array, key.secret)
                .derived(by: date.span).derived(by: region.span).derived(by: product.span)
                .derived(by: scheme.ending.array.span)
        } catch { throw .crypto(error) }
    }

    /// The key of the moment's day, derived when the day begins.
    static func kept(
        by key: SigningKey, _ scheme: V4Scheme, region: [UInt8], at moment: Int64
    ) throws(IssueError) -> ScopedKey {
        if let kept = key.derived as? ScopedKey, kept.covers(moment), kept.region == region { return kept }
        let made = try ScopedKey(key, scheme, region: region, product: scheme.service.array, at: moment)
        key.derived = made
        return made
    }

    /// Whether this is the key of the moment's day.
    func covers(_ moment: Int64) -> Bool { ScopedKey.day(of: moment) == day }

    /// The signature of a text: of a string to sign, or of a form's policy.
    package func code(of text: Span<UInt8>) throws(IssueError) -> Digest { try key.code(of: text) }

    /// The signature of a canonical request.
    /// - Parameters:
    ///   - canonical: the request; the string to sign is there afterwards.
    ///   - moment: seconds since 1970.
    func code(ofRequest canonical: inout ByteWriter, at moment: Int64) throws(IssueError) -> Digest {
        guard covers(moment) else { throw .unsignable("the key must be of the day of the signature") }
        let digest: Digest
        do throws(CryptoError) { digest = try Digest(.sha256, of: canonical.bytes) } catch { throw .crypto(error) }
        canonical.reset()
        canonical.append(scheme.algorithm)
        canonical.append(UInt8(ascii: "\n"))
        ISO8601.writeBasic(moment, into: &canonical)
        canonical.append(UInt8(ascii: "\n"))
        canonical.append(scope)
        canonical.append(UInt8(ascii: "\n"))
        Hex.encode(digest.bytes, into: &canonical)
        return try code(of: canonical.bytes)
    }

    static func isName(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && ByteSet.lowercaseLabel.contains(all: text)
    }

    /// Days since 1970.
    private static func day(of moment: Int64) -> Int64 {
        let (quotient, remainder) = moment.quotientAndRemainder(dividingBy: 86_400)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
