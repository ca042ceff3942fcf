import Bytes
import TestTraits
import Testing

@testable import Providers

@Suite struct QueryTests {
    private func names(of query: [NameValue], in order: QueryOrder) -> [[UInt8]] {
        let text = QueryText.form(query)
        let pairs = NamedValues(query: text.span)
        let sorted = pairs.sorted(in: order)
        return (0..<sorted.count).map { Array(text[sorted[$0].name]) }
    }

    /// Sixteen are held in place.
    @Test func `parameters stand in the order of their names, or of their encoded names, whichever they are`() {
        let letters = Array("aAzZ09-._~ %&=+/\u{E9}\u{20AC}*!".utf8)
        var random = SplitMix64(seed: 20_261_127)
        for _ in 0..<Rounds.share(of: 2_000) {
            var names: Set<[UInt8]> = []
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                names.insert(
                    (0..<Int.random(in: 1...4, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0 })
            }
            let query = names.map { NameValue($0, [UInt8(ascii: "v")]) }
            let named = names.sorted { $0.lexicographicallyPrecedes($1) }.map(Percent.encoded)
            #expect(self.names(of: query, in: .asNamed) == named)
            #expect(
                self.names(of: query, in: .asEncoded) == named.sorted { $0.lexicographicallyPrecedes($1) })
        }
    }

    @Test func `a query is written with a signature among its parameters, and a bare name as its vendor signs it`() {
        let text = QueryText.form([NameValue("uploads", []), NameValue("x z", Array("1&2".utf8)), NameValue("A", "b")])
        let query = NamedValues(query: text.span)
        func written(isBare: Bool) -> String {
            var out = ByteWriter()
            query.write(NoURLSignature(), from: "?", in: .asEncoded, isBare: isBare, into: &out)
            return out.bytes.text
        }
        #expect(written(isBare: true) == "?A=b&uploads&x%20z=1%262")
        #expect(written(isBare: false) == "?A=b&uploads=&x%20z=1%262")
    }

    private func isRefused(_ query: String) -> Bool {
        let (method, bucket, text) = (Array("GET".utf8), Array("bucket".utf8), Array(query.utf8))
        do {
            _ = try ObjectRequest(
                S3.v4(.virtual), method: method.span, bucket: bucket.span, key: Span(), query: text.span,
                fieldLines: Span())
            return false
        } catch { return true }
    }

    @Test(arguments: ["", "a", "a=", "a=1&b=2", "a=%2F&%C3%A9", "a%3D=b", "a=%25&A"])
    func `a query that is encoded in the one way there is can be signed`(query: String) {
        #expect(!isRefused(query))
    }

    @Test(arguments: [
        "a=%2f", "a=%41", "a=%", "a=%4", "a b", "a=b c", "a=/", "=x", "=", "a&a", "a=1&a=2", "a=%00", "a=%0A", "a%0a",
        "a=%FF", "&", "a&", "\u{E9}", "x-amz-date=1", "X-Amz-Signature",
    ])
    func `a query that is not encoded in the one way there is, or has what nobody may have signed, is refused`(
        query: String
    ) {
        #expect(isRefused(query))
    }
}
