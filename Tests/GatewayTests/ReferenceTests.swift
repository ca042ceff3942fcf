import Access
import Bytes
import Foundation
import HTTP
import Providers
import Testing

@testable import Gateway
@testable import TestSamples

/// docs/api.md and docs/openapi.json are what the program says of itself.
@Suite struct ReferenceTests {
    @Test func `docs/api.md is what countersign api prints`() throws {
        let isSame = try Repository.text("docs/api.md") == APIReference.text + "\n"
        #expect(isSame, "scripts/write-reference writes it anew")
    }

    @Test func `docs/openapi.json is what countersign api --format json prints`() throws {
        let isSame = try Repository.text("docs/openapi.json") == APIReference.openAPI + "\n"
        #expect(isSame, "scripts/write-reference writes it anew")
    }

    @Test func `every error code is a heading, and so an anchor, with its status, its cause and its remedy`() {
        let sections = APIReference.text.components(separatedBy: "\n### ")
        for code in Refusal.Code.allCases {
            let found = sections.filter { $0.hasPrefix("\(code.text)\n") }
            #expect(found.count == 1, "\(code.text)")
            for text in ["Status: \(code.status.rawValue) ", "Cause: \(code.cause)", "Remedy: \(code.remedy)"] {
                #expect(found.first?.contains(text) == true, "\(code.text)")
            }
        }
    }

    @Test func `every link leads to a heading, and no two headings have one anchor`() {
        let text = APIReference.text
        let anchors = text.matches(of: #/(?m)^#+ (.+)$/#).map { match in
            match.output.1.lowercased().replacing(" ", with: "-").filter {
                $0.isLetter || $0.isNumber || "_-".contains($0)
            }
        }
        #expect(Set(anchors).count == anchors.count)
        for match in text.matches(of: #/\]\(#([^)]+)\)/#) { #expect(anchors.contains(String(match.output.1))) }
    }

    @Test func `every route is there, with all of its parameters and members, and an example of each`() {
        let sections = APIReference.text.components(separatedBy: "\n### ")
        for route in Registry.routes.map(\.description) {
            guard let section = sections.first(where: { $0.hasPrefix("\(route.name)\n") }) else {
                Issue.record("no \(route.name)")
                continue
            }
            #expect(section.contains(" \(route.path.text)`"))
            for parameter in route.request.parameters {
                #expect(section.contains("| `\(parameter.name)` |"), "\(route.name)")
            }
            for name in route.answer.members.map(\.name) { #expect(section.contains("| `\(name)` |"), "\(route.name)") }
        }
        for operation in APIOperation.all {
            for field in operation.answer where !APIExample.absent.contains(field.name) {
                #expect(APIExample.value(of: field) != nil, "\(operation.name) \(field.name)")
            }
        }
    }
}
