import Access
import Bytes
import Crypto
import Providers
import Testing
import Upstream

@testable import Configuration

/// What credentials of STS become.
@Suite(.timeLimit(.minutes(20)))
struct SessionsTests {
    private static let keys = "accessKey: \"LTAI-role\", secretKey: { env: \"ROLE_SECRET_KEY\" }, identity: \"key\""

    /// The credential `role` of the sample, with another identity and under other circumstances.
    private func credential(
        _ identity: String = keys, with variables: [String: String] = [:]
    ) throws -> Configuration.Credential {
        let text = try #require(Sample.text.replacingOnce(SessionsTests.keys, with: identity))
        let all = Sample.variables.merging(variables) { $1 }
        let configuration = try Sample.load(text, variables: all)
        #expect(configuration.warnings.allSatisfy { $0.hasPrefix("grants.avatars.key") })
        return try #require(configuration.credentials.last)
    }

    private func problem(_ identity: String, without variables: String...) throws -> Problem {
        let text = try #require(Sample.text.replacingOnce(SessionsTests.keys, with: identity))
        let left = Sample.variables.filter { !variables.contains($0.key) }
        let problems = Sample.problems(in: text, variables: left)
        #expect(problems.count == 1)
        return try #require(problems.first)
    }

    @Test func `a credential is read as it is written`() throws {
        let credential = try credential()
        let sessions = try #require(credential.sessions)
        #expect(credential.key?.accessKey.text == "LTAI-role" && credential.key?.securityToken == nil)
        #expect(sessions.account?.roleARN.text == "acs:ram::1:role/app" && !credential.isSandbox)
        #expect(sessions.trustFile == "conf/ca.pem")
        #expect(sessions.account?.identity == .key)
        #expect(
            sessions.source.endpoints.map(\.authority.text) == ["sts.cn-hangzhou.aliyuncs.com", "sts.internal:8443"])
        let limits = sessions.limits
        #expect(limits.callTimeout == 4000 && limits.attemptTimeout == 1500 && limits.attempts == 3)
        #expect(limits.callsPerSecond == 20 && limits.callBurst == 10 && limits.patience == 900)
        #expect(limits.slots == 5000 && limits.waiters == 2000 && limits.waitersPerSlot == 200)
    }

    @Test func `limits that are not given are those of the machines, whose leases outlast what they wait for`() throws {
        let text = "{ version: 1, credentials: { a: { provider: 'sts', accessKey: 'a', secretKey: 's',"
        for (limits, call) in [("", 6000), ("limits: {},", 6000), ("limits: { callTimeout: '30s' },", 30_000)]
            as [(String, Int64)]
        {
            let configuration = try Sample.load("\(text) \(limits) roleArn: 'acs:ram::1:role/app' } }, grants: {} }")
            let found = try #require(configuration.credentials.first?.sessions?.limits)
            var expected = UpstreamLimits()
            expected.callTimeout = call
            #expect("\(found)" == "\(expected)")
            #expect(found.fetchLease > found.callTimeout && found.probeLease > found.attemptTimeout)
        }
    }

    @Test func `a caller's share of the calls is lifted by null, and the credential stays`() throws {
        let text = "{ version: 1, credentials: { a: { provider: 'sts', accessKey: 'a', secretKey: 's',"
        for (limits, share) in [("", Rate(30, in: 60_000)), ("limits: { callsPerCaller: null },", nil)] {
            let configuration = try Sample.load("\(text) \(limits) roleArn: 'acs:ram::1:role/app' } }, grants: {} }")
            #expect(try #require(configuration.credentials.first?.sessions).callsPerCaller == share)
        }
    }

    @Test func `identity environment has the key of the environment, its token too`() throws {
        let credential = try credential("identity: \"environment\"")
        #expect(credential.key?.accessKey.text == "LTAI-environment")
        #expect(credential.key?.secret.constantTimeEquals(Secret(Array("variable-STS-secret".utf8))) == true)
        #expect(credential.key?.securityToken?.text == "variable-STS-token")
        guard case .environment? = credential.sessions?.account?.identity else {
            Issue.record("another identity")
            return
        }
        let token = "ALIBABA_CLOUD_SECURITY_TOKEN"
        #expect(try self.credential("identity: \"environment\"", with: [token: ""]).key?.securityToken == nil)
    }

    @Test(arguments: [
        ("ALIBABA_CLOUD_ACCESS_KEY_ID", ""), ("ALIBABA_CLOUD_ACCESS_KEY_SECRET", ""),
        ("ALIBABA_CLOUD_ACCESS_KEY_ID", "a b"), ("ALIBABA_CLOUD_ACCESS_KEY_ID", "a\"b"),
        ("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "variable-STS-secret\nmore"),
        ("ALIBABA_CLOUD_SECURITY_TOKEN", "variable-STS-token\r\n"),
    ])
    func `what is wrong with a key of the environment names the variable, and shows nothing of it`(
        name: String, value: String
    ) throws {
        let text = try #require(Sample.text.replacingOnce(SessionsTests.keys, with: "identity: \"environment\""))
        let problems = Sample.problems(in: text, variables: Sample.variables.merging([name: value]) { $1 })
        #expect(problems.map(\.path) == ["credentials.role.identity"])
        #expect(problems.allSatisfy { $0.reason.contains(name) && $0.position != nil })
        for secret in Sample.secrets { #expect(problems.allSatisfy { !$0.description.contains(secret) }) }
        if value.isEmpty {
            #expect(try problem("identity: \"environment\"", without: name).reason.contains("\(name) is not set"))
        }
    }

    /// Role, provider and file of identity `oidc`.
    private func oidc(_ credential: Configuration.Credential) -> [String] {
        guard case .oidc(let role, let provider, let file)? = credential.sessions?.account?.identity else { return [] }
        return [role.text, provider.text, file.text]
    }

    @Test func `identity oidc is as its fields say, and else as the environment does`() throws {
        let environment = ["acs:ram::1:role/pod", "acs:ram::1:oidc-provider/cluster", "/var/run/tokens/oidc"]
        let credential = try credential("identity: \"oidc\"")
        #expect(credential.key == nil && oidc(credential) == environment)
        let given = "oidcProviderArn: \"acs:ram::2:oidc-provider/o\", oidcTokenFile: \"oidc-token\""
        #expect(
            try oidc(self.credential("identity: \"oidc\", \(given)"))
                == ["acs:ram::1:role/pod", "acs:ram::2:oidc-provider/o", "conf/oidc-token"])
    }

    @Test(arguments: [
        ("oidcRoleArn", "ALIBABA_CLOUD_ROLE_ARN"), ("oidcProviderArn", "ALIBABA_CLOUD_OIDC_PROVIDER_ARN"),
        ("oidcTokenFile", "ALIBABA_CLOUD_OIDC_TOKEN_FILE"),
    ])
    func `what is wrong with identity oidc names field and variable`(field: String, variable: String) throws {
        let missing = try problem("identity: \"oidc\"", without: variable)
        #expect(missing.path == "credentials.role.\(field)")
        #expect(missing.reason.contains("or \(variable) in the environment"))
        let text = try #require(Sample.text.replacingOnce(SessionsTests.keys, with: "identity: \"oidc\""))
        let problems = Sample.problems(in: text, variables: Sample.variables.merging([variable: "/no/such"]) { $1 })
        #expect(problems.map(\.path) == ["credentials.role.\(field)"])
        let word = field == "oidcTokenFile" ? "/no/such cannot be read" : "of the environment variable \(variable)"
        #expect(problems.first?.reason.contains(word) == true)
    }

    @Test func `identity ecs has no key, and its role if it is given`() throws {
        for (fields, role) in [("identity: \"ecs\"", nil), ("identity: \"ecs\", ecsRole: \"node\"", "node")]
            as [(String, String?)]
        {
            let credential = try credential(fields)
            guard case .ecs(let found)? = credential.sessions?.account?.identity else {
                Issue.record("another identity")
                continue
            }
            #expect(credential.key == nil && found?.text == role)
        }
    }

    @Test func `R17: a fingerprint covers wherever the service's own key comes from`() throws {
        func fingerprint(
            _ identity: String, _ variables: [String: String] = [:]
        ) throws -> [UInt8] {
            try #require(try credential(identity, with: variables).sessions).source.fingerprint
        }
        let (environment, oidc) = ("identity: \"environment\"", "identity: \"oidc\", oidcTokenFile: \"oidc-token\"")
        let fingerprints = [
            try fingerprint(SessionsTests.keys), try fingerprint(environment),
            try fingerprint(environment, ["ALIBABA_CLOUD_ACCESS_KEY_ID": "LTAI-2"]),
            try fingerprint(environment, ["ALIBABA_CLOUD_ACCESS_KEY_SECRET": "other"]),
            try fingerprint(environment, ["ALIBABA_CLOUD_SECURITY_TOKEN": "other"]),
            try fingerprint(environment, ["ALIBABA_CLOUD_SECURITY_TOKEN": ""]),
            try fingerprint("identity: \"oidc\""), try fingerprint(oidc),
            try fingerprint("identity: \"oidc\"", ["ALIBABA_CLOUD_ROLE_ARN": "acs:ram::1:role/other"]),
            try fingerprint("identity: \"ecs\""), try fingerprint("identity: \"ecs\", ecsRole: \"node\""),
        ]
        #expect(Set(fingerprints).count == fingerprints.count)
        #expect(try fingerprint(environment) == fingerprints[1])
        // The same file, however it is named.
        #expect(try fingerprint("identity: \"oidc\", oidcTokenFile: \"/var/run/tokens/oidc\"") == fingerprints[6])
    }

    @Test func `a grant of sessions is compiled for its credential`() throws {
        let configuration = try Sample.load(Sample.text)
        let grant = try #require(configuration.grants.last)
        #expect(grant.name.text == "uploads" && grant.index == 5)
        guard case .session(let issuer)? = configuration.issuers.last else {
            Issue.record("it is of another kind")
            return
        }
        #expect(issuer.callersEnd == .ignored)
    }
}

extension Configuration.Sessions {
    fileprivate var account: STSAccount? { source as? STSAccount }
}
