import Bytes
import HTTP
import Testing

@testable import Net

@Suite struct AddressSharesTests {
    private static func address(_ text: String) -> ClientAddress {
        IPAddress(text).map { ClientAddress($0).network } ?? .none
    }

    private static func id(_ token: UInt64, loop: Int = 0) -> ConnectionID { ConnectionID(loop: loop, token: token) }

    /// Connections by their tokens: of whom, how much, and when they made progress.
    private static func shares(_ all: [(String, amount: Int, progress: Int64)]) -> AddressShares {
        var shares = AddressShares()
        for (token, one) in all.enumerated() {
            shares.set(
                id(UInt64(token)), of: address(one.0),
                to: AddressShares.Share(amount: one.amount, progress: one.progress))
        }
        return shares
    }

    /// The tokens of all connections, in the order in which they give up what they have.
    private static func order(_ all: [(String, amount: Int, progress: Int64)]) -> [UInt64] {
        var shares = shares(all)
        var order: [UInt64] = []
        while let victim = shares.takeFirst() { order.append(victim.id.token) }
        return order
    }

    @Test func `the address that has most in all comes first, though another has the largest connection`() {
        let order = Self.order([("192.0.2.1", 90, 1), ("192.0.2.2", 60, 9), ("192.0.2.2", 50, 9)])
        #expect(order == [1, 0, 2])
    }

    @Test func `of addresses that have as much the one without progress for longest comes first`() {
        #expect(Self.order([("192.0.2.1", 1, 5), ("192.0.2.2", 1, 3), ("192.0.2.3", 1, 4)]) == [1, 2, 0])
    }

    @Test func `an IPv6 address counts with its whole /64`() {
        #expect(Self.order([("192.0.2.1", 90, 1), ("2001:db8::1", 60, 9), ("2001:db8::2", 50, 8)]).first == 2)
        #expect(Self.order([("192.0.2.1", 90, 1), ("2001:db8::1", 60, 9), ("2001:db8:0:1::2", 50, 8)]).first == 0)
    }

    @Test
    func `within an address the one with most comes first, and of those alike the one without progress for longest`() {
        // 64 and 127 bytes are alike, 128 are more.
        let order = Self.order([
            ("192.0.2.1", 127, 3), ("192.0.2.1", 64, 2), ("192.0.2.1", 128, 9), ("192.0.2.1", 100, 1),
        ])
        #expect(order == [2, 3, 1, 0])
    }

    @Test func `what is set anew replaces what was there, and nothing is left of those that have gone`() {
        var shares = Self.shares([("192.0.2.1", 50, 1), ("192.0.2.1", 10, 1), ("192.0.2.2", 40, 1)])
        #expect((shares.total, shares.greatest) == (100, 60))
        shares.set(Self.id(0), of: Self.address("192.0.2.1"), to: AddressShares.Share(amount: 5, progress: 1))
        #expect((shares.total, shares.greatest) == (55, 40))
        #expect(shares.amount(of: Self.address("192.0.2.1")) == 15)
        for token in 0..<4 {
            for address in ["192.0.2.1", "192.0.2.2"] {
                // Those that it never had, too.
                shares.set(Self.id(UInt64(token)), of: Self.address(address), to: nil)
            }
        }
        #expect((shares.total, shares.greatest) == (0, 0))
        #expect(shares.takeFirst() == nil)
        let text = String(reflecting: shares)
        #expect(text == String(reflecting: AddressShares()), "\(text)")
    }

    @Test func `of thousands of random changes the table always has the greatest priority first`() {
        var random = SystemRandomNumberGenerator()
        var table = PriorityTable<Int, Int>()
        var model: [Int: Int] = [:]
        for _ in 0..<20_000 {
            let key = Int.random(in: 0..<200, using: &random)
            let priority = Int.random(in: 0..<3, using: &random) == 0 ? nil : Int.random(in: 0..<1000, using: &random)
            table[key] = priority
            model[key] = priority
            #expect(table[key] == priority)
            #expect(table.first?.priority == model.values.max())
            #expect(table.first.map { model[$0.key] == $0.priority } ?? model.isEmpty)
            #expect(table.isEmpty == model.isEmpty)
        }
    }

    // MARK: Bytes

