import Foundation
import Testing

@testable import Audit

@Suite("A page of an audit's file")
struct AuditPageTests {
    private static func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private static func texts(_ page: AuditPage) -> [String] { page.lines.map { String(decoding: $0, as: UTF8.self) } }

    @Test func `pages go backwards from the end, line by line, and miss none`() throws {
        let all = (1...40_000).map { "line \($0) \(String(repeating: "x", count: $0 % 97))" }
        try Self.withFile(all.joined(separator: "\n") + "\n") { path in
            var found: [String] = []
            var before: Int64?
            repeat {
                let page = try AuditPage(of: path, before: before, with: [], most: 777)
                found += Self.texts(page)
                before = page.before
            } while before != nil
            #expect(found == all.reversed())
        }
    }

    @Test func `a search finds what stands in a line, and what is still being written is left out`() throws {
        try Self.withFile("one key=a\ntwo key=b\nthree key=ab\ntorn key=a") { path in
            #expect(
                Self.texts(try AuditPage(of: path, before: nil, with: Array("key=a".utf8), most: 9)) == [
                    "three key=ab", "one key=a",
                ])
            #expect(try AuditPage(of: path, before: nil, with: Array("four".utf8), most: 9).lines.isEmpty)
            let first = try AuditPage(of: path, before: nil, with: [], most: 1)
            #expect(Self.texts(first) == ["three key=ab"])
            #expect(
                Self.texts(try AuditPage(of: path, before: first.before, with: [], most: 9)) == [
                    "two key=b", "one key=a",
                ])
            #expect(try AuditPage(of: path, before: -5, with: [], most: 9).lines.isEmpty)
        }
    }

    @Test func `what is no file, or has no lines, is refused`() throws {
        #expect(throws: AuditFault.self) { try AuditPage(of: "/nowhere/at/all", before: nil, with: [], most: 9) }
        try Self.withFile(String(repeating: "x", count: 1_000_000)) { path in
            #expect(throws: AuditFault.self) { try AuditPage(of: path, before: nil, with: [], most: 9) }
        }
    }
}
