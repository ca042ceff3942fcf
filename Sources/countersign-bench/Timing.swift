import Access
import Bytes
import Crypto

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Whether the time that it takes to refuse a credential tells how much of it was right.
///
/// Wrong credentials of several classes, told apart by how many of their first bytes are right, are checked in random order. A class
/// takes as long as the first if Welch's t-test finds no difference between the means of its rounds and those of the first's (Reparaz, Balasch and
/// Verbauwhede: "Dude, is my code constant time?", 2017, whose bound is 4.5, and who leave out the slowest, as is done here). That
/// the test would find one is shown by a comparison that stops at the first byte that is wrong.
enum Timing {
    /// Rounds, each with credentials of its own at addresses of their own in memory.
    private static let rounds = 1_000
    /// Checks of each class in a round: a million in all.
    private static let samples = 1_000
    private static let bound = 4.5
    /// How many first bytes are right.
    private static let lengths = [0, 1, 4, 7, 8, 16, 31]

    /// Checks a wrong credential, and says whether a caller was found.
    private typealias Check = () -> Bool

    /// - Returns: the process's exit code: 1 where a class differs from the first, or the comparison that leaks is not found out.
    static func run() throws -> Int32 {
        let areKeysEqual = try compare("API keys, by the bytes of their digests that are right", checkOfAPIKey)
        let areTicketsEqual = try compare("tickets, by the bytes of their signatures that are right", checkOfTicket)
        let leaks = try !compare("a comparison that stops at the first wrong byte", leakingCheck)
        return areKeysEqual && areTicketsEqual && leaks ? 0 : 1
    }

    /// - Parameter make: a check of a credential of which so many bytes are right, in the round of this number.
    private static func compare(_ title: String, _ make: (Int, Int) throws -> Check) throws -> Bool {
        var random = SystemRandomNumberGenerator()
        var means = lengths.map { _ in Moments() }
        for round in 0..<rounds {
            var checks: [Int: Check] = [:]
            for index in lengths.indices.shuffled(using: &random) { checks[index] = try make(lengths[index], round) }
            let times = try measure(lengths.indices.compactMap { checks[$0] }, &random)
            for index in lengths.indices { means[index].add(times[index]) }
        }
        print("\(title): \(samples * rounds) of each class")
        var areEqual = true
        for (length, mean) in zip(lengths, means) {
            let t = mean.welch(against: means[0])
            areEqual = areEqual && abs(t) < bound
            print("  \(length)  \(rounded(mean.mean)) ns  t = \(rounded(t))\(abs(t) < bound ? "" : ", differs")")
        }
        return areEqual
    }

    /// The mean time of each check, in random order, without the slowest tenth of all.
    private static func measure(
        _ checks: [Check], _ random: inout SystemRandomNumberGenerator
    ) throws -> [Double] {
        var times: [(index: Int, time: UInt64)] = []
        times.reserveCapacity(samples * checks.count)
        for turn in -samples / 10..<samples * checks.count {
            let index = Int.random(in: 0..<checks.count, using: &random)
            let start = now()
            let isFound = checks[index]()
            let time = now() - start
            if isFound { throw RowError("a wrong credential was believed") }
            // The first are to warm up.
            if turn >= 0 { times.append((index, time)) }
        }
        let slow = times.map(\.time).sorted()[times.count * 9 / 10]
        var means = checks.map { _ in Moments() }
        for (index, time) in times where time <= slow { means[index].add(Double(time)) }
        return means.map(\.mean)
    }

    private static func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    // MARK: Credentials

    /// An authenticator that knows one key, whose digest begins like that of the key that is checked.
    private static func checkOfAPIKey(_ length: Int, _ round: Int) throws -> Check {
        let key = Array(text: "a wrong key of the benchmark, number \(round + 10_000)")
        var bytes = try Digest(.sha256, of: key.span).bytes.array
        spoil(&bytes, from: length)
        guard let digest = Digest(bytes) else { throw RowError("no digest") }
        var settings = Authenticator.Settings()
        settings.apiKeys = [.init(id: Array(text: "app"), digest: digest, notAfter: nil)]
        let authenticator = Authenticator(settings)
        return {
            let finding = authenticator.identify(apiKey: key.span, at: Fixture.seconds)
            return if case .caller = finding { true } else { false }
        }
    }

    /// A ticket with a signature of which only the first bytes are right.
    private static func checkOfTicket(_ length: Int, _: Int) throws -> Check {
        let key = try TicketKey(Secret([UInt8](repeating: 7, count: 32)), maximumLifetime: 3600, denied: [])
        let signer = try key.makeSigner()
        let apiKey = Array(text: Fixture.apiKey)
        var settings = Authenticator.Settings()
        settings.apiKeys = [.init(id: Array(text: "app"), digest: try Digest(.sha256, of: apiKey.span), notAfter: nil)]
        settings.ticketKey = key
        let authenticator = Authenticator(settings)
        guard case .caller(let caller) = authenticator.identify(apiKey: apiKey.span, at: Fixture.seconds),
            let ticket = Ticket(
                (0..<36).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }, for: caller,
                until: Fixture.seconds + 60,
                TicketTerms(grant: Array(text: "photos"), parameters: []), mark: try signer.mark(of: caller.proof)),
            let good = try signer.write(ticket), var bytes = Base64.urlSafe.decode(good.span, padded: false)
        else { throw RowError("no ticket") }
        spoil(&bytes, from: bytes.count - 32 + length)
        let text = Array(Base64.urlSafe.encode(bytes).prefix { $0 != UInt8(ascii: "=") })
        return {
            var memory = authenticator.makeMemory()
            let finding = authenticator.identify(
                ticket: text.span, by: signer, at: Fixture.seconds, remembering: &memory)
            return if case .caller = finding { true } else { false }
        }
    }

    private static func leakingCheck(_ length: Int, _ round: Int) -> Check {
        let secret = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 32)
        var guess = secret
        spoil(&guess, from: length)
        return {
            for index in 0..<32 where guess[index] != secret[index] { return false }
            return true
        }
    }

    /// Changes all bytes from one on, at random.
    private static func spoil(_ bytes: inout [UInt8], from start: Int) {
        for index in start..<bytes.count { bytes[index] ^= UInt8.random(in: 1...255) }
    }
}

/// Mean and variance of what is added one by one (Welford's algorithm).
private struct Moments {
    private(set) var mean = 0.0
    private var squares = 0.0
    private(set) var count = 0.0

    mutating func add(_ value: Double) {
        count += 1
        let difference = value - mean
        mean += difference / count
        squares += difference * (value - mean)
    }

    /// Welch's t: the difference of the means in units of its own standard error.
    func welch(against other: Moments) -> Double {
        guard count > 1, other.count > 1 else { return 0 }
        let error = squares / (count - 1) / count + other.squares / (other.count - 1) / other.count
        return error > 0 ? (mean - other.mean) / error.squareRoot() : 0
    }
}
