import Synchronization

/// How many bytes all loops keep for their connections: of requests that have not come whole, and of answers that are not sent.
final class BufferedBytes: Sendable {
    private let count = Atomic(0)

    /// Counts what `channel` holds by now.
    /// - Returns: false when it holds more than before, and all together more than `limit`.
    func cover(_ channel: ServerChannel, below limit: Int) -> Bool {
        let growth = channel.held - channel.counted
        guard growth != 0 else { return true }
        channel.counted += growth
        return count.add(growth, ordering: .relaxed).newValue <= limit || growth < 0
    }

    func forget(_ channel: ServerChannel) {
        count.subtract(channel.counted, ordering: .relaxed)
        channel.counted = 0
    }
}
