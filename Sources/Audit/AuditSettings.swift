import Crypto

/// How what was issued is kept on record.
package struct AuditSettings: Sendable {
    /// What an answer waits for.
    package enum Durability: String, CaseIterable, Sendable {
        /// Nothing: its line is written behind it.
        case none
        /// The disk has its line, among those of all that came meanwhile.
        case batch
        /// The disk has its line, and no other comes before.
        case each
    }

    package let file: String
    package let key: Secret
    package var durability = Durability.batch
    /// Whether nothing is issued of which no line can be written.
    package var failsClosed = true
    /// Bytes after which a new file is begun.
    package var maximumSize = 100 << 20
    /// The lines of one event loop that may wait for the disk.
    package var queue = 10_000
    /// How many refusals of one caller have a line of their own in a minute, in each event loop; all others are counted.
    package var deniedPerMinute = 600
    /// How long an answer is held, in milliseconds: a disk that hangs must not hang the clients. No setting of the
    /// configuration.
    package var patience: Int64 = 5_000

    /// The longest time for which a loop that always has more to do gathers lines for one group, in nanoseconds.
    private static let longestGathering: Int64 = 5_000_000

    /// How long such a loop gathers lines before it has them written, in nanoseconds: nobody waits for longer than one sync more.
    /// - Parameter sync: what the disk took for the last group.
    package func gathering(after sync: Int64) -> Int64 {
        switch durability {
        case .none: AuditSettings.longestGathering
        case .batch: min(sync, AuditSettings.longestGathering)
        case .each: 0
        }
    }

    /// Bytes that the key has at least (R10).
    package static let minimumKeyLength = 32

    package init(file: String, key: Secret) {
        self.file = file
        self.key = key
    }
}
