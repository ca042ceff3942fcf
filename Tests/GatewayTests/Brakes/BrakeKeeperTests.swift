import Foundation
import Net
import Telemetry
import TestTraits
import Testing

@testable import Access
@testable import Bytes
@testable import Configuration
@testable import Gateway
@testable import TestSamples

@Suite struct BrakeKeeperTests {
    /// Each look at this clock is long after the last, so that what failed is tried again.
    private final class Ticker: Sendable {
        private let time = Guarded<Int64>(1_000_000)

        func next(ahead seconds: Int64) -> Instant {
            let now = time.withLock { time in
                time += 10_000
                return time
            }
            return Instant(unixSeconds: 1_795_158_947 + seconds, monotonic: now)
        }
    }

    /// A folder with a file of brakes, and processes that share it.
    private final class Home {
        let folder: String
        let log: LogFile
        private let ticker = Ticker()

        init() throws {
            let top = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
            folder = "\(top)/countersign-brakes-\(UUID().uuidString)"
            log = try LogFile(level: .info)
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        var path: String { "\(folder)/brakes.json" }

        /// - Parameter seconds: how far the process's clock is ahead.
        func keeper(entries: Int = 10, ahead seconds: Int64 = 0) throws -> BrakeKeeper {
            try BrakeKeeper(
                Configuration.Brake(file: path, entries: entries),
                at: { [ticker] in ticker.next(ahead: seconds) }, log.log)
        }

        func write(_ text: String) throws {
            let aside = "\(folder)/aside"
            try Data(text.utf8).write(to: URL(filePath: aside))
            try #require(chmod(aside, 0o600) == 0 && rename(aside, path) == 0)
        }

        var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    }

    private static let photos = Brake.Subject(.grant, Array("photos".utf8))

    private static func order(
        _ action: BrakeOrder.Action = .stop(for: nil), _ subject: Brake.Subject = photos
    ) throws -> BrakeOrder {
        try BrakeOrder(action, subject, because: Array("a key has leaked".utf8), by: Array("root".utf8))
    }

    private static func isStopped(_ keeper: BrakeKeeper) -> Bool {
        keeper.table.covers(photos.name, of: "q", for: Caller.nobody, at: 1_795_158_947) != nil
    }

    @Test func `what one process stops and releases, another takes up when it looks, and a new one knows at its start`()
        throws
    {
        let home = try Home()
        let (one, two) = (try home.keeper(), try home.keeper())
        let brake = try one.carryOut(BrakeKeeperTests.order())
        #expect(BrakeKeeperTests.isStopped(one) && !BrakeKeeperTests.isStopped(two))
        two.lookNow()
        #expect(BrakeKeeperTests.isStopped(two) && two.current == BrakeList([brake]))
        #expect(try BrakeKeeperTests.isStopped(home.keeper()))
        // By the same second of the clock.
        _ = try two.carryOut(BrakeKeeperTests.order(.release))
        one.lookNow()
        #expect(!BrakeKeeperTests.isStopped(one) && !BrakeKeeperTests.isStopped(two))
        #expect(try !BrakeKeeperTests.isStopped(home.keeper()))
    }

    @Test func `an old copy of the file releases nothing and brings nothing back, and no file neither`() throws {
        let home = try Home()
        let keeper = try home.keeper()
        _ = try keeper.carryOut(BrakeKeeperTests.order())
        let stopped = home.text
        _ = try keeper.carryOut(BrakeKeeperTests.order(.release))
        let released = home.text
        try home.write(stopped)
        keeper.lookNow()
        #expect(!BrakeKeeperTests.isStopped(keeper) && home.text == released)
        _ = try keeper.carryOut(BrakeKeeperTests.order())
        let again = home.text
        try home.write(released)
        keeper.lookNow()
        #expect(BrakeKeeperTests.isStopped(keeper) && home.text == again)
        try FileManager.default.removeItem(atPath: home.path)
        keeper.lookNow()
        #expect(BrakeKeeperTests.isStopped(keeper) && home.text == again)
    }

