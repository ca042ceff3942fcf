import Access
import Crypto

/// How a provider's credentials are compiled that are for asking the vendor for sessions.
package struct SessionDescription: Sendable {
    /// The environment variables that stand in for fields which are not given, as far as the others call for them.
    package var standIns: @Sendable (_ fields: FieldValues) -> [(field: Field<[UInt8]?>, variable: String)] = { _ in []
    }
    /// Finds out which key a credential's fields mean, and that no other is given.
    package let keySource: @Sendable (_ fields: FieldValues) throws(FieldProblem) -> SessionKeySource
    /// The environment variables of the vendor's own SDKs; nil where no key comes from there.
    package var keyVariables: (accessKey: String, secretKey: String, securityToken: String)?
    /// The file of `SessionSource.tokenFile`, whose name the configuration makes whole.
    package let tokenFile: Field<[UInt8]?>
    /// The file with the certificates to trust instead of the system's.
    package let caFile: Field<[UInt8]?>
    /// - Parameters:
    ///   - fields: as the configuration has them, with what stands in for others.
    ///   - key: the key that `keySource` tells of; nil for none.
    package let makeSource: @Sendable (_ fields: FieldValues, _ key: KeyPair?) throws(FieldProblem) -> any SessionSource
    /// What is hardly meant in a credential with `sandbox: true`; nil for nothing.
    package var sandboxDoubt: @Sendable (_ fields: FieldValues) -> String? = { _ in nil }
}

/// Which key the service asks for sessions with.
package enum SessionKeySource: Sendable {
    /// `accessKey` and `secretKey`.
    case fields
    /// That of the environment variables.
    case environment
    /// One that is fetched while the service runs, or none.
    case fetched
}
