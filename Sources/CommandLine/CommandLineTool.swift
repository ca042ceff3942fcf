import Bytes
import Configuration
import FoundationEssentials
import Gateway
import Lifecycle
import Machine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The command line: which command, with which options.
package enum CommandLineTool {
    /// How a command ended, as the shell sees it.
    enum Exit: Int32 {
        case done = 0
        case failed = 1
        case usage = 2
        case invalidConfiguration = 3
        /// The vendor did not give what was asked of it.
        case upstream = 4

        init(_ ending: Serving.Ending) {
            switch ending {
            case .done: self = .done
            case .failed: self = .failed
            case .invalidConfiguration: self = .invalidConfiguration
            }
        }
    }

    /// Runs the command that the process was started with, and ends the process.
    package static func run() -> Never {
        // Any command may read secrets, so all are sealed before they read anything.
        ProcessLimits.seal()
        ProcessEnvironment.conceal()
        exit(run(Array(ProcessArguments.all.dropFirst())).rawValue)
    }

    static func run(_ arguments: [String]) -> Exit {
        guard let name = arguments.first else {
            Terminal.complain(Command.overview)
            return .usage
        }
        if name == "--help" || name == "-h" || name == "help" {
            Terminal.say(Command.overview)
            return .done
        }
        if name == "--version" { return Version.run(Options()) }
        guard let command = Command(rawValue: name) else {
            let reason = "there is no command \(name.visible)\(Command.hint(for: name))"
            Terminal.complain("countersign: \(reason)\n\(Command.overview)")
            return .usage
        }
        do throws(UsageError) {
            let options = try Options(Array(arguments.dropFirst()), for: command)
            if options.wantsHelp {
                Terminal.say(command.usage)
                return .done
            }
            return command.run(options)
        } catch {
            Terminal.complain("countersign \(name): \(error.reason.visible)")
            return .usage
        }
    }
}
