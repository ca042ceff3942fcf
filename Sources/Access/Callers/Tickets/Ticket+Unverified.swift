import Bytes
import Crypto

extension Ticket {
    /// Reads a text that looks like a ticket, without checking its signature; nil where it does not look like one. Use it to show
    /// what the text says, never to give anything: only `TicketSigner` checks tickets.
    package init?(unverified text: Span<UInt8>) {
        guard text.count <= TicketSigner.maximumLength, let bytes = Base64.urlSafe.decode(text, padded: false) else {
            return nil
        }
        let end = bytes.count - DigestAlgorithm.sha256.length
        guard end > TicketSigner.keyIDLength else { return nil }
        self.init(reading: bytes.span.extracting(TicketSigner.keyIDLength..<end))
    }
}
