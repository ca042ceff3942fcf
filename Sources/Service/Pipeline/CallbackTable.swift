import Access
import Bytes
import Crypto
import Providers

/// The grants of callbacks, and which one a request is for (R6).
struct CallbackTable {
    struct Entry {
        let grant: Grant
        let verifier: any CallbackVerifier
        let key: SigningKey
    }

    private let entries: [Entry]

    /// - Parameter keys: by the place of the credential.
    init(_ grants: [Grant], with keys: [SigningKey?]) {
        entries = grants.compactMap { grant in
            guard let verifier = grant.issuer as? any CallbackVerifier, let key = keys[grant.credential] else {
                return nil
            }
            return Entry(grant: grant, verifier: verifier, key: key)
        }
    }

    var paths: [[UInt8]] { entries.map(\.verifier.publicURL.path) }

    /// The grant whose public URL has this path and this query; else the one with this path and no query, for which every query
    /// will do, since the vendor signs it.
    func find(path: Span<UInt8>, query: Span<UInt8>) -> Entry? {
        var withoutQuery: Entry?
        for entry in entries {
            let url = entry.verifier.publicURL
            guard path.equals(url.path) else { continue }
            guard let own = url.query else {
                withoutQuery = entry
                continue
            }
            if query.equals(own) { return entry }
        }
        return withoutQuery
    }
}
