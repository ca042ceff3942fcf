import Foundation
import Testing

/// What is not memory-safe stays at the edges, where each has its reason beside it: `// Unsafe: …`. That nothing of the kind goes
/// without the word `unsafe` is the compiler's to see (`strictMemorySafety` in Package.swift).
@Suite struct MemorySafetyTests {
    /// Rooms that talk to the system or to a C library.
    static let edges: Set = [
        "Crypto", "Net", "Machine", "Telemetry", "Audit", "Gateway", "Lifecycle", "CommandLine", "Sandbox",
        "CountersignClient", "countersign-bench",
    ]
    /// Where else: the standard library has no safe way to copy many bytes, to look at eight at once, or to see a literal's.
    static let exceptions: Set = [
        "Sources/Bytes/ByteText.swift", "Sources/Bytes/ByteWord.swift", "Sources/Bytes/ByteWriter.swift",
        "Sources/Bytes/StaticString+Bytes.swift",
        // A class that others inherit from cannot be checked to be Sendable; its properties are found without `Mirror`.
        "Sources/Access/Description/Field.swift", "Sources/Access/Description/StoredReferences.swift",
        // One loop's own, which other threads know by its mailbox alone.
        "Sources/Upstream/Cache/LoopCache.swift", "Sources/Gateway/Cluster/HeldResponse.swift",
        "Sources/Gateway/Pipeline/ParkedRequests.swift", "Sources/Gateway/Sessions/SessionCache.swift",
        // hiredis is C.
        "Sources/Cluster/RedisReader.swift",
    ]

    /// The numbers of the lines whose code is not memory-safe, or is said to be without the compiler's seeing it.
    static func unsafeLines(_ lines: [String]) -> [Int] {
        let words = ["unsafe", "@unchecked", "unsafeBitCast", "unsafeDowncast"]
        return lines.indices.filter { index in
            // A comment says nothing; nor does a text, but none has such a word.
            let code = lines[index].components(separatedBy: "//")[0]
            let tokens = code.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }.map(String.init)
            return tokens.contains { words.contains($0) || $0.hasPrefix("Unsafe") || $0.hasPrefix("withUnsafe") }
        }.map { $0 + 1 }
    }

    /// The first of the unsafe lines of each top-level declaration that gives no reason.
    static func unexplained(_ lines: [String]) -> [Int] {
        var (found, start): ([Int], Int) = ([], 0)
        for end in lines.indices where lines[end].hasPrefix("}") || lines[end].hasSuffix("{}") || end == lines.count - 1
        {
            let declaration = Array(lines[start...end])
            let hasReason = declaration.contains { line in
                line.range(of: "// Unsafe: ").map { line[$0.upperBound...].count >= 12 } ?? false
            }
            if let first = unsafeLines(declaration).first, !hasReason { found.append(start + first) }
            start = end + 1
        }
        return found
    }

    @Test func `unsafe code is recognised in every spelling`() {
        let lines = [
            "let a = unsafe pointer[0]", "nonisolated(unsafe) var b = 0", "final class C: @unchecked Sendable {",
            "d.withUnsafeBytes { $0 }", "func e(_ f: UnsafeRawPointer) {", "unowned(unsafe) let g: C",
            "unsafeBitCast(h, to: Int.self)",
        ]
        #expect(MemorySafetyTests.unsafeLines(lines) == [1, 2, 3, 4, 5, 6, 7])
        #expect(MemorySafetyTests.unsafeLines(["// unsafe", "let safe = true // unsafe", "isUnsafe = false"]).isEmpty)
    }

    @Test func `a reason is missed`() {
        let bare = ["struct A {", "    let b = unsafe c()", "}"]
        let other = ["struct D {", "    // Unsafe: lent for the call.", "    let e = unsafe f()", "}"]
        #expect(MemorySafetyTests.unexplained(bare + other) == [2])
        #expect(MemorySafetyTests.unexplained(other + bare) == [6])
        #expect(
            MemorySafetyTests.unexplained(["struct G {", "    // Unsafe: so.", "    let h = unsafe i()", "}"]) == [3])
        #expect(MemorySafetyTests.unexplained(other + ["", "extension J: @unchecked Sendable {}"]) == [6])
    }

    @Test func `unsafe code is at the edges only`() {
        for source in ImportTests.sources where !MemorySafetyTests.edges.contains(source.target) {
            let lines = MemorySafetyTests.unsafeLines(source.lines)
            #expect(lines.isEmpty || MemorySafetyTests.exceptions.contains(source.path), "\(source.path): \(lines)")
        }
    }

    @Test func `each exception is one still`() {
        let used = ImportTests.sources.filter { !MemorySafetyTests.unsafeLines($0.lines).isEmpty }.map(\.path)
        #expect(MemorySafetyTests.exceptions.isSubset(of: used))
    }

    @Test func `unsafe code has its reason`() {
        for source in ImportTests.sources {
            let lines = MemorySafetyTests.unexplained(source.lines)
            #expect(lines.isEmpty, "\(source.path): \(lines)")
        }
    }

    @Test func `the compiler sees to it in every room`() throws {
        let manifest = try String(contentsOf: ImportTests.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(manifest.contains("swiftSettings: strict + [.strictMemorySafety()] + settings)"))
        for target in Set(ImportTests.sources.map(\.target)) where !target.lowercased().hasPrefix("countersign") {
            let isRoom = manifest.contains(try Regex("room\\(\\s*\"\(target)\""))
            #expect(isRoom, "\(target) is no room of Package.swift")
        }
    }
}
