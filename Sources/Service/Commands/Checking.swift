import Access
import Bytes
import Configuration
import Machine
import Net
import Providers
import Telemetry

/// `countersign check`
enum Checking {
    static func run(_ options: Options) -> CommandLineTool.Exit {
        do throws(ConfigurationError) {
            let configuration = try Checking.load(options.configuration)
            options.wantsJSON ? reportJSON(configuration, options) : report(configuration, options)
            return .done
        } catch {
            options.wantsJSON ? reportJSON(error) : Terminal.complain(error.description)
            return .invalidConfiguration
        }
    }

    /// The configuration, if the service can serve by it: what only OpenSSL can judge is tried, too, where
    /// the audit would stand is judged, and the configuration's own tests are run. Every configuration comes by this, at start as at a reload.
    static func load(
        _ path: String, in environment: Environment = .process
    ) throws(ConfigurationError) -> Configuration {
        var configuration = try Configuration.load(path, in: environment)
        for credential in configuration.credentials {
            guard let file = credential.sessions?.trustFile else { continue }
            _ = environment.file(file)
            do throws(TLSTrust.Failure) { _ = try TLSTrust(.file(file)) } catch {
                throw ConfigurationError(
                    file: path, path: "credentials.\(credential.name).caFile",
                    reason: error.description)
            }
        }
        if let place = configuration.audit.map({ AuditPlace($0.file) }) {
            if let missing = place.missingFolder {
                configuration.warnings.append("audit.file: \(missing)")
            } else if let fault = place.fault {
                throw ConfigurationError(file: path, path: "audit.file", reason: fault)
            } else if let weakness = place.weakness {
                configuration.warnings.append("audit.file: \(weakness)")
            }
        }
        let failures = PolicyProof.failures(of: configuration)
        if !failures.isEmpty { throw ConfigurationError(file: path, problems: failures) }
        return configuration
    }

    private static func report(_ configuration: Configuration, _ options: Options) {
        for warning in configuration.warnings { Terminal.complain("warning: \(warning.visible)") }
        Terminal.say(
            "\(options.configuration.visible) is valid: \(configuration.credentials.count) credentials, "
                + "\(configuration.grants.count) grants, \(configuration.policyTests.count) policy tests hold")
        for grant in configuration.grants {
            Terminal.say("  \(grant.name.text.visible): \(Registry.routes[grant.route].description.name)")
        }
    }

    private static func reportJSON(_ configuration: Configuration, _ options: Options) {
        var text = ByteWriter()
        text.append(object: { json in
            json.add("valid", true)
            json.add("problems", array: { _ in })
            json.add("warnings", array: { list in for warning in configuration.warnings { list.add(warning) } })
        })
        Terminal.say(text.array.text)
    }

    private static func reportJSON(_ error: ConfigurationError) {
        var text = ByteWriter()
        text.append(object: { json in
            json.add("valid", false)
            json.add(
                "problems",
                array: { list in
                    for problem in error.problems {
                        list.add(object: { json in
                            json.add("path", problem.path)
                            if let position = problem.position {
                                json.add("line", position.line)
                                json.add("column", position.column)
                            }
                            json.add("reason", problem.reason)
                        })
                    }
                })
            json.add("warnings", array: { _ in })
        })
        Terminal.say(text.array.text)
    }
}