    @Test func `beyond the bound connections of the address with most end until the rest is within it`() {
        let buffers = BufferedBytes()
        let (greedy, modest) = (Self.address("192.0.2.1"), Self.address("192.0.2.2"))
        func hold(_ amount: Int, _ token: UInt64, _ address: ClientAddress) -> [UInt64] {
            let share = AddressShares.Share(amount: amount, progress: Int64(token))
            return buffers.count(share, of: Self.id(token), at: address, below: 1000).map(\.id.token)
        }
        for token in 0..<9 { #expect(hold(100, UInt64(token), greedy).isEmpty) }
        #expect(hold(100, 100, modest).isEmpty, "1000 bytes are within the bound")
        #expect(hold(300, 100, modest) == [0, 1])
        // It grows itself, and is one of those that end, when it is the largest.
        #expect(hold(450, 8, greedy) == [8])
        buffers.forget(Self.id(100), at: modest)
        #expect(hold(400, 9, greedy).isEmpty)
    }

    // MARK: Room for connections

    private static func enter(_ open: OpenConnections, _ token: UInt64, _ address: String) -> OpenConnections.Entry {
        open.side(reserved: false).enter(id(token), of: Self.address(address), at: Int64(token), below: 3)
    }

    private static func displacing(_ token: UInt64) -> OpenConnections.Entry {
        .displacing(AddressShares.Victim(id: id(token), progress: Int64(token)))
    }

    @Test
    func `beyond the bound the address with most connections loses one to those that have fewer, and has no more`() {
        let open = OpenConnections()
        for token in 0..<3 { #expect(Self.enter(open, UInt64(token), "192.0.2.1") == .accepted) }
        #expect(Self.enter(open, 3, "192.0.2.1") == .refused)
        #expect(Self.enter(open, 4, "192.0.2.2") == Self.displacing(0))
        // It would have as many as the one that it takes room from had.
        #expect(Self.enter(open, 5, "192.0.2.2") == .refused)
        #expect(Self.enter(open, 6, "192.0.2.3") == Self.displacing(1))
        let figures = open.counts(reserved: false)
        #expect((figures.open, figures.accepted, figures.refused) == (3, 5, 2))
        // One that was displaced leaves no second connection.
        open.side(reserved: false).leave(Self.id(0), of: Self.address("192.0.2.1"))
        #expect(Self.enter(open, 8, "192.0.2.2") == .refused)
        open.side(reserved: false).leave(Self.id(2), of: Self.address("192.0.2.1"))
        #expect(Self.enter(open, 9, "192.0.2.5") == .accepted)
    }

    @Test
    func `where every address has one, a first connection asks for the end of the one without progress for longest`() {
        let open = OpenConnections()
        for token in 0..<3 { _ = Self.enter(open, UInt64(token), "192.0.2.\(token)") }
        #expect(Self.enter(open, 3, "192.0.2.1") == .refused, "it has one already")
        #expect(Self.enter(open, 4, "192.0.2.9") == .replacing(AddressShares.Victim(id: Self.id(0), progress: 0)))
        // It was of use, and so was whoever came next.
        let next = open.side(reserved: false).spare(Self.id(0), of: Self.address("192.0.2.0"), since: 20)
        #expect(next == AddressShares.Victim(id: Self.id(1), progress: 1))
        open.side(reserved: false).restore(Self.id(1), of: Self.address("192.0.2.1"), since: 20)
        // The newcomer goes, then.
        open.side(reserved: false).leave(Self.id(4), of: Self.address("192.0.2.9"))
        #expect(open.counts(reserved: false).open == 3)
        #expect(Self.enter(open, 5, "192.0.2.8") == .replacing(AddressShares.Victim(id: Self.id(2), progress: 2)))
        #expect(open.counts(reserved: false).open == 3)
    }

    @Test func `one that has made progress is spared, and the one without progress for longest goes instead`() {
        let open = OpenConnections()
        for token in 0..<3 { _ = Self.enter(open, UInt64(token), "192.0.2.1") }
        #expect(Self.enter(open, 10, "192.0.2.2") == Self.displacing(0))
        let next = open.side(reserved: false).spare(Self.id(0), of: Self.address("192.0.2.1"), since: 20)
        #expect(next == AddressShares.Victim(id: Self.id(1), progress: 1))
        #expect(open.counts(reserved: false).open == 3)
    }

    @Test func `beyond the bound of handshakes the address with most loses one, and those that are over leave room`() {
        let open = OpenConnections()
        func begin(_ token: UInt64, _ address: String) -> UInt64? {
            open.beginHandshake(Self.id(token), of: Self.address(address), at: Int64(token), below: 3)?.id.token
        }
        for token in 0..<3 { #expect(begin(UInt64(token), "192.0.2.1") == nil) }
        #expect(begin(3, "192.0.2.2") == 0)
        open.endHandshake(Self.id(1), of: Self.address("192.0.2.1"))
        #expect(begin(4, "192.0.2.3") == nil)
        // All have one: the one that began first goes, and who is new has its time.
        #expect(begin(5, "192.0.2.4") == 2)
    }

    @Test func `a connection counts for whom its proxy names`() {
        let open = OpenConnections()
        for token in 0..<3 {
            #expect(Self.enter(open, UInt64(token), "10.0.0.1") == (token < 3 ? .accepted : .refused))
            open.side(reserved: false).move(
                Self.id(UInt64(token)), from: Self.address("10.0.0.1"), to: Self.address("192.0.2.1"),
                since: Int64(token))
        }
        #expect(Self.enter(open, 3, "192.0.2.1") == .refused)
        #expect(Self.enter(open, 4, "10.0.0.1") == Self.displacing(0))
    }
}
