import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Inspection
@testable import Providers

/// The provider that docs/adding-a-provider.md makes, built as it stands there.
struct ToyboxTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private static let guide = Result {
        try String(
            contentsOf: folder.appending(path: "../../../docs/adding-a-provider.md").standardized, encoding: .utf8)
    }

    /// The blocks of code in the guide, of one language.
    private static func blocks(_ language: String) throws -> [String] {
        try guide.get().components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
    }

    @Test(arguments: ["Toybox", "ToyboxToken", "InspectedToyboxToken", "ToyboxVectors"])
    func `the guide shows the file that is built here, word for word`(name: String) throws {
        let file = try String(contentsOf: Self.folder.appending(path: "\(name).swift"), encoding: .utf8)
        // The provider's own files are in the rooms that the tests import.
        let own = name == "InspectedToyboxToken" ? "Inspection" : "Providers"
        let shown = name == "ToyboxVectors" ? file : file.replacing("@testable import \(own)\n\n", with: "")
        #expect(try Self.blocks("swift").contains(shown))
    }

    @Test func `every file that the guide names is there, but for its own`() throws {
        let root = Self.folder.appending(path: "../../..").standardized
        let paths = ["Sources", "Tests"].flatMap { name in
            FileManager.default.enumerator(atPath: root.appending(path: name).path)?.compactMap { "\($0)" } ?? []
        }
        let named = try Self.guide.get().matches(of: #/`([A-Za-z0-9+\/]+\.swift)`/#).map { String($0.1) }
        #expect(named.count > 15)
        for name in named where !name.contains("Toybox") {
            let file = name.replacing(#/^(Sources|Tests)\//#, with: "")
            #expect(paths.contains { "/\($0)".hasSuffix("/\(file)") }, "\(name)")
        }
    }

    private static func vector() throws -> Vector {
        let json = try #require(try blocks("json").first)
        let top = try JSONSerialization.jsonObject(with: Data(json.utf8))
        return try #require(Vector.read(top, from: "the guide").first)
    }

    @Test func `the guide's vector is what the guide's signer makes`() throws {
        try ToyboxVectors.token(try Self.vector())
    }

    @Test func `the guide's inspector knows the token, and leaves its signature open`() throws {
        let vector = try Self.vector()
        let keyring = Keyring([
            Keyring.Entry(credential: "t", key: try Signing.key(try vector.input), fields: FieldValues())
        ])
        let input = try InspectionInput(reading: try #require(try vector.expected["token"]).bytes)
        let inspection = InspectedToyboxToken.inspector.inspect(input, with: keyring, at: 1_699_999_990)
        #expect(inspection?.endsAt == 1_700_000_000)
        #expect(inspection?.checks.map(\.outcome).contains(.open) == true)
    }

    @Test(arguments: [("10", true), ("11", false)])
    func `the guide's grant holds callers to its own field`(size: String, isAdmitted: Bool) throws {
        var grant = Settings(of: ToyboxToken.Fields())
        grant.maxSize = 10
        let context = GrantContext(target: .anything, accessKey: [])
        guard case .signing(let issuer) = try ToyboxToken.route.grant.makeIssuer(grant.values, context) else {
            Issue.record("it signs nothing")
            return
        }
        var ask = Ask(Nonce(InlineArray(repeating: 0)))
        try ask.parameters.add(name: Array("size".utf8).span, value: Array(size.utf8).span, form: .text)
        try ask.read(by: ToyboxToken.route.request.parameters)
        #expect((issuer.objection(to: ask) == nil) == isAdmitted)
    }
}
