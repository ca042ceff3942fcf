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
    static func run(_ options: Options) -> CommandLineTool.Exit {
        do throws(ConfigurationError) {
            let configuration = try Configuration.checked(options.configuration)
            options.wantsJSON ? reportJSON(configuration, options) : report(configuration, options)
            return .done
        } catch {
            options.wantsJSON ? reportJSON(error) : Terminal.complain(error.description)
            return .invalidConfiguration
        }
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
        text.append("{\"valid\":true,\"problems\":[],\"warnings\":[")
        for (index, warning) in configuration.warnings.enumerated() {
            if index > 0 { text.append(",") }
            text.append(jsonString: warning)
        }
        text.append("]}")
        Terminal.say(text.array.text)
    }

    private static func reportJSON(_ error: ConfigurationError) {
        var text = ByteWriter()
        text.append("{\"valid\":false,\"problems\":[")
        for (index, problem) in error.problems.enumerated() {
            text.append(index > 0 ? ",{\"path\":" : "{\"path\":")
            text.append(jsonString: problem.path)
            if let position = problem.position {
                text.append(",\"line\":")
                text.append(decimal: position.line)
                text.append(",\"column\":")
                text.append(decimal: position.column)
            }
            text.append(",\"reason\":")
            text.append(jsonString: problem.reason)
            text.append("}")
        }
        text.append("],\"warnings\":[]}")
        Terminal.say(text.array.text)
    }
}
