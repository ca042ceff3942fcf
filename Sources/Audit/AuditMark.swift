import Crypto

/// How far the lines go.
package struct AuditMark: Sendable {
    package var number: Int64 = 0
    package var head = Digest.zero

    package init(number: Int64 = 0, head: Digest = .zero) {
        self.number = number
        self.head = head
    }
}
