import Testing

@testable import Access
@testable import Bytes

@Suite struct PermitTests {
    private struct Terms: Equatable {
        let expiresAt, lifetime: Int64
        let limitedBy: Permit.Limit

        init(_ permit: borrowing Permit) {
            (expiresAt, lifetime, limitedBy) = (permit.expiresAt, permit.lifetime, permit.limitedBy)
        }

        init(_ expiresAt: Int64, _ lifetime: Int64, _ limitedBy: Permit.Limit) {
            (self.expiresAt, self.lifetime, self.limitedBy) = (expiresAt, lifetime, limitedBy)
        }
    }

    private func permit() throws -> Permit {
        Permit(try Fixture.grant("g"), Scope(), lifetime: 600, limitedBy: .requested, now: 1000)
    }

    @Test func `R5: a permit ends with the credential that signs, if that ends earlier`() throws {
        for (end, terms) in [
            (1599, Terms(1599, 599, .credential)), (1001, Terms(1001, 1, .credential)),
            (1000, Terms(1000, 0, .credential)), (999, Terms(1000, 0, .credential)),
            (.min + 2000, Terms(1000, 0, .credential)),
        ] as [(Int64, Terms)] {
            var permit = try permit()
            permit.shorten(to: end)
            #expect(Terms(permit) == terms)
        }
    }

    @Test func `nothing makes a permit hold longer`() throws {
        for end in [1600, 1601, .max] as [Int64] {
            var permit = try permit()
            permit.shorten(to: end)
            #expect(Terms(permit) == Terms(1600, 600, .requested))
            permit.shorten(to: 1300)
            permit.shorten(to: end)
            #expect(Terms(permit) == Terms(1300, 300, .credential))
        }
    }

    @Test func `of an ask that must wait, its provider's reading is kept and no parameter`() throws {
        struct Detail: AskDetail { let text: String }
        var ask = try Fixture.ask("text=abc&size=7")
        ask.detail = Detail(text: "read")
        ask.wantsText = true
        let kept = ask.detailOnly()
        let (detail, wantsText) = (kept.detail as? Detail, kept.wantsText)
        let (entries, size) = (kept.parameters.entries.count, kept[Fixture.known.size])
        #expect(detail?.text == "read" && wantsText)
        #expect(entries == 0 && size == nil)
    }
}