    @Test func `what others tell holds at once, comes to the file, and is told to loops and observers once`() throws {
        let home = try Home()
        let (keeper, other) = (try home.keeper(), try home.keeper())
        let told = Guarded<[String]>([])
        _ = keeper.subscribe { table, changes in
            told.withLock { $0.append("loop \(changes.count) \(table.isEmpty)") }
        }
        keeper.observe { list in told.withLock { $0.append("observer \(list.brakes.count)") } }
        let list = BrakeList([try other.carryOut(BrakeKeeperTests.order(.stop(for: nil), Brake.Subject(.all)))])
        for _ in 0..<3 { keeper.merge(list) }
        #expect(BrakeKeeperTests.isStopped(keeper))
        keeper.lookNow()
        #expect(told.withLock { $0 } == ["loop 1 false", "observer 1"])
        keeper.merge(BrakeList([Brake(BrakeKeeperTests.photos, because: Array("r".utf8), by: Array("x".utf8), at: 5)]))
        keeper.lookNow()
        #expect(
            try BrakeList(reading: Array(home.text.utf8).span) == keeper.current && keeper.current.brakes.count == 2)
    }

    @Test(arguments: ["", "{", #"{"version":1}"#, "[]"]) func `nothing starts by a file that is broken`(_ text: String)
        throws
    {
        let home = try Home()
        try home.write(text)
        let fault = #expect(throws: BrakeFault.self) { try home.keeper() }
        #expect(fault?.description.contains(home.path) == true && fault?.description.contains("move it away") == true)
    }

    @Test func `nothing starts by a file that others can write, or that has more entries than may be`() throws {
        let home = try Home()
        let keeper = try home.keeper()
        _ = try keeper.carryOut(BrakeKeeperTests.order())
        _ = try keeper.carryOut(BrakeKeeperTests.order(.stop(for: nil), BrakeKeeperTests.caller("a")))
        let fault = #expect(throws: BrakeFault.self) { try home.keeper(entries: 1) }
        #expect(fault?.description.contains("has 2 brakes, and brake.entries admits 1") == true)
        chmod(home.path, 0o666)
        #expect(throws: BrakeFault.self) { try home.keeper() }
    }

    @Test func `by a file that breaks later, what is known holds, which is said once, until it can be used again`()
        throws
    {
        let home = try Home()
        let keeper = try home.keeper()
        _ = try keeper.carryOut(BrakeKeeperTests.order())
        let whole = home.text
        try home.write("broken")
        for _ in 0..<3 { keeper.lookNow() }
        #expect(BrakeKeeperTests.isStopped(keeper) && keeper.fault != nil && home.text == "broken")
        // A brake holds in this process all the same.
        let all = Brake.Subject(.all)
        #expect(throws: BrakeFault.self) { try keeper.carryOut(BrakeKeeperTests.order(.stop(for: nil), all)) }
        keeper.merge(BrakeList([Brake(all, because: Array("r".utf8), by: Array("x".utf8), at: 5)]))
        keeper.lookNow()
        #expect(keeper.current.brakes.count == 2)
        try home.write(whole)
        keeper.lookNow()
        #expect(keeper.fault == nil)
        #expect(try BrakeList(reading: Array(home.text.utf8).span) == keeper.current)
        let log = try home.log.text()
        #expect(log.components(separatedBy: "cannot be used").count == 2 && log.contains("can be used again"))
    }

    @Test func `a release of what is not stopped is refused, with what is meant`() throws {
        let home = try Home()
        let keeper = try home.keeper()
        let fault = #expect(throws: BrakeFault.self) { try keeper.carryOut(BrakeKeeperTests.order(.release)) }
        #expect(fault?.description == "grant photos is not stopped")
        _ = try keeper.carryOut(BrakeKeeperTests.order())
        let near = #expect(throws: BrakeFault.self) {
            try keeper.carryOut(BrakeKeeperTests.order(.release, Brake.Subject(.grant, Array("photo".utf8))))
        }
        #expect(near?.description == "grant photo is not stopped; did you mean grant photos?")
    }

    @Test func `a brake that Redis' answer would have no room for is refused, and it is said what to do`() throws {
        let home = try Home()
        let keeper = try home.keeper(entries: BrakeList.most)
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000)
        func brake(_ number: Int) -> Brake {
            Brake(.init(.grant, Array("\(number)".utf8) + long), because: Array(long.prefix(500)), by: [114], at: 1)
        }
        let full = BrakeMerge(BrakeList((0..<10_000).map(brake)), .empty, keeping: BrakeList.most, at: 1)
        let most = BrakeList(full.list.brakes.filter { $0.subject.kind != .all })
        #expect(!full.lost.isEmpty)
        try home.write(most.text.text)
        keeper.lookNow()
        #expect(keeper.current.brakes.count == most.brakes.count && most.brakes.count < 3_000)
        let order = try BrakeOrder(
            .stop(for: nil), .init(.grant, long), because: Array(long.prefix(500)), by: Array("root".utf8))
        let fault = #expect(throws: BrakeFault.self) { try keeper.carryOut(order) }
        #expect(fault?.isMistake == true && fault?.description.contains("stop all") == true)
        // What was there is there still, and can be stopped for another reason.
        #expect(keeper.current.brakes.count == most.brakes.count)
        let known = try #require(most.brakes.first)
        _ = try keeper.carryOut(BrakeOrder(.release, known.subject, because: [114], by: Array("root".utf8)))
        let all = try keeper.carryOut(
            BrakeOrder(.stop(for: nil), .init(.all), because: Array(long.prefix(500)), by: Array("root".utf8)))
        #expect(keeper.current.brakes.contains(all), "everything can be stopped all the same")
    }

