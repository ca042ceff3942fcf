import Foundation
import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

private let ann = Principal(.apiKey, id: Array("ann".utf8), subject: Array("ann".utf8))
private let bob = Principal(.apiKey, id: Array("bob".utf8), subject: Array("bob".utf8))

/// A grant's own fields, and what stands beside them.
private typealias Sample = (grant: Settings<SessionIssuer.Fields>, context: GrantContext)

private func fields(
    prefix: String? = "users/${caller.id}/", bucket: String? = "examplebucket", actions: [String] = ["oss:PutObject"],
    _ change: (inout Settings<SessionIssuer.Fields>) throws -> Void = { _ in }
) throws -> Sample {
    var grant = Settings(of: SessionIssuer.Fields(of: .oss))
    grant.actions = actions.map { Array($0.utf8) }
    try change(&grant)
    let target: Grant.Target = try prefix.map { .prefix(try KeyTemplate(Array($0.utf8))) } ?? .anything
    return (
        grant,
        GrantContext(target: target, bucket: bucket.map { Array($0.utf8) }, accessKey: Array("LTAI1".utf8))
    )
}

extension SessionIssuer {
    fileprivate init(_ sample: Sample) throws(FieldProblem) {
        try self.init(sample.grant, sample.context, DistributeToken.form)
    }
}

private func problem(_ sample: Sample) -> String? {
    do throws(FieldProblem) {
        _ = try SessionIssuer(sample)
        return nil
    } catch {
        return error.path
    }
}

/// Stands where a permit is, and asks the real issuer for the session.
private struct Probe: TokenIssuer {
    final class Box: @unchecked Sendable {
        var result: Result<VendorSession, SessionRequestFault>?
    }

    let issuer: SessionIssuer
    let principal: Principal
    let account: STSAccount
    let box = Box()

    func objection(to ask: borrowing Ask) -> Objection? { nil }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        do throws(SessionRequestFault) {
            box.result = .success(try issuer.session(under: permit, for: principal, of: account, using: &scratch))
        } catch {
            box.result = .failure(error)
        }
    }
}

private func session(
    _ issuer: SessionIssuer, for principal: Principal = ann, prefix: String = "users/ann/",
    extent: Permit.Extent = .prefix, vendorName: String = "", lifetime: Int64 = 3600, account: STSAccount? = nil
) throws -> Result<VendorSession, SessionRequestFault> {
    let probe = Probe(issuer: issuer, principal: principal, account: try account ?? STSSample.account())
    let key = try SigningKey(accessKey: Array("LTAI1".utf8), secret: Secret(Array("s".utf8)))
    _ = try Signing.issue(
        probe, with: key, bucket: "examplebucket", key: prefix, extent: extent, vendorName: Array(vendorName.utf8),
        now: STSSample.now, lifetime: lifetime)
    return try #require(probe.box.result)
}

