import Access
import Bytes
import Configuration
import Lifecycle
import Machine
import Net
import Providers
import Telemetry

/// `countersign check`
enum Checking {
    static func run(_ options: Options) -> Exit {
        do throws(ConfigurationError) {
            let listing = options.has(.print) ? GrantListing() : nil
            var configuration = try Configuration.checked(options.configuration, listing: listing)
            if let version = options.against {
                configuration.warnings += warnings(of: configuration.deprecated, against: version)
            }
            if let listing {
                for warning in configuration.warnings { Terminal.complain("warning: \(warning.visible)") }
                Terminal.say(listing.text)
                return .done
            }
            options.wantsJSON ? reportJSON(configuration, options) : report(configuration, options)
            return .done
        } catch {
            options.wantsJSON ? reportJSON(error) : Terminal.complain(error.description)
            return .invalidConfiguration
        }
    }

    /// What is to be said of deprecated keys before a version is used that may not have them.
    static func warnings(of keys: [DeprecatedKey], against version: ReleaseVersion) -> [String] {
        keys.filter { $0.deprecation.end <= version }.map { key in
            "\(key.path): \(version) does not have it; \(key.deprecation.instead)"
        }
    }

    private static func report(_ configuration: Configuration, _ options: Options) {
        for warning in configuration.warnings { Terminal.complain("warning: \(warning.visible)") }
        let suspended = configuration.suspendedTests
        let tests = configuration.policyTests.count - suspended
        let grants = configuration.grants.map { grant in
            "\n  \(grant.name.text.visible): \(Registry.routes[grant.route].description.name)"
        }
        Terminal.say(
            "\(ReadFile.name(of: options.configuration).visible) is valid: \(configuration.credentials.count.counted("credential")), "
                + "\(configuration.grants.count.counted("grant")), \(tests.counted("policy test")) passed\(suspended == 0 ? "" : ", \(suspended) not counted")"
                + grants.joined())
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
