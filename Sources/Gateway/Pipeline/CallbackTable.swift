import Access
import Bytes
import Configuration
import Crypto
import Providers

/// The grants of callbacks, and which one a request is for (R6).
struct CallbackTable {
    struct Entry {
        let grant: Grant
        let verifier: any CallbackVerifier
        let key: SigningKey
        /// What the vendor may have signed with before, each until a time in seconds since 1970.
        var previous: [(key: SigningKey, until: Int64)] = []

        /// Why a callback with this head is refused by every key, whatever its body is; nil when the body decides.
        func faultOfHead(_ callback: borrowing ReceivedCallback, at now: Int64) -> CallbackFault? {
            guard let fault = verifier.faultOfHead(callback, with: key) else { return nil }
            for old in previous where now < old.until {
                if verifier.faultOfHead(callback, with: old.key) == nil { return nil }
            }
            return fault
        }

        /// What the grant's verifier finds, by the current key or by an earlier one.
        func judge(
            _ callback: borrowing ReceivedCallback, at now: Int64, using scratch: inout ByteWriter
        ) throws(IssueError) -> CallbackVerdict {
            let verdict = try verifier.judge(callback, with: key, using: &scratch)
            guard case .refused = verdict else { return verdict }
            for old in previous where now < old.until {
                let other = try verifier.judge(callback, with: old.key, using: &scratch)
                guard case .refused = other else { return other }
            }
            return verdict
        }
    }

    private let entries: [Entry]

    /// - Parameters:
    ///   - keys: by the credential's index.
    ///   - previous: likewise, what signed before them.
    init(
        _ configuration: Configuration, with keys: [SigningKey?],
        after previous: [[(key: SigningKey, until: Int64)]] = []
    ) {
        entries = zip(configuration.grants, configuration.issuers).compactMap { grant, issuer in
            guard case .verifying(let verifier) = issuer, let key = keys[grant.credential] else { return nil }
            let before = previous.indices.contains(grant.credential) ? previous[grant.credential] : []
            return Entry(grant: grant, verifier: verifier, key: key, previous: before)
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
            // Operators put secrets into the query.
            if query.constantTimeEquals(own.span) { return entry }
        }
        return withoutQuery
    }
}
