import Foundation
import Testing

/// The walls between the rooms: which room may look into which.
@Suite struct ImportTests {
    /// What each target may import; the design's table.
    static let allowed: [String: Set<String>] = [
        "Bytes": [],
        "Crypto": ["Bytes", "COpenSSL"],
        "Access": ["Crypto", "Bytes"],
        "Providers": ["Access", "Crypto", "Bytes"],
        "Inspection": ["Providers", "Access", "Crypto", "Bytes"],
        "Cluster": ["Net", "Access", "Crypto", "Bytes", "CHiredis"],
        "Upstream": ["Net", "HTTP", "Providers", "Access", "Crypto", "Bytes"],
        "HTTP": ["Bytes"],
        "Net": ["HTTP", "Crypto", "Bytes", "CSystem", "COpenSSL", "Glibc", "Darwin", "Dispatch", "Synchronization"],
        "Sandbox": ["Net", "HTTP", "Machine", "Crypto", "Bytes", "CZlib", "Glibc", "Darwin"],
        "Machine": ["CSystem", "Glibc", "Darwin", "Dispatch"],
        "Telemetry": ["Bytes", "Glibc", "Darwin", "Dispatch", "Synchronization"],
        "Audit": ["Machine", "Crypto", "Bytes", "Glibc", "Darwin"],
        "Configuration": [
            "Access", "Providers", "Upstream", "Cluster", "HTTP", "Audit", "Telemetry", "Machine", "Crypto", "Bytes",
        ],
        "Gateway": [
            "Configuration", "Cluster", "Inspection", "Machine", "Upstream", "Providers", "Access", "Audit",
            "Telemetry",
            "Net", "HTTP", "Crypto", "Bytes", "CConsole", "CZlib", "Dispatch",
        ],
        "Lifecycle": [
            "Gateway", "Configuration", "Cluster", "Machine", "Net", "HTTP", "Audit", "Telemetry", "Access", "Crypto",
            "Bytes", "CSystem", "Glibc", "Darwin", "Dispatch",
        ],
        "CommandLine": [
            "Lifecycle", "Gateway", "Configuration", "Cluster", "Inspection", "Machine", "Net", "HTTP", "Audit",
            "Telemetry",
            "Providers", "Access", "Crypto", "Bytes", "Glibc", "Darwin",
        ],
        "countersign": ["CommandLine"],
        "countersign-sandbox": ["Sandbox"],
        "countersign-bench": [
            "Gateway", "Configuration", "Machine", "Upstream", "Providers", "Access", "Telemetry", "Net", "HTTP",
            "Crypto", "Bytes", "ReplicaModel", "COpenSSL", "CAllocations", "Glibc", "Darwin",
        ],
        // For apps: nothing of the service, and what Linux, iOS and macOS have.
        "CountersignClient": ["Foundation", "FoundationNetworking"],
        "CSystem": [], "COpenSSL": [], "CHiredis": [], "CZlib": [], "CConsole": [], "CAllocations": [],
    ]

    struct Source: Sendable {
        let target: String
        let path: String
        let lines: [String]
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let sources: [Source] = files(below: "Sources")

    static func files(below folder: String) -> [Source] {
        let top = root.appending(path: folder).resolvingSymlinksInPath()
        let all = FileManager.default.enumerator(at: top, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
        return all.filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }.map { file in
            let path = String(file.path.dropFirst(top.path.count + 1))
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            return Source(
                target: String(path.prefix { $0 != "/" }), path: folder + "/" + path,
                lines: text.components(separatedBy: "\n"))
        }
    }

    /// The module of an import line, whatever attributes and access it has; nil for any other line.
    static func module(importedBy line: String) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard let index = words.firstIndex(of: "import"),
            words[..<index].allSatisfy({ $0.first == "@" || isAccess($0) })
        else { return nil }
        // `import struct Module.Name`
        let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        let rest = words[(index + 1)...].drop { kinds.contains($0) }
        return rest.first.map { String($0.prefix { $0 != "." }) }
    }

    private static func isAccess(_ word: String) -> Bool {
        ["public", "package", "internal", "private", "fileprivate"].contains(word)
    }

