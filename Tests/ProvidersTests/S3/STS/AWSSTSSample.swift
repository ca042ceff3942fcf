import Testing

@testable import Access
@testable import Bytes
@testable import Crypto
@testable import Providers

/// What the tests of AWS's STS have in common.
enum AWSSTSSample {
    static let now: Int64 = 1_773_500_966
    static let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    static let policy = #"{"Version":"2012-10-17","Statement":[]}"#

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    static func fields(
        _ call: AWSSTS.Call = .assumeRole, _ change: (inout Settings<AWSSTSAccount.Fields>) -> Void = { _ in }
    ) -> Settings<AWSSTSAccount.Fields> {
        var fields = Settings(of: AWSSTSAccount.fields)
        fields.call = call
        fields.region = bytes("us-east-1")
        if call != .federationToken { fields.roleArn = bytes("arn:aws:iam::111122223333:role/Upload") }
        if call == .webIdentity { fields.webIdentityTokenFile = bytes("/var/run/token") }
        change(&fields)
        return fields
    }

    static func account(
        _ call: AWSSTS.Call = .assumeRole, secret: String = secret,
        _ change: (inout Settings<AWSSTSAccount.Fields>) -> Void = { _ in }
    ) throws -> AWSSTSAccount {
        let key = KeyPair(accessKey: bytes("AKIAIOSFODNN7EXAMPLE"), secret: Secret(bytes(secret)))
        return try AWSSTSAccount(fields(call, change), key: call == .webIdentity ? nil : key)
    }

    static func request(
        _ account: AWSSTSAccount, name: String = "user-1", seconds: Int64 = 900, policy: String = policy
    ) -> AWSSessionRequest {
        AWSSessionRequest(account: account, name: bytes(name), seconds: seconds, policy: bytes(policy))
    }

    /// The first exchange of an attempt.
    static func exchange(_ request: AWSSessionRequest, token: String = "") throws -> CredentialExchange {
        let key = try SigningKey(accessKey: bytes("AKIAIOSFODNN7EXAMPLE"), secret: Secret(bytes(secret)))
        return try request.exchange(
            for: CredentialAttempt(
                to: bytes("sts.us-east-1.amazonaws.com"), with: token.isEmpty ? key : nil, token: bytes(token),
                nonce: InlineArray(repeating: 0), at: now))
    }

    /// What a server of STS says to `AssumeRole`.
    static func granted(
        _ members: [(String, String)] = [
            ("AccessKeyId", "ASIA1"), ("SecretAccessKey", "s/e+c"), ("SessionToken", "t=="),
            ("Expiration", "2026-03-14T16:09:26Z"),
        ]
    ) -> String {
        let elements = members.map { "<\($0.0)>\($0.1)</\($0.0)>" }.joined()
        return "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult>"
            + "<Credentials>\(elements)</Credentials><AssumedRoleUser/></AssumeRoleResult>"
            + "<ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata></AssumeRoleResponse>"
    }

    static func read(
        _ body: String, status: Int = 200, date: Int64? = nil, longest: Int64 = 3600
    ) -> Result<SessionCredential, SessionFault> {
        let headers = date.map { [NameValue("Date", HTTPDate.write($0))] } ?? []
        do throws(SessionFault) {
            return .success(
                try AWSSTSAnswer.read(
                    UpstreamAnswer(status: status, headers: headers, body: bytes(body)), to: .assumeRole, at: now,
                    longest: longest))
        } catch {
            return .failure(error)
        }
    }
}
