import Audit
import Bytes
import Configuration
import Gateway
import Machine
import Net

extension Configuration {
    /// The configuration of a file, if the service can serve by it. This also has OpenSSL take the certificates, judges the audit's
    /// folder, and runs the configuration's own tests. Every start and every reload calls it.
    /// - Parameter listing: takes the grants, if they are to be shown.
    package static func checked(
        _ path: String, in environment: Environment = .process, listing: GrantListing? = nil
    ) throws(ConfigurationError) -> Configuration {
        var configuration = try Configuration.load(path, in: environment, listing: listing)
        for credential in configuration.credentials {
            guard let file = credential.sessions?.trustFile else { continue }
            _ = environment.file(file)
            do throws(TLSTrust.Failure) { _ = try TLSTrust(.file(file)) } catch {
                throw ConfigurationError(
                    file: path, path: "credentials.\(credential.name).caFile",
                    reason: error.description, log: configuration.log)
            }
        }
        if let trust = configuration.audit.map({ AuditFileTrust($0.file) }) {
            if let missing = trust.missingFolder {
                configuration.warnings.append("audit.file: \(missing)")
            } else if let fault = trust.fault {
                throw ConfigurationError(file: path, path: "audit.file", reason: fault, log: configuration.log)
            } else if let weakness = trust.weakness {
                configuration.warnings.append("audit.file: \(weakness)")
            }
        }
        // No error of the configuration: the file must not keep a running service from denying somebody by a reload.
        if let fault = configuration.brake.flatMap({ BrakeKeeper.fault(of: $0) }) {
            configuration.warnings.append("brake.file: \(fault); the service does not start by it")
        }
        let results = PolicyTestRunner.run(configuration)
        configuration.warnings += results.suspended.map(\.description)
        configuration.suspendedTests = results.suspended.count
        if !results.failures.isEmpty {
            throw ConfigurationError(file: path, problems: results.failures, log: configuration.log)
        }
        return configuration
    }
}
