import Access
import Audit
import Bytes
import Providers

extension Configuration {
    /// What can be stopped by its name, and what was issued with what: all that `countersign brake` has to know. It takes neither
    /// secrets nor any file but the configuration's own, so that who stops something need not be able to read any other.
    package struct BrakeTarget: Sendable {
        package struct Credential: Sendable {
            package let name: String
            package let provider: String
            /// What the file says of it, without its secrets.
            package let fields: FieldValues
        }

        /// Nil where nothing can be stopped.
        package let brake: Brake?
        /// The names of those that issue something.
        package let grants: [String]
        package let credentials: [Credential]
        /// The ids of the issuers of tokens.
        package let issuers: [String]
        /// Nil without an audit.
        package let auditFile: String?

        /// Reads it from the file of a configuration. Of the rest only the form is judged.
        package static func load(
            _ path: String, in environment: Environment = .process
        ) throws(ConfigurationError) -> BrakeTarget {
            try Compiler(reading: path, environment).compileBrakeTarget()
        }
    }

    /// The same of a configuration that serves.
    package var brakeTarget: BrakeTarget {
        BrakeTarget(
            brake: brake,
            grants: grants.filter { Registry.routes[$0.route].description.grant.hasCallers }.map(\.name.text),
            credentials: credentials.map {
                BrakeTarget.Credential(name: $0.name, provider: $0.provider, fields: $0.fields)
            },
            issuers: authenticator.tokenIssuers.map(\.id.text), auditFile: audit?.file)
    }
}
