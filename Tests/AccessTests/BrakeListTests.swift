import TestTraits
import Testing

@testable import Access
@testable import Bytes

@Suite struct BrakeListTests {
    private static func brake(
        _ kind: Brake.Kind = .grant, _ name: String = "photos", at moment: Int64 = 1_000_000, until end: Int64? = nil,
        by author: String = "root", because reason: String = "a key has leaked", released: Bool = false
    ) -> Brake {
        Brake(
            Brake.Subject(kind, Array(name.utf8)), because: Array(reason.utf8), by: Array(author.utf8), at: moment,
            until: end,
            isReleased: released)
    }

    // MARK: Merging

    /// Few names, few moments: so that lists often know the same, and differ.
    private static func list(_ random: inout SplitMix64) -> BrakeList {
        BrakeList(
            (0..<Int.random(in: 0..<9, using: &random)).map { _ in
                let isReleased = Bool.random(using: &random)
                return brake(
                    [.grant, .caller].randomElement(using: &random) ?? .all,
                    ["anonymous", "apiKey:a", "apiKey:b"].randomElement(using: &random) ?? "",
                    at: .random(in: 0..<4, using: &random),
                    until: Bool.random(using: &random) ? nil : .random(in: 0..<3, using: &random),
                    by: ["root", "alice"].randomElement(using: &random) ?? "",
                    because: ["one", "two"].randomElement(using: &random) ?? "", released: isReleased)
            })
    }

