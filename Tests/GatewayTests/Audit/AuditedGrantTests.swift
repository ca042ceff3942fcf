import Bytes
import Testing

@testable import Configuration
@testable import Gateway
@testable import TestSamples

/// What a line of the audit tells of its grant.
@Suite struct AuditedGrantTests {
    /// The members of a line, of a grant with these keys besides.
    private func members(_ keys: String) throws -> [String: String] {
        let configuration = try SampleConfiguration.configuration(
            grants: """
                open: { route: "qiniu.uptoken", credential: "q", callers: "anonymous", public: true, bucket: "files",
                  keyPrefix: "in/", \(keys) }
                """)
        let grant = try #require(configuration.grants.first)
        let line = Array("{".utf8) + AuditedGrant(grant, of: configuration).members.dropFirst() + Array("}".utf8)
        guard case .object(let members) = try JSONReader.read(line, as: .json).content else { return [:] }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.name.text, $0.value.text?.text ?? "") })
    }

    @Test func `a line has the grant's description, if the grant has one`() throws {
        let common = ["grant": "open", "route": "qiniu.uptoken", "provider": "qiniu", "credential": "q"]
        #expect(try members("") == common)
        let described = common.merging(["description": "Spring, \"春\""]) { $1 }
        #expect(try members("description: \"Spring, \\\"春\\\"\"") == described)
    }
}