extension VendorSession {
    /// What Alibaba Cloud is asked.
    fileprivate var role: AssumeRole { get throws { try #require(request as? AssumeRole) } }
}

@Suite struct DistributeTokenTests {
    @Test func `a grant that is taken has a session policy for the longest claims and names that R14 admits`() throws {
        let longest = String(repeating: "x", count: 128)
        var taken = 0
        for length in stride(from: 1, through: 1000, by: 9) {
            let start = String(repeating: "a", count: length)
            let fields = try fields(prefix: start + "/${caller.id}/${claims.tenant}/") {
                $0.listPrefix = true
            }
            guard problem(fields) == nil else { continue }
            taken += 1
            let prefix = "\(start)/\(longest)/\(longest)/"
            let session = try session(try SessionIssuer(fields), prefix: prefix, vendorName: longest)
            let role = try session.get().role
            let (policy, name) = (role.policy?.count, role.sessionName.count)
            #expect(policy.map { $0 <= SessionPolicy.maximumLength } == true)
            #expect((2...64).contains(name))
        }
        #expect((1..<111).contains(taken), "some fit, and the longest do not")
    }

    @Test func `a permit becomes the request for a session`() throws {
        let account = try STSSample.account {
            $0.externalId = STSSample.bytes("ext")
            $0.sourceIdentity = STSSample.bytes("gate")
        }
        let issuer = try SessionIssuer(fields())
        let request = try session(issuer, account: account).get().role
        #expect(request.roleARN.text == "acs:ram::1:role/app" && request.durationSeconds == 3600)
        #expect(request.externalID?.text == "ext" && request.sourceIdentity?.text == "gate")
        #expect(request.sessionName.text.hasPrefix("ann-"))
        #expect(
            request.policy?.text
                == #"{"Version":"1","Statement":[{"Effect":"Allow","Action":["oss:PutObject"],"#
                + #""Resource":["acs:oss:*:*:examplebucket/users/ann/*"]}]}"#)
    }

    @Test func `R17: nobody gets another's session, even of the same prefix and name`() throws {
        let issuer = try SessionIssuer(fields(prefix: "common/"))
        let first = try session(issuer, for: ann, prefix: "common/", vendorName: "app").get()
        let second = try session(issuer, for: bob, prefix: "common/", vendorName: "app").get()
        #expect(try first.key != second.key && first.role.sessionName != second.role.sessionName)
        #expect(try first.key == session(issuer, for: ann, prefix: "common/", vendorName: "app").get().key)
    }

    @Test func `R17: with shareAcrossCallers they get one, if all else is equal`() throws {
        let issuer = try SessionIssuer(fields(prefix: "common/") { $0.shareAcrossCallers = true })
        let first = try session(issuer, for: ann, prefix: "common/").get()
        #expect(try first.key == session(issuer, for: bob, prefix: "common/").get().key)
        #expect(try first.role.sessionName.text.hasPrefix("test-"))
        #expect(try first.key != session(issuer, for: bob, prefix: "other/").get().key)
        #expect(try first.key != session(issuer, for: bob, prefix: "common/", lifetime: 3601).get().key)
    }

    @Test func `R17: no session shorter than the vendor's least`() throws {
        let issuer = try SessionIssuer(fields())
        for lifetime in [-1, 0, 899] as [Int64] {
            guard case .failure(.tooShort) = try session(issuer, lifetime: lifetime) else {
                Issue.record("\(lifetime)")
                continue
            }
        }
        #expect(try session(issuer, lifetime: 900).get().request.lifetime == 900)
        guard case .failure(.parameter("durationSeconds")) = try session(issuer, lifetime: 43_201) else {
            Issue.record("longer than any role allows")
            return
        }
    }

    @Test func `a prefix that is none is no session`() throws {
        let issuer = try SessionIssuer(fields())
        for prefix in ["users/*/", "users/ann", "", "users/ann/a.jpg"] {
            guard case .failure(.policy(.prefix)) = try session(issuer, prefix: prefix) else {
                Issue.record("\(prefix)")
                continue
            }
        }
        for key in ["users/ann/*", "users/ann/a?.jpg", "users/ann/$a", "users/ann/\"", "users/ann/\\"] {
            guard case .failure(.policy(.prefix)) = try session(issuer, prefix: key, extent: .object) else {
                Issue.record("\(key)")
                continue
            }
        }
    }

    @Test func `a session of one key is of that alone, and lists nothing`() throws {
        let issuer = try SessionIssuer(fields())
        let session = try session(issuer, prefix: "users/ann/a.jpg", extent: .object).get()
        let policy = try #require(session.request.policy?.text)
        #expect(policy.contains(#""Resource":["acs:oss:*:*:examplebucket/users/ann/a.jpg"]"#))
        #expect(!policy.contains("oss:ListObjects") && !policy.contains("a.jpg*"))
        #expect(String(json: { $0.add(session.scope) }) == #"{"Bucket":"examplebucket","Key":"users/ann/a.jpg"}"#)
    }

    @Test func `unscoped is the whole bucket`() throws {
        let issuer = try SessionIssuer(fields(prefix: nil, actions: ["oss:*"]))
        let policy = try session(issuer, prefix: "", extent: .bucket).get().request.policy?.text
        #expect(policy?.contains(#""acs:oss:*:*:examplebucket/*""#) == true)
    }

    // MARK: What a grant may say

    @Test func `a good grant is taken`() throws {
        #expect(problem(try fields()) == nil)
        #expect(problem(try fields(prefix: nil, actions: ["oss:*", "kms:Decrypt"])) == nil)
        #expect(
            problem(
                try fields {
                    $0.sessionName = try KeyTemplate(Array("app-${caller.id}".utf8))
                    $0.outliveCaller = true
                }) == nil)
    }

    @Test func `R17: a session outlives the caller's own credential only where the grant says so`() throws {
        #expect(try SessionIssuer(fields()).callersEnd == .denies)
        #expect(try SessionIssuer(fields { $0.outliveCaller = false }).callersEnd == .denies)
        #expect(try SessionIssuer(fields { $0.outliveCaller = true }).callersEnd == .ignored)
    }

    @Test func `nothing in it is another for every request`() throws {
        #expect(problem(try fields(prefix: "a/${uuid}/")) == "keyPrefix")
        #expect(
            problem(try fields { $0.sessionName = try KeyTemplate(Array("a-${uuid}".utf8)) })
                == "sessionName")
        #expect(problem(try fields(prefix: "a/${date.yyyy}/")) == nil)
    }

