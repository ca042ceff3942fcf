import Bytes
import Crypto

extension Ticket {
    /// What a text that looks like a ticket says, whoever made it; nil where it does not look like one. It is to be told, and
    /// nothing is to be given for it: only `TicketSigner` knows tickets from what anybody may have written.
    package init?(claimedBy text: Span<UInt8>) {
        guard text.count <= TicketSigner.maximumLength, let bytes = Base64.urlSafe.decode(text, padded: false) else {
            return nil
        }
        let end = bytes.count - DigestAlgorithm.sha256.length
        guard end > TicketSigner.keyIDLength else { return nil }
        self.init(reading: bytes.span.extracting(TicketSigner.keyIDLength..<end))
    }
}
