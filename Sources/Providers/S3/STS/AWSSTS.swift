import Access
import Bytes
import Crypto

/// AWS Security Token Service, and the servers that speak its protocol: MinIO, Ceph, SeaweedFS.
package enum AWSSTS {
    /// What it is to the service.
    package static let description = ProviderDescription(
        name: "aws-sts", title: "AWS STS and compatible servers",
        credentialFields: AWSSTSAccount.fields.descriptions,
        routes: [S3Credentials.sdkRoute, S3Credentials.uppyRoute],
        sample: sample,
        accessKeyFault: S3.description.accessKeyFault, sessionToken: AWSSTSAccount.fields.sessionToken,
        revocations: { fields in
            let arn = fields[AWSSTSAccount.fields.roleArn]?.text
            let role = arn?.split(separator: "/").last.map(String.init)
            let (subject, means) =
                role.map { ("the sessions of the role \($0)", S3.revokingOlderSessions(of: "role", named: $0)) }
                ?? ("the sessions of the user of \(fields.accessKeyText)", S3.revokingOlderSessions(of: "user"))
            return [
                Revocation(
                    subject, by: "\(means); of another server, as that has it",
                    "all sessions that were begun before NOW, and what they have signed, whoever has got them")
            ]
        },
        sessions: SessionDescription(
            standIns: { AWSSTSAccount.standIns(for: Settings($0, of: AWSSTSAccount.fields)) },
            keySource: { fields throws(FieldProblem) in
                try AWSSTSAccount.keySource(of: Settings(fields, of: AWSSTSAccount.fields))
            },
            tokenFile: AWSSTSAccount.fields.webIdentityTokenFile, caFile: AWSSTSAccount.fields.caFile,
            makeSource: { fields, key throws(FieldProblem) in
                try AWSSTSAccount(Settings(fields, of: AWSSTSAccount.fields), key: key)
            }))

    /// The actions of STS that give sessions (AWS STS API reference, version 2011-06-15); a credential's `call`.
    package enum Call: String, CaseIterable, Sendable {
        case assumeRole, federationToken, webIdentity

        var action: StaticString {
            switch self {
            case .assumeRole: "AssumeRole"
            case .federationToken: "GetFederationToken"
            case .webIdentity: "AssumeRoleWithWebIdentity"
            }
        }

        /// The elements of an answer that hold the credential, from the outermost on.
        var elements: (response: StaticString, result: StaticString) {
            switch self {
            case .assumeRole: ("AssumeRoleResponse", "AssumeRoleResult")
            case .federationToken: ("GetFederationTokenResponse", "GetFederationTokenResult")
            case .webIdentity: ("AssumeRoleWithWebIdentityResponse", "AssumeRoleWithWebIdentityResult")
            }
        }

        /// The parameter of a session's name, and its most bytes.
        var name: (parameter: StaticString, length: Int) {
            self == .federationToken ? ("Name", 32) : ("RoleSessionName", SessionName.maximumLength)
        }
    }

    /// A part of AWS with accounts of its own, the second part of an ARN; a credential's `partition`.
    package enum Partition: String, CaseIterable, Sendable {
        case aws
        case china = "aws-cn"
        case government = "aws-us-gov"

        init(ofRegion region: [UInt8]) {
            self = region.span.begins(with: "cn-") ? .china : region.span.begins(with: "us-gov-") ? .government : .aws
        }

        /// The partition of an ARN; nil for what is no role's: `arn:PARTITION:iam::ACCOUNT:role/NAME`, which servers that are not AWS
        /// may have without the account.
        init?(ofRole arn: [UInt8]) {
            let parts = arn.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard (20...2048).contains(arn.count), (5...6).contains(parts.count), parts[0].elementsEqual("arn".utf8),
                let partition = Partition(rawValue: Array(parts[1]).text), parts[2].elementsEqual("iam".utf8),
                let name = parts.last, name.starts(with: "role/".utf8), name.count > 5,
                ByteSet.dottedWord.union("+=,@/").contains(all: name),
                parts[3..<(parts.count - 1)].allSatisfy({ $0.allSatisfy(\.isLetterOrDigit) })
            else { return nil }
            self = partition
        }
    }

    static let version: StaticString = "2011-06-15"
}