    @Test func `a bad grant names its field`() throws {
        #expect(problem(try fields(actions: [])) == "actions")
        #expect(problem(try fields(actions: ["oss:*"])) == "actions")
        #expect(problem(try fields(bucket: nil)) == "bucket")
        #expect(problem(try fields(bucket: "a/b")) == "bucket")
        #expect(problem(try fields(prefix: "users/*/")) == "keyPrefix")
        #expect(problem(try fields(prefix: "users/?/${caller.id}/")) == "keyPrefix")
        #expect(problem(try fields(prefix: "users/${caller.id}")) == "keyPrefix")
        #expect(problem(try fields(prefix: "a\"b/")) == "keyPrefix")
        #expect(
            problem(try fields(prefix: String(repeating: "k", count: 1000) + "/") { $0.listPrefix = true })
                == "actions")
        for name in ["${caller.id}", "${caller.source}"] {
            #expect(
                problem(
                    try fields {
                        $0.sessionName = try KeyTemplate(Array(name.utf8))
                        $0.shareAcrossCallers = true
                    }) == "sessionName")
        }
        #expect(
            problem(try fields { $0.sessionName = try KeyTemplate(Array("a.${ext}".utf8)) })
                == "sessionName")
    }

    @Test(arguments: [("899", false), ("900", true), ("43200", true), ("1", false)])
    func `R17: expires begins at 900`(text: String, isTaken: Bool) throws {
        var ask = Ask(Nonce(InlineArray(repeating: 0)))
        try ask.parameters.add(name: Array("expires".utf8).span, value: Array(text.utf8).span, form: .text)
        var parameter: String?
        do throws(AskError) { try ask.read(by: DistributeToken.route.request.parameters) } catch {
            parameter = error.parameter
        }
        #expect(parameter == (isTaken ? nil : "expires"))
        #expect(DistributeToken.route.request.shortestLifetime == 900)
    }

    @Test func `the route is as the contract has it`() {
        let route = DistributeToken.route
        #expect(route.name == "distribute-token" && route.path == Array("/distribute-token.json".utf8))
        #expect(route.request.parameters.map(\.name) == ["grant", "key", "keyPrefix", "expires"])
        #expect(
            Set(route.grant.fields.map(\.name))
                == ["actions", "sessionName", "listPrefix", "narrow", "outliveCaller", "shareAcrossCallers"])
        #expect(
            route.answer.members.map(\.name)
                == ["StatusCode", "Code", "AccessKeyId", "AccessKeySecret", "SecurityToken", "Expiration", "Scope"])
        #expect(STS.description.name == "sts" && STS.description.routes.map(\.name) == ["distribute-token"])
    }
}

@Suite struct STSAccountTests {
    private func problem(_ change: (inout Settings<STSAccount.Fields>) -> Void) -> String? {
        do {
            _ = try STSSample.account { change(&$0) }
            return nil
        } catch {
            return (error as? FieldProblem)?.path ?? "\(error)"
        }
    }

    @Test func `the least is a role`() throws {
        let account = try STSSample.account()
        #expect(account.endpoints.map(\.authority.text) == ["sts.aliyuncs.com"])
        #expect(account.identity == .key && account.scheme == .acs3)
        #expect(account.signingLifetime == 3600)
        #expect(account.externalID == nil && account.sourceIdentity == nil)
    }

