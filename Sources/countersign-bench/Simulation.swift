import Access
import ReplicaModel

/// What many replicas with many callers ask of Redis, and how far a limit holds over them: by the tables that the service counts with,
/// and a clock of its own. The figures of docs/cluster.md are these.
enum Simulation {
    /// Milliseconds from a question to its answer: a round of leases, and the network.
    private static let delay: Int64 = 6
    /// Identities that a replica tells apart, by default.
    private static let identities = 65_536

    static func run() {
        print("each caller asks twice a minute, at any replica, and may 60 times:\n")
        print("| callers | replicas | requests/s | commands/s | refused | buckets in Redis | a replica's tables |")
        print("|---:|---:|---:|---:|---:|---:|---:|")
        for (callers, replicas) in [
            (10_000, 3), (100_000, 3), (1_000_000, 10), (1_000_000, 100), (10_000_000, 10), (10_000_000, 100),
        ] { print(load(callers, replicas)) }
        print("\none caller asks ten times as often as its limit of 600 a minute admits, for five minutes:\n")
        print("| replicas | asked | given of 100 | most beyond the limit in a minute | a lease for each |")
        print("|---:|---:|---:|---:|---:|")
        for replicas in [1, 3, 10, 30, 100] {
            for asked in Set([1, replicas]).sorted() { print(overload(replicas, asked)) }
        }
    }

    private static func load(_ callers: Int, _ count: Int) -> String {
        guard let rate = Rate(60, in: 60_000) else { return "" }
        let replicas = Replicas(count, counting: callers, by: rate, identities: identities, delay: delay)
        let seconds = 30
        var random = Mixer(state: 24)
        var (asked, refused, part) = (0, 0, 0)
        for now in 0..<Int64(seconds) * 1_000 {
            replicas.settle(at: now)
            part += 2 * callers
            while part >= 60_000 {
                part -= 60_000
                asked += 1
                let caller = Int.random(in: 0..<callers, using: &random)
                if !replicas.take(caller, at: Int.random(in: 0..<count, using: &random), at: now) { refused += 1 }
            }
        }
        let commands = replicas.leases / seconds + 4 * count
        return "| \(callers) | \(count) | \(asked / seconds) | \(commands) | \(share(refused, of: asked))"
            + " | \(replicas.bucketCount(at: Int64(seconds) * 1_000)) | \(replicas.tableSize / 1_000_000) MB |"
    }

    private static func overload(_ count: Int, _ asked: Int) -> String {
        guard let rate = Rate(600, in: 60_000) else { return "" }
        let replicas = Replicas(count, counting: 1, by: rate, identities: 64, delay: delay)
        var random = Mixer(state: 7)
        var given: [Int64] = []
        // A hundred a second.
        for now in stride(from: Int64(0), to: 300_000, by: 10) {
            replicas.settle(at: now)
            let replica = Int.random(in: 0..<asked, using: &random)
            if replicas.take(0, at: replica, at: now) { given.append(now) }
        }
        // The first minute has a full bucket beside what comes in it.
        var (most, first) = (0, 0)
        let later = given.filter { $0 >= 60_000 }
        for last in later.indices {
            while later[last] - later[first] >= 60_000 { first += 1 }
            most = max(most, last - first + 1)
        }
        let all = Int(rate.count) + Int(rate.count) * 5
        return
            "| \(count) | \(asked) | \(share(given.count, of: all)) | \(max(0, most - 600)) | \(replicas.lease * Int64(asked)) |"
    }

    private static func share(_ part: Int, of all: Int) -> String {
        let tenths = all > 0 ? part * 1_000 / all : 0
        return "\(tenths / 10).\(tenths % 10) %"
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014), so that each run gives the same figures.
private struct Mixer: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
