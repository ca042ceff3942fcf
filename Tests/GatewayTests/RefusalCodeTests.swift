import HTTP
import Testing

@testable import Gateway

/// The one list of what clients are told when they do not get what they ask.
struct RefusalCodeTests {
    @Test func `no two codes have one text, and each is written in small letters with _ between words`() {
        let texts = Refusal.Code.allCases.map(\.text.description)
        #expect(Set(texts).count == texts.count)
        for text in texts { #expect(text.wholeMatch(of: #/[a-z]+(_[a-z]+)*/#) != nil, "\(text)") }
    }

    @Test func `codes of one status say the same of themselves in OpenAPI, which describes statuses`() {
        for status in Status.allCases {
            let codes = Refusal.Code.allCases.filter { $0.status == status }
            #expect(Set(codes.map(\.summary)).count <= 1, "\(status)")
            #expect(Set(codes.map(\.concernsBody)).count <= 1, "\(status)")
        }
    }

    @Test func `every code is an error of HTTP, and the statuses of success are nobody's`() {
        for code in Refusal.Code.allCases { #expect((400...599).contains(code.status.rawValue), "\(code)") }
    }

    @Test
    func
        `every status that the service answers with has a number of its own in metrics, and all others share the last`()
    {
        let known = Status.allCases.map { RequestLabels.index(ofStatus: $0.rawValue) }
        #expect(known == Array(known.indices))
        for status in [-1, 0, 99, 100, 201, 418, 599, 600, .min, .max] {
            #expect(RequestLabels.index(ofStatus: status) == known.count, "\(status)")
        }
        #expect(RequestLabels.statuses.count == known.count + 1)
    }
}
