import Testing

@testable import Access
@testable import Bytes
@testable import Providers

/// What sessions may do that sign for grants.
@Suite struct OSSPermissionsTests {
    @Test func `each operation that is signed needs the action that the vendor's page names`() {
        let expected = [
            "GET": "GetObject", "HEAD": "GetObject", "GET versionId": "GetObjectVersion",
            "HEAD versionId": "GetObjectVersion", "HEAD objectMeta": "GetObject", "PUT": "PutObject",
            "DELETE": "DeleteObject", "POST append position": "PutObject", "POST uploads": "PutObject",
            "PUT uploadId partNumber": "PutObject", "GET uploadId": "ListParts", "POST uploadId": "PutObject",
            "DELETE uploadId": "AbortMultipartUpload",
        ]
        let operations = OSSOperations.table.operations
        let found = operations.map { operation in
            (
                ([operation.method] + operation.subResources).map(\.text).joined(separator: " "),
                OSSPermissions.action(for: operation).text
            )
        }
        #expect(Dictionary(found) { first, _ in first } == expected.mapValues { "oss:\($0)" })
        let actions = OSSPermissions.actions(for: operations)
        #expect(Set(actions).count == actions.count)
        #expect(actions.allSatisfy { SessionPolicy.oss.objectActions.contains($0.text) })
    }

    /// The resource of a grant's session, or the field that is wrong.
    private func resource(key: String? = nil, prefix: String? = nil, bucket: String? = "files") throws -> String {
        var grant = Settings(of: OSSRequestClauses.Fields(OSSOperations.table))
        grant.methods = .texts("GET")
        let target: Grant.Target =
            if let key { .key(try KeyTemplate(Array(key.utf8))) } else if let prefix {
                .prefix(try KeyTemplate(Array(prefix.utf8)))
            } else { .anything }
        var credential = Settings(of: OSS.credential)
        credential.region = Array("cn-hangzhou".utf8)
        grant.versions = .texts("v4")
        let context = GrantContext(
            target: target, bucket: bucket.map { Array($0.utf8) }, accessKey: [], credential: credential.values,
            hasSessions: true)
        do throws(FieldProblem) {
            guard
                case .signingBySession(_, let json) = try OSSAuthorization.urlRoute.grant.makeIssuer(
                    grant.values, context)
            else {
                return "none"
            }
            let policy = json.text
            let start = #"{"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:GetObject"],"Resource":["#
            guard policy.hasPrefix(start), policy.hasSuffix("]}]}") else { return policy }
            return String(policy.dropFirst(start.count).dropLast(4))
        } catch {
            return error.path
        }
    }

    @Test func `a policy is for the part of the keys that is always the same`() throws {
        #expect(try resource(prefix: "in/") == #""acs:oss:*:*:files/in/*""#)
        #expect(try resource(prefix: "users/${caller.source}/pictures/") == #""acs:oss:*:*:files/users/*""#)
        #expect(try resource(prefix: "${caller.source}/") == #""acs:oss:*:*:files/*""#)
        #expect(try resource(key: "in/a.pdf") == #""acs:oss:*:*:files/in/a.pdf""#)
        #expect(try resource(key: "in/a-${uuid}.pdf") == #""acs:oss:*:*:files/in/a-*""#)
        #expect(try resource(prefix: "照片/a b&c'd~<>/") == #""acs:oss:*:*:files/照片/a b&c'd~<>/*""#)
        #expect(try resource() == #""acs:oss:*:*:files/*""#)
    }

    @Test func `what a policy would read as more than itself is refused`() throws {
        for text in ["in/*/", "in/?/", "a\"/", "a\\/"] {
            #expect(try resource(prefix: text) == "keyPrefix")
            #expect(try resource(key: text + "x") == "key")
        }
        #expect(try resource(bucket: nil) == "bucket")
    }

    @Test func `a grant of a key has no session`() throws {
        var grant = Settings(of: OSSRequestClauses.Fields(OSSOperations.table))
        grant.methods = .texts("GET")
        var credential = Settings(of: OSS.credential)
        credential.region = Array("cn-hangzhou".utf8)
        let context = GrantContext(
            target: .prefix(try KeyTemplate(Array("in/".utf8))), bucket: Array("files".utf8), accessKey: [],
            credential: credential.values)
        guard case .signing = try OSSAuthorization.headerRoute.grant.makeIssuer(grant.values, context) else {
            Issue.record("it signs by a session")
            return
        }
    }

    @Test func `a grant's session is its own, whatever others may do with equal keys`() throws {
        func session(_ grant: String, policy: String = "{}", _ account: STSAccount) throws -> VendorSession {
            let grant = Grant(
                Grant.Entry(Array(grant.utf8), at: 0), for: Grant.Principals([.anonymous]),
                of: Grant.Resources(.anything, in: .absent, withoutKey: .prefix),
                lasting: Grant.Lifetimes(usual: 60, longest: 60), Grant.Issuance(by: Silent(), on: 0, with: 0))
            return try #require(try VendorSession(signingFor: grant, allowing: Array(policy.utf8), of: account))
        }
        let account = try STSSample.account()
        let short = try STSSample.account { $0.signingLifetime = 900_000 }
        let sessions = [
            try session("a", account), try session("b", account), try session("a", policy: "{ }", account),
            try session("a", short),
        ]
        #expect(Set(sessions.map(\.key)).count == sessions.count)
        #expect(sessions.map(\.request.lifetime) == [3600, 3600, 3600, 900])
        #expect(try session("a", account).key == sessions[0].key)
        #expect(try VendorSession(signingFor: Silent.grant, allowing: [], of: account) == nil)
    }

    private struct Silent: Issuer {
        static let grant = Grant(
            Grant.Entry([], at: 0), for: Grant.Principals([]),
            of: Grant.Resources(.anything, in: .absent, withoutKey: .prefix),
            lasting: Grant.Lifetimes(usual: 60, longest: 60), Grant.Issuance(by: Silent(), on: 0, with: 0))

        func objection(to ask: borrowing Ask) -> Objection? { nil }
    }
}
