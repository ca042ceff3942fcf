import Access
import Bytes
import Crypto

@testable import Inspection

/// An upload token, as anybody may have made it. It does not say what it is for, so its signature cannot be checked.
enum InspectedToyboxToken {
    static let inspector = Inspector(
        "Toybox upload token", "The token itself, or an answer with `token`.",
        read: { input, keyring, now in
            guard case .text(let token) = input.content else { return nil }
            let parts = token.split(separator: UInt8(ascii: ":")).map { Array($0) }
            // Nil is for what is something else; what is one of ours and wrong is refused with a reason.
            guard parts.count == 3, parts[1].count == 64 else { return nil }
            var inspection = Inspection("Toybox upload token")
            if inspection.key(parts[0], of: keyring) != nil {
                inspection.leavesOpen("signature", "bucket and key, which it is over, are not in it")
            }
            let deadline = parts[2]
            if let end = Decimal.parse(deadline.span) {
                inspection.ends(at: end, now: now)
            } else {
                inspection.fails("form", "the deadline must be seconds since 1970, in digits")
            }
            return inspection
        })
}
