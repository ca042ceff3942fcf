import Foundation
import TestTraits
import Testing

@testable import TestService

@Suite("The benchmark's counting", .waiting)
struct BenchmarkTests {
    private func run(_ arguments: String...) throws -> Program.Outcome {
        try Program(Program.benchmark, arguments).wait()
    }

    /// Has some ceilings checked against the operations whose allocations are known.
    private func check(_ ceilings: [String: Int]) throws -> Program.Outcome {
        let folder = try Keeper.makeFolder()
        let text = String(decoding: try JSONEncoder().encode(ceilings), as: UTF8.self)
        return try run("--filter", "counter:", "--check", try Keeper.write(text, to: folder + "/ceilings.json"))
    }

    private let known = [
        "counter: nothing": 0, "counter: one object": 1, "counter: three buffers of 100 bytes": 3,
        "counter: two contexts of OpenSSL": 0,
    ]

    @Test func `what is known to allocate so often is counted so`() throws {
        let outcome = try run("--filter", "counter:", "--json")
        #expect(outcome.code == 0, "\(outcome.err)")
        let operations = try #require(try JSON(outcome.out).list)
        var counts: [String: Int] = [:]
        for operation in operations {
            counts[operation["name"]?.string ?? ""] = operation["allocations"]?.integer.map(Int.init)
        }
        #expect(counts == known)
        #expect(operations.last?["opensslAllocations"] == 2)
    }

    @Test func `who stays at or below all ceilings passes`() throws {
        var ceilings = known
        #expect(try check(ceilings).code == 0)
        ceilings["counter: one object"] = 5
        let outcome = try check(ceilings)
        #expect(outcome.code == 0)
        #expect(outcome.err.contains("counter: one object: the ceiling is 5 and could be 1"))
    }

    @Test func `more than the ceiling, no ceiling and no operation are faults, each told by its name`() throws {
        var ceilings = known
        ceilings["counter: three buffers of 100 bytes"] = 2
        ceilings["counter: one object"] = nil
        ceilings["an operation of former days"] = 1
        let outcome = try check(ceilings)
        #expect(outcome.code == 1)
        #expect(
            outcome.err.contains("counter: three buffers of 100 bytes: 3 allocations, and at most 2 are allowed"))
        #expect(outcome.err.contains("counter: one object: there is no ceiling; today's would be 1"))
        #expect(outcome.err.contains("an operation of former days: there is a ceiling and no such operation"))
        #expect(!outcome.err.contains("counter: nothing"))
    }

    @Test func `a file that holds no ceilings is a fault, and an unknown option is usage`() throws {
        #expect(try run("--filter", "counter:", "--check", "/nowhere/ceilings.json").code == 1)
        #expect(try run("--filter", "no such operation").code == 1)
        for arguments in [["--fast"], ["--filter"], ["--check"], ["--trace", ""]] {
            #expect(try Program(Program.benchmark, arguments).wait().code == 2)
        }
    }

    @Test func `a trace tells where each allocation is made`() throws {
        let outcome = try run("--trace", "counter: three")
        #expect(outcome.code == 0)
        #expect(outcome.out.contains("allocation 3 of 3"))
        #expect(outcome.out.contains("CODE \"\(Program.benchmark)\" 0x"))
    }
}
