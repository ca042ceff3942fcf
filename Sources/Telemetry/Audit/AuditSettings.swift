import Crypto

/// How what was issued is kept on record.
package struct AuditSettings: Sendable {
    /// What an answer waits for.
    package enum Durability: Int, CaseIterable, Sendable {
        /// Nothing: its line is written behind it.
        case none
        /// The disk has its line, among those of all that came meanwhile.
        case batch
        /// The disk has its line, and no other comes before.
        case each
    }

    package let file: String
    package let key: Secret
    package let durability: Durability
    /// Whether nothing is issued of which no line can be written.
    package let failsClosed: Bool
    /// Bytes after which a new file is begun.
    package let maximumSize: Int
    /// The lines of one event loop that may wait for the disk.
    package let queue: Int
    /// How many refusals of one caller have a line of their own in a minute, in each event loop; all others are counted.
    package let deniedPerMinute: Int
    /// How long an answer is held, in milliseconds: a disk that hangs must not hang the clients. No setting of the
    /// configuration.
    package var patience: Int64 = 5_000

    /// Bytes that the key has at least (R10).
    package static let minimumKeyLength = 32

    package init(
        file: String, key: Secret, durability: Durability = .batch, failsClosed: Bool = true,
        maximumSize: Int = 100 << 20, queue: Int = 10_000, deniedPerMinute: Int = 600
    ) {
        self.file = file
        self.key = key
        self.durability = durability
        self.failsClosed = failsClosed
        self.maximumSize = maximumSize
        self.queue = queue
        self.deniedPerMinute = deniedPerMinute
    }
}