    @Test func `everything can be said`() throws {
        let account = try STSSample.account {
            $0.endpoints = .texts("https://sts.cn-hangzhou.aliyuncs.com", "https://sts.aliyuncs.com:444")
            // Where STS is asked; the region is the buckets' then.
            $0.region = STSSample.bytes("cn-shanghai")
            $0.ossEndpoint = STSSample.bytes("oss.internal:8443")
            $0.signingLifetime = 7_200_000
            $0.signature = .rpc
            $0.identity = .oidc
            $0.oidcRoleArn = STSSample.bytes("acs:ram::1:role/pod")
            $0.oidcProviderArn = STSSample.bytes("acs:ram::1:oidc-provider/ack")
            $0.oidcTokenFile = STSSample.bytes("/var/run/secrets/token")
        }
        guard case .oidc(let role, let provider, let tokenFile) = account.identity
        else {
            Issue.record("something else")
            return
        }
        #expect(account.endpoints.count == 2 && account.scheme == .rpc && account.signingLifetime == 7200)
        #expect(
            [role.text, provider.text, tokenFile.text]
                == ["acs:ram::1:role/pod", "acs:ram::1:oidc-provider/ack", "/var/run/secrets/token"])
    }

    @Test func `every mistake names its field`() {
        #expect(problem { $0.roleArn = nil } == "roleArn")
        #expect(problem { $0.roleArn = STSSample.bytes("role") } == "roleArn")
        #expect(problem { $0.endpoints = [] } == "endpoints")
        #expect(problem { $0.endpoints = .texts("sandbox") } == "endpoints")
        #expect(problem { $0.endpoints = .texts("http://a.com") } == "endpoints")
        #expect(problem { $0.endpoints = .texts("https://a.com", "https://A.com:443/") } == "endpoints")
        #expect(problem { $0.region = STSSample.bytes("a b") } == "region")
        #expect(
            problem {
                $0.region = STSSample.bytes("oss-cn-hangzhou")
                $0.endpoints = .texts("https://a.com")
            } == "region")
        #expect(problem { $0.ossEndpoint = STSSample.bytes("https://a.com") } == "ossEndpoint")
        #expect(problem { $0.externalId = STSSample.bytes("a") } == "externalId")
        #expect(problem { $0.sourceIdentity = STSSample.bytes("a b") } == "sourceIdentity")
        #expect(problem { $0.identity = .oidc } == "oidcRoleArn")
        #expect(problem { $0.oidcTokenFile = STSSample.bytes("a") } == "oidcTokenFile")
        #expect(problem { $0.ecsRole = STSSample.bytes("a") } == "ecsRole")
        #expect(
            problem {
                $0.identity = .ecs
                $0.ecsRole = STSSample.bytes("a/b")
            } == "ecsRole")
    }

    @Test func `a fingerprint tells keys apart and nothing of them`() throws {
        let (first, second) = (try STSSample.account(secret: "one"), try STSSample.account(secret: "two"))
        #expect(first.fingerprint != second.fingerprint && first.fingerprint.count == 32)
        #expect(try first.fingerprint == STSSample.account(secret: "one").fingerprint)
        #expect(!everything(of: first).contains("one"))
    }

    @Test func `a fingerprint tells the tokens of temporary keys apart, and shows nothing of them`() throws {
        let accounts = try [nil, "token-1", "token-2"].map { try STSSample.account(securityToken: $0) }
        #expect(Set(accounts.map(\.fingerprint)).count == 3)
        for account in accounts { #expect(!everything(of: account).contains("token")) }
        for token in ["a b", "a\"b", "é", String(repeating: "t", count: 16_385)] {
            #expect(throws: FieldProblem.self) { try STSSample.account(securityToken: token) }
        }
    }

    private func source(_ change: (inout Settings<STSAccount.Fields>) -> Void) -> String {
        var fields = Settings(of: STSAccount.fields)
        change(&fields)
        do throws(FieldProblem) { return "\(try STSAccount.keySource(of: fields))" } catch { return error.path }
    }

    @Test(arguments: STSAccount.IdentityKind.allCases, [false, true])
    func `a credential has the one key that it means, and no real one goes to the sandbox`(
        identity: STSAccount.IdentityKind, isSandbox: Bool
    ) {
        func source(accessKey: Bool = false, secretKey: Bool = false) -> String {
            self.source { fields in
                let pair = CredentialFields()
                fields.identity = identity
                fields.values[pair.sandbox] = isSandbox
                fields.endpoints = .texts("http://127.0.0.1:8090")
                if accessKey { fields.values[pair.accessKey] = STSSample.bytes("x") }
                if secretKey { fields.values[pair.secretKey] = Secret(STSSample.bytes("x")) }
            }
        }
        switch (identity, isSandbox) {
        case (.key, _):
            #expect(source(accessKey: true, secretKey: true) == "fields")
            #expect(source(secretKey: true) == "accessKey" && source(accessKey: true) == "secretKey")
        case (_, true): #expect(source() == "identity")
        default:
            #expect(source() == (identity == .environment ? "environment" : "fetched"))
            #expect(source(secretKey: true) == "secretKey" && source(accessKey: true) == "accessKey")
        }
    }

    @Test(arguments: [
        (["http://127.0.0.1:8090"], true), (["https://localhost", "http://[::1]:1"], true), (nil, false), ([], false),
        (["https://sts.aliyuncs.com"], false), (["http://127.0.0.1:8090", "https://192.0.2.1"], false),
        (["https://127.0.0.1.example.com"], false), (["https://localhost.example.com"], false),
    ])
    func `a key of the sandbox goes nowhere but to this machine`(endpoints: [String]?, isTaken: Bool) {
        let field = problem { fields in
            fields.values[CredentialFields().sandbox] = true
            fields.endpoints = endpoints?.map { STSSample.bytes($0) }
        }
        #expect(field == (isTaken ? nil : "endpoints"))
    }
}