    @Test func `import lines are recognised in every spelling`() {
        #expect(ImportTests.module(importedBy: "import Foundation") == "Foundation")
        #expect(ImportTests.module(importedBy: "@testable import Bytes") == "Bytes")
        #expect(ImportTests.module(importedBy: "package import struct Crypto.Secret") == "Crypto")
        #expect(ImportTests.module(importedBy: "// import nothing") == nil)
        #expect(ImportTests.module(importedBy: "let important = 1") == nil)
    }

    @Test func `a room imports only what the design lets it`() {
        for source in ImportTests.sources {
            guard let allowed = ImportTests.allowed[source.target] else {
                Issue.record("the design has no room \(source.target)")
                continue
            }
            for line in source.lines {
                guard let module = ImportTests.module(importedBy: line), !allowed.contains(module) else { continue }
                Issue.record("\(source.path) imports \(module)")
            }
        }
    }

    @Test func `every room of the design is there`() {
        let targets = Set(ImportTests.sources.map(\.target))
        #expect(
            targets
                == Set(ImportTests.allowed.keys).subtracting([
                    "CSystem", "COpenSSL", "CHiredis", "CZlib", "CConsole", "CAllocations",
                ]))
    }

    /// The compiler inlines and specialises across rooms what is `@inlinable`, of types that are `public` or `@usableFromInline`. The
    /// client library is for others.
    @Test func `nothing is public but what other rooms inline of Bytes`() {
        for source in ImportTests.sources where source.target != "CountersignClient" {
            var last = ""[...]
            for line in source.lines.map({ $0.drop { $0 == " " } }) {
                let access = line.split(separator: " ").first { $0.first != "@" }
                let isInlined = source.target == "Bytes" && (last == "@inlinable" || line.hasPrefix("public struct "))
                if access == "open" || access == "public" && !isInlined { Issue.record("\(source.path): \(line)") }
                last = line
            }
        }
    }

    @Test func `no file is longer than 450 lines`() {
        let tests = ImportTests.files(below: "Tests")
        #expect(!tests.isEmpty)
        for file in ImportTests.sources + tests {
            #expect(file.lines.count <= 451, "\(file.path) has \(file.lines.count) lines")
        }
    }

    @Test func `nothing that input can reach may trap on purpose`() {
        for source in ImportTests.sources {
            for (number, line) in source.lines.enumerated() {
                for trap in ["try!", "as!", "fatalError(", "preconditionFailure(", "unsafeBitCast"]
                where line.contains(trap) && !line.trimmingCharacters(in: .whitespaces).hasPrefix("//") {
                    Issue.record("\(source.path):\(number + 1) has \(trap)")
                }
            }
        }
    }

    @Test func `the service's executable holds no sandbox, and the sandbox's no code that signs`() throws {
        let service = try ImportTests.contents(of: "countersign")
        let sandbox = try ImportTests.contents(of: "countersign-sandbox")
        #expect(service.contains("Providers") && service.contains("Net") && !service.contains("Sandbox"))
        #expect(sandbox.contains("Sandbox") && sandbox.contains("Net"))
        #expect(
            sandbox.isDisjoint(with: ["Providers", "Access", "Upstream", "Configuration", "Inspection", "Gateway"]))
    }

    /// All targets that an executable is linked with, as Package.swift says.
    private static func contents(of executable: String) throws -> Set<String> {
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        var dependencies: [String: [String]] = [:]
        let room = #/\broom\(\s*"([\w-]+)"([^)]*)\)/#
        let program = #/\.executableTarget\(\s*name: "([\w-]+)",\s*dependencies: \[([^\]]*)\]/#
        let targets = manifest.matches(of: room).map(\.output) + manifest.matches(of: program).map(\.output)
        for (_, name, list) in targets {
            dependencies[String(name)] = list.matches(of: #/"([\w-]+)"/#).map { String($0.output.1) }
        }
        var found: Set<String> = []
        var left = [executable]
        while let target = left.popLast() {
            if found.insert(target).inserted { left += dependencies[target] ?? [] }
        }
        return found
    }
}
