import Access
import Bytes
import Testing

@testable import Providers

@Suite struct NamedRangesTests {
    /// Sixteen are held in place.
    @Test(arguments: [1, 15, 16, 17, 40])
    func `lines stand in the order in which they are put, however many they are`(count: Int) throws {
        let text = (0..<count).map { "x-\($0):  value \($0) \r\n" }.joined()
        let bytes = Array(text.utf8)
        var (lines, start) = (NamedRanges(), 0)
        while let line = try NamedRange.nextLine(&start, of: bytes.span) { lines.insert(line, at: 0) }
        lines.insert(.none, at: lines.count)
        let read = (0..<lines.count).map { index in
            (Array(bytes[lines[index].name]).text, Array(bytes[lines[index].value]).text)
        }
        #expect(read.map(\.0) == (0..<count).reversed().map { "x-\($0)" } + [""])
        #expect(read.map(\.1) == (0..<count).reversed().map { "value \($0)" } + [""])
    }
}