    @Test func `there are as many entries as brake.entries admits, and what is known can be changed beyond`() throws {
        let home = try Home()
        let keeper = try home.keeper(entries: 2)
        func subject(_ name: String) -> Brake.Subject { Brake.Subject(.grant, Array(name.utf8)) }
        for name in ["a", "b"] { _ = try keeper.carryOut(BrakeKeeperTests.order(.stop(for: nil), subject(name))) }
        let fault = #expect(throws: BrakeFault.self) {
            try keeper.carryOut(BrakeKeeperTests.order(.stop(for: nil), subject("c")))
        }
        #expect(fault?.description.contains("brake.entries allows 2 brakes, and 2 are active") == true)
        #expect(fault?.isMistake == true && keeper.current.brakes.count == 2)
        _ = try keeper.carryOut(BrakeKeeperTests.order(.release, subject("a")))
        _ = try keeper.carryOut(BrakeKeeperTests.order(.stop(for: 1000), subject("a")))
        #expect(keeper.current.brakes.count == 2)
        let all = try keeper.carryOut(BrakeKeeperTests.order(.stop(for: nil), Brake.Subject(.all)))
        #expect(keeper.current.brakes.contains(all), "everything can be stopped all the same")
    }

    private static func caller(_ name: String) -> Brake.Subject { .init(.caller, Array("apiKey:\(name)".utf8)) }

    private static func isStopped(_ subject: Brake.Subject, by keeper: BrakeKeeper) -> Bool {
        let list = keeper.current
        return [subject, Brake.Subject(.all)].contains { list[$0]?.isInForce(at: 1_795_158_947) ?? false }
    }

    @Test(arguments: [0, 300] as [Int64])
    func `an order for all takes effect on a full list, also if a clock that is ahead wrote the entries`(
        _ seconds: Int64
    ) throws {
        let home = try Home()
        let (ahead, keeper) = (try home.keeper(entries: 20, ahead: seconds), try home.keeper(entries: 20))
        for number in 0..<20 {
            _ = try ahead.carryOut(
                BrakeOrder(
                    .stop(for: nil), BrakeKeeperTests.caller("\(number)"), because: Array("stolen".utf8),
                    by: Array("root".utf8)))
        }
        #expect(throws: BrakeFault.self) {
            try keeper.carryOut(BrakeKeeperTests.order(.stop(for: nil), BrakeKeeperTests.caller("more")))
        }
        let all = try keeper.carryOut(
            BrakeOrder(.stop(for: nil), .init(.all), because: Array("emergency".utf8), by: Array("root".utf8)))
        ahead.lookNow()
        for process in [keeper, ahead, try home.keeper(entries: 20)] {
            #expect(process.current[.init(.all)] == all && process.current.counted == 20)
            #expect(BrakeKeeperTests.isStopped(process))
        }
        _ = try keeper.carryOut(BrakeKeeperTests.order(.release, .init(.all)))
        #expect(!BrakeKeeperTests.isStopped(keeper) && keeper.current.inForce(at: 1_795_158_947).count == 20)
    }

    @Test func `an active brake stays, whatever is stopped and released after it, and what leaves the list is logged`()
        throws
    {
        let home = try Home()
        let keeper = try home.keeper(entries: 3)
        let told = Guarded<[String]>([])
        _ = keeper.subscribe { _, changes in
            told.withLock { $0 += changes.map { "\($0.event) \($0.brake.subject.text)" } }
        }
        let stolen = BrakeKeeperTests.caller("stolen")
        _ = try keeper.carryOut(BrakeKeeperTests.order(.stop(for: nil), stolen))
        let others = ["a", "b"].map(BrakeKeeperTests.caller) + [.init(.all)] + ["c", "d"].map(BrakeKeeperTests.caller)
        for other in others {
            _ = try keeper.carryOut(BrakeKeeperTests.order(.stop(for: nil), other))
            _ = try keeper.carryOut(BrakeKeeperTests.order(.release, other))
        }
        #expect(BrakeKeeperTests.isStopped(stolen, by: keeper))
        #expect(try BrakeKeeperTests.isStopped(stolen, by: home.keeper(entries: 3)))
        let log = try home.log.text()
        #expect(log.components(separatedBy: "a release was removed from the list").count == 3, "\(log)")
        let removed = told.withLock { $0.filter { $0.hasPrefix("removed") } }
        #expect(removed.count == 2 && !removed.contains("removed \(stolen.text)"))
    }

    @Test
    func `replicas whose active brakes do not fit together stop everything, log the lost ones, and can be mended`()
        throws
    {
        let homes = [try Home(), try Home()]
        let keepers = try homes.map { try $0.keeper(entries: 4) }
        for (keeper, prefix) in zip(keepers, ["a", "b"]) {
            for number in 0..<4 {
                let subject = BrakeKeeperTests.caller("\(prefix)\(number)")
                _ = try keeper.carryOut(BrakeKeeperTests.order(.stop(for: nil), subject))
            }
        }
        let told = Guarded<[String]>([])
        _ = keepers[0].subscribe { _, changes in
            told.withLock { $0 += changes.map { "\($0.event) \($0.brake.subject.text)" } }
        }
        let lists = keepers.map(\.current)
        for _ in 0..<2 {
            keepers[0].merge(lists[1])
            keepers[1].merge(keepers[0].current)
        }
        for (keeper, home) in zip(keepers, homes) {
            keeper.lookNow()
            #expect(BrakeKeeperTests.isStopped(keeper) && keeper.current == keepers[0].current)
            let log = try home.log.text()
            #expect(log.components(separatedBy: "no room for an active brake").count == 5, "\(log)")
            #expect(log.contains("raise brake.entries, order them again, then release all"))
        }
        #expect(told.withLock { $0.count { $0.hasPrefix("removed") } } == 4)
        _ = try keepers[0].carryOut(BrakeKeeperTests.order(.release, .init(.all)))
        keepers[1].merge(keepers[0].current)
        #expect(keepers.allSatisfy { !BrakeKeeperTests.isStopped($0) })
    }

    @Test(arguments: [1, 2, 3])
    func `no orders, merges, clocks or limits lose an active brake unless everything is stopped`(_ entries: Int) throws
    {
        var random = SplitMix64(seed: UInt64(entries))
        for _ in 0..<6 {
            let homes = try (0..<2).map { _ in try Home() }
            let skews = (0..<3).map { _ in Int64.random(in: -300...300, using: &random) }
            // The last two share a file.
            let keepers = try zip([homes[0], homes[1], homes[1]], skews).map {
                try $0.keeper(entries: entries, ahead: $1)
            }
            for _ in 0..<40 {
                let index = Int.random(in: 0..<3, using: &random)
                let (keeper, now) = (keepers[index], 1_795_158_947 + skews[index])
                let before = keeper.current
                var told = BrakeList.empty
                let subject =
                    Int.random(in: 0..<8, using: &random) == 0
                    ? Brake.Subject(.all) : BrakeKeeperTests.caller("\(Int.random(in: 0..<5, using: &random))")
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    let duration: Int64? = Bool.random(using: &random) ? nil : 400_000
                    let made = try? keeper.carryOut(BrakeKeeperTests.order(.stop(for: duration), subject))
                    if let made { told = BrakeList([made]) }
                    if subject.kind == .all { #expect(made != nil, "all is always stopped") }
                case 2:
                    if let made = try? keeper.carryOut(BrakeKeeperTests.order(.release, subject)) {
                        told = BrakeList([made])
                    }
                case 3: keeper.lookNow()
                default:
                    told = keepers[Int.random(in: 0..<3, using: &random)].current
                    keeper.merge(told)
                }
                let after = keeper.current
                let isAllStopped = after[.init(.all)]?.isInForce(at: now) ?? false
                for brake in BrakeList(before.brakes + told.brakes).inForce(at: now) where !isAllStopped {
                    // A later entry of the file may have replaced it.
                    let found = after[brake.subject]
                    #expect(found != nil, "\(brake.words) of \(before) and \(told) is not in \(after)")
                    #expect(found.map { $0 == brake || $0.at >= brake.at } ?? false)
                }
                #expect(after.counted <= entries)
            }
        }
    }

    @Test func `a brake ends after its time, as far as durations go`() throws {
        let home = try Home()
        let keeper = try home.keeper()
        for (asked, given) in [(1000, 1000), (1, 1000), (Int64.max, 31_536_000_000)] as [(Int64, Int64)] {
            let brake = try keeper.carryOut(BrakeKeeperTests.order(.stop(for: asked)))
            #expect(brake.until.map { $0 - brake.at } == given)
        }
    }

    @Test(
        arguments: [
            (Brake.Subject(.grant, Array("photos".utf8)), nil), (Brake.Subject(.credential, Array("q".utf8)), nil),
            (Brake.Subject(.all), nil), (Brake.Subject(.caller, Array("jwt:unknown/x".utf8)), nil),
            (Brake.Subject(.grant, Array("photoz".utf8)), "has no grant photoz; did you mean photos?"),
            (Brake.Subject(.credential, Array("s".utf8)), "has no credential s; did you mean q?"),
            (Brake.Subject(.issuer, Array("login".utf8)), "has no issuer login"),
            (Brake.Subject(.grant, Array("something".utf8)), "has no grant something; there are: photos"),
        ] as [(Brake.Subject, String?)])
    func `a name that the configuration does not know is refused, but for callers`(
        _ subject: Brake.Subject, _ reason: String?
    )
        throws
    {
        let configuration = try SampleConfiguration.configuration(
            grants:
                "photos: { route: 'qiniu.uptoken', credential: 'q', callers: ['anonymous'], public: true, bucket: 'b', keyPrefix: 'p/' }"
        )
        let order = try BrakeKeeperTests.order(.stop(for: nil), subject)
        if let reason {
            let fault = #expect(throws: BrakeFault.self) { try order.check(configuration.brakeTarget) }
            #expect(fault?.description.contains(reason) == true, "\(fault?.description ?? "")")
        } else {
            try order.check(configuration.brakeTarget)
        }
    }
}
