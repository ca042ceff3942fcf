import Configuration
import FoundationEssentials

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
    }

    /// Runs the command that the process was started with, and ends the process.
    package static func run(startingSandbox start: @escaping SandboxStart) -> Never {
        exit(run(Array(CommandLine.arguments.dropFirst()), startingSandbox: start).rawValue)
    }

    static func run(_ arguments: [String], startingSandbox start: @escaping SandboxStart) -> Exit {
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
            Terminal.complain("countersign: there is no command \(name)\(Command.hint(for: name))\n\(Command.overview)")
            return .usage
        }
        do throws(UsageError) {
            let options = try Options(Array(arguments.dropFirst()), for: command)
            if options.wantsHelp {
                Terminal.say("\(command.rawValue): \(command.summary)")
                return .done
            }
            return command.run(options, startingSandbox: start)
        } catch {
            Terminal.complain("countersign \(name): \(error.reason)")
            return .usage
        }
    }
}

struct UsageError: Error {
    let reason: String
}

/// What follows the command. There is no option for a secret: the process list shows options to everybody.
struct Options {
    var configuration = ProcessInfo.processInfo.environment["COUNTERSIGN_CONFIG"] ?? standardConfiguration
    /// Whether somebody has said which configuration.
    var namesConfiguration = ProcessInfo.processInfo.environment["COUNTERSIGN_CONFIG"] != nil
    var wantsJSON = false
    var wantsHelp = false

    private static let standardConfiguration = "countersign.json5"

    init() {}

    init(_ arguments: [String], for command: Command) throws(UsageError) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            // `--config=FILE` is `--config FILE`.
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 { rest = [parts[1]] + rest }
            switch parts[0] {
            case "--help" where parts.count == 1, "-h" where parts.count == 1: wantsHelp = true
            case "--config" where command.takesConfiguration:
                guard let file = rest.popFirst(), !file.isEmpty else {
                    throw UsageError(reason: "--config needs a file")
                }
                configuration = file
                namesConfiguration = true
            case "--format" where command.takesFormat:
                guard let format = rest.popFirst(), format == "text" || format == "json" else {
                    throw UsageError(reason: "--format is text or json")
                }
                wantsJSON = format == "json"
            default:
                let known =
                    (command.takesConfiguration ? ["--config FILE"] : [])
                    + (command.takesFormat ? ["--format text|json"] : []) + ["--help"]
                throw UsageError(reason: "there is no option \(parts[0]); there are \(known.joined(separator: ", "))")
            }
        }
    }
}

/// Standard output and standard error, written at once.
enum Terminal {
    static func say(_ text: String) { put(text + "\n", to: STDOUT_FILENO) }

    /// Whether what is said is seen in colours: on a terminal, unless NO_COLOR says otherwise (no-color.org).
    static var hasColours: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }

    static func complain(_ text: String) { put(text + "\n", to: STDERR_FILENO) }

    private static func put(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            // Nobody is left to be told that nobody listens.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