    @Test func `lists that are merged in any order, any number of times, make the same list`() {
        var random = SplitMix64(seed: 27)
        for _ in 0..<Rounds.share(of: 2_000) {
            let lists = (0..<3).map { _ in BrakeListTests.list(&random) }
            func merge(_ indices: Int...) -> BrakeList {
                indices.reduce(.empty) { $0.merged(with: lists[$1], keeping: 100, at: 0) }
            }
            let all = merge(0, 1, 2)
            for other in [merge(2, 1, 0), merge(1, 0, 2), merge(0, 1, 0, 2, 2, 1)] where other != all {
                Issue.record("\(lists) make \(all) and \(other)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5])
    func `two lists of any entries merge within the limit, lose no active brake unless all is stopped, and are stable`(
        _ most: Int
    ) {
        var random = SplitMix64(seed: 46)
        for _ in 0..<Rounds.share(of: 4_000) {
            let (one, other) = (BrakeListTests.list(&random), BrakeListTests.list(&random))
            let merge = BrakeMerge(one, other, keeping: most, at: 0)
            let list = merge.list
            let isAllStopped = list[Brake.Subject(.all)]?.isInForce(at: 0) ?? false
            let active = BrakeList(one.brakes + other.brakes).inForce(at: 0)
            #expect(active.allSatisfy { isAllStopped || list[$0.subject] == $0 }, "\(one) and \(other) make \(list)")
            #expect(list.counted <= most && (merge.lost.isEmpty || isAllStopped))
            #expect(list == other.merged(with: one, keeping: most, at: 0))
            for old in [one, other, list] {
                #expect(list.merged(with: old, keeping: most, at: 0).inForce(at: 0).count > 0 || active.isEmpty)
            }
        }
    }

    @Test func `the latest entry of a subject holds, and an old copy brings nothing back`() {
        let old = BrakeList([BrakeListTests.brake(at: 1)])
        let released = old.merged(with: BrakeList([BrakeListTests.brake(at: 2, released: true)]), keeping: 10, at: 0)
        #expect(released.inForce(at: 0).isEmpty)
        #expect(released.merged(with: old, keeping: 10, at: 0) == released)
        let again = released.merged(with: BrakeList([BrakeListTests.brake(at: 3)]), keeping: 10, at: 0)
        #expect(again.inForce(at: 0).count == 1 && again.brakes.count == 1)
    }

    @Test func `of the same moment the entry holds that stops more`() {
        let brakes = [
            BrakeListTests.brake(), BrakeListTests.brake(until: 9_000_000), BrakeListTests.brake(until: 8_000_000),
            BrakeListTests.brake(released: true),
        ]
        for (index, brake) in brakes.enumerated() {
            for other in brakes[(index + 1)...] {
                for both in [[brake, other], [other, brake]] { #expect(BrakeList(both).brakes == [brake]) }
            }
        }
    }

    @Test func `released and expired entries leave a full list first, the oldest of them first`() {
        let active = (0..<3).map { BrakeListTests.brake(.grant, "active \($0)", at: Int64($0)) }
        let released = (0..<4).map {
            BrakeListTests.brake(.grant, "released \($0)", at: Int64(10 + $0), released: true)
        }
        let expired = (0..<4).map { BrakeListTests.brake(.grant, "expired \($0)", at: Int64(20 + $0), until: 30) }
        let merge = BrakeMerge(BrakeList(active + expired), BrakeList(released), keeping: 6, at: 1)
        #expect(merge.lost.isEmpty)
        #expect(
            Set(merge.list.brakes.map(\.subject.name.text)) == [
                "active 0", "active 1", "active 2", "expired 1", "expired 2", "expired 3",
            ])
    }

    @Test func `all has a place of its own in a full list, whatever the times of the entries`() {
        let brakes = (0..<3).map { BrakeListTests.brake(.grant, "g\($0)", at: 9_000_000, by: "z", because: "z") }
        let all = BrakeListTests.brake(.all, "", at: 0, by: "a", because: "a")
        let merge = BrakeMerge(BrakeList(brakes), BrakeList([all]), keeping: 3, at: 0)
        #expect(merge.list == BrakeList(brakes + [all]) && merge.lost.isEmpty)
    }

    @Test func `more active brakes than fit stop everything without an end, and name those that are lost`() throws {
        let brakes = (0..<5).map { BrakeListTests.brake(.grant, "g\($0)", at: Int64($0)) }
        for known in [
            nil, BrakeListTests.brake(.all, "", at: 9, released: true),
            BrakeListTests.brake(.all, "", at: 9, until: 5_000),
            BrakeListTests.brake(.all, "", at: 9),
        ] {
            let merge = BrakeMerge(BrakeList(brakes), BrakeList([known].compactMap { $0 }), keeping: 3, at: 1)
            #expect(merge.lost.map(\.subject.name.text) == ["g1", "g0"])
            let all = try #require(merge.list[Brake.Subject(.all)])
            #expect(all.isInForce(at: .max) && all.reason.text.contains("raise brake.entries"))
            #expect(known.map { all.outranks($0) } ?? true)
            #expect(merge.list.merged(with: BrakeList(brakes), keeping: 3, at: 1) == merge.list)
            #expect(try BrakeList(reading: merge.list.text.span) == merge.list)
        }
    }

    @Test func `releases and ended brakes are forgotten after 30 days, and brakes that have no end never`() {
        let list = BrakeList([
            BrakeListTests.brake(.grant, "open", at: 0), BrakeListTests.brake(.grant, "ended", at: 0, until: 5_000),
            BrakeListTests.brake(.grant, "released", at: 5_000, released: true),
        ])
        let days: Int64 = 30 * 86_400
        #expect(list.pruned(at: days + 5) == list)
        #expect(list.pruned(at: days + 6).brakes.map(\.subject.name.text) == ["open"])
        #expect(list.pruned(at: .max).brakes.count == 1)
    }

    @Test func `what a list has differently from another is told`() {
        let old = BrakeList([BrakeListTests.brake(.grant, "a"), BrakeListTests.brake(.grant, "b")])
        let news = [BrakeListTests.brake(.grant, "b", at: 2_000_000, released: true), BrakeListTests.brake(.all, "")]
        let new = old.merged(with: BrakeList(news), keeping: 10, at: 0)
        #expect(Set(new.changes(since: old).map(\.subject)) == Set(news.map(\.subject)))
        #expect(new.changes(since: new).isEmpty)
    }

    // MARK: What is covered

    private struct Asker {
        var caller: Caller
        var grant = "photos"
        var credential = "oss"

        func isStopped(by brake: Brake, at now: Int64 = 0) -> Bool {
            BrakeTable(BrakeList([brake])).covers(Array(grant.utf8), of: credential, for: caller, at: now) != nil
        }
    }

    @Test
    func `a brake covers the grant, credential, caller, ticket or issuer that it names, or all, and nothing else`()
        throws
    {
        func caller(_ principal: Principal) -> Caller { Caller(principal, index: 1) }
        let key = Principal(.apiKey, id: Array("app".utf8), subject: Array("app".utf8))
        let token = Principal(.jwt, id: Array("login".utf8), subject: Array("u/1".utf8))
        let ticket = try #require(
            Ticket(
                Array("t-1".utf8), for: caller(token), until: 10,
                TicketTerms(grant: Array("photos".utf8), parameters: []),
                mark: []))
        let askers = [
            Asker(caller: caller(key)), Asker(caller: caller(token)), Asker(caller: caller(.anonymous)),
            Asker(caller: Caller(token, index: 1, by: .init(ticket: ticket))),
            Asker(caller: caller(key), grant: "Photos", credential: "OSS"),
        ]
        let expected: [(Brake, [Int])] = [
            (BrakeListTests.brake(.all, ""), [0, 1, 2, 3, 4]), (BrakeListTests.brake(.grant, "photos"), [0, 1, 2, 3]),
            (BrakeListTests.brake(.credential, "oss"), [0, 1, 2, 3]), (BrakeListTests.brake(.issuer, "login"), [1, 3]),
            (BrakeListTests.brake(.issuer, "app"), []), (BrakeListTests.brake(.caller, "jwt:login/u/1"), [1, 3]),
            (BrakeListTests.brake(.caller, "jwt:login/u"), []), (BrakeListTests.brake(.caller, "apiKey:app"), [0, 4]),
            (BrakeListTests.brake(.caller, "anonymous"), [2]), (BrakeListTests.brake(.caller, "ticket:t-1"), [3]),
            (BrakeListTests.brake(.caller, "certificate:app"), []),
            (BrakeListTests.brake(.grant, "photos", released: true), []),
        ]
        for (brake, indices) in expected {
            #expect(askers.indices.filter { askers[$0].isStopped(by: brake) } == indices, "\(brake.subject.text)")
        }
    }

    @Test func `a brake holds to the end of the second in which it ends`() {
        let asker = Asker(caller: Caller(.anonymous, index: 0))
        for (until, last) in [(5000, 4), (5001, 5), (5999, 5), (1, 0)] as [(Int64, Int64)] {
            let brake = BrakeListTests.brake(until: until)
            #expect(asker.isStopped(by: brake, at: last) && !asker.isStopped(by: brake, at: last + 1), "\(until)")
        }
        #expect(asker.isStopped(by: BrakeListTests.brake(), at: .max))
        #expect(!asker.isStopped(by: BrakeListTests.brake(until: 0), at: 0))
    }

    // MARK: JSON

    @Test func `a list that is written is read again as it was`() throws {
        let list = BrakeList([
            BrakeListTests.brake(), BrakeListTests.brake(.all, "", until: 2_000_000),
            BrakeListTests.brake(.caller, "jwt:login/\"ü\\", because: "\"quoted\" – 漢", released: true),
        ])
        #expect(try BrakeList(reading: list.text.span) == list)
        #expect(try BrakeList(reading: BrakeList.empty.text.span) == .empty)
    }

    private static let whole =
        #"{"kind":"grant","name":"photos","reason":"r","by":"root","at":1,"until":null,"released":false}"#

    @Test(
        arguments: [
            ("", "not proper JSON"), ("[]", "must be"), (#"{"version":2,"brakes":[]}"#, "must be"),
            (#"{"version":1,"brakes":[],"more":1}"#, "must be"), (#"{"version":1,"brakes":{}}"#, "must be"),
            (#"{"version":1,"brakes":[1]}"#, "brakes[0] must have kind"),
            (#"{"version":1,"brakes":[\#(whole),\#(whole)]}"#, "two brakes of the same kind and name"),
            (#"{"version":1,"brakes":[[[[]]]]}"#, "not proper JSON"),
        ]) func `what is no list is refused, and it is said why`(_ text: String, _ reason: String)
    {
        let fault = #expect(throws: BrakeFault.self) { try BrakeList(reading: Array(text.utf8).span) }
        #expect(fault?.description.contains(reason) == true, "\(fault?.description ?? "")")
    }

    @Test(
        arguments: [
            (#""kind":"grant""#, #""kind":"grants""#), (#""kind":"grant""#, #""kind":1"#),
            (#""name":"photos""#, #""name":"""#),
            (#""name":"photos""#, #""name":"a\nb""#), (#""name":"photos""#, #""name":null"#),
            (#""reason":"r""#, #""reason":"""#),
            (#""by":"root""#, #""by":"""#), (#""at":1"#, #""at":-1"#), (#""at":1"#, #""at":1.5"#),
            (#""at":1"#, #""at":253402300800000"#), (#""at":1"#, #""at":99999999999999999999"#),
            (#""until":null"#, #""until":"never""#), (#""until":null"#, #""until":-1"#),
            (#""until":null"#, #""until":1e3"#),
            (#""until":null,"released":false"#, #""until":5,"released":true"#),
            (#""released":false"#, #""released":0"#),
            (#""released":false"#, #""released":false,"more":1"#), (#","released":false"#, ""),
            (#""kind":"grant","name":"photos""#, #""kind":"all","name":"photos""#),
            (#""kind":"grant","name":"photos""#, #""kind":"caller","name":"photos""#),
            (#""kind":"grant","name":"photos""#, #""kind":"caller","name":"ticket:""#),
        ]) func `an entry with anything wrong is refused`(_ part: String, _ other: String) throws
    {
        _ = try BrakeList(reading: Array(#"{"version":1,"brakes":[\#(BrakeListTests.whole)]}"#.utf8).span)
        let entry = BrakeListTests.whole.replacing(part, with: other)
        #expect(entry != BrakeListTests.whole)
        #expect(throws: BrakeFault.self) {
            try BrakeList(reading: Array(#"{"version":1,"brakes":[\#(entry)]}"#.utf8).span)
        }
    }

    @Test func `names, reasons and lists that are too long are refused`() throws {
        func read(_ brakes: [Brake]) throws -> BrakeList { try BrakeList(reading: BrakeList(brakes).text.span) }
        func long(_ count: Int) -> String { String(repeating: "x", count: count) }
        for (fits, tooLong) in [
            (BrakeListTests.brake(.grant, long(1024)), BrakeListTests.brake(.grant, long(1025))),
            (BrakeListTests.brake(because: long(512)), BrakeListTests.brake(because: long(513))),
            (BrakeListTests.brake(by: long(256)), BrakeListTests.brake(by: long(257))),
        ] {
            #expect(try read([fits]).brakes == [fits])
            #expect(throws: BrakeFault.self) { try read([tooLong]) }
        }
        let most = BrakeList((0...BrakeList.most).map { BrakeListTests.brake(.grant, "g\($0)") })
        #expect(throws: BrakeFault.self) { try BrakeList(reading: most.text.span) }
        // One entry less is a list, which Redis' answer has room for.
        #expect(most.merged(with: .empty, keeping: BrakeList.most, at: 0).counted == BrakeList.most)
        #expect(most.text.count < BrakeList.maximumLength)
    }

    @Test(arguments: [true, false])
    func `lists that are merged stay as short as a text may be, and keep the latest`(_ areReleased: Bool) throws {
        // Each quotation mark takes two bytes.
        let long = String(repeating: "\"", count: 1_000)
        func list(_ numbers: Range<Int>) -> BrakeList {
            BrakeList(
                numbers.map { BrakeListTests.brake(.grant, "\($0)" + long, at: Int64($0), released: areReleased) })
        }
        let merge = BrakeMerge(list(0..<1_000), list(1_000..<2_000), keeping: BrakeList.most, at: 0)
        let merged = merge.list
        #expect(merged.text.count <= BrakeList.maximumLength && merged.text.count > BrakeList.maximumLength - 10_000)
        #expect(merged[Brake.Subject(.all)]?.isInForce(at: 0) ?? false == !areReleased)
        #expect(merge.lost.isEmpty == areReleased)
        #expect(merged.brakes.map(\.at).max() == 1_999)
        #expect(merged.brakes.map(\.at).min() == Int64(2_000 - merged.counted))
        #expect(merged.merged(with: list(0..<10), keeping: BrakeList.most, at: 0) == merged)
        let all = BrakeListTests.brake(
            .all, "", at: 1, by: String(repeating: "\"", count: 256), because: String(repeating: "\"", count: 512))
        let stopped = list(0..<1_000).merged(with: list(1_000..<2_000), keeping: BrakeList.most, at: 0)
            .merged(with: BrakeList([all]), keeping: BrakeList.most, at: 0)
        #expect(stopped[Brake.Subject(.all)] != nil && stopped.text.count <= BrakeList.maximumLength)
    }
}
