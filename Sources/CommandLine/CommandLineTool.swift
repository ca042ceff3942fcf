import Bytes
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
    /// Runs the command that the process was started with, and ends the process.
    package static func run() -> Never {
        // Any command may read secrets, so all are sealed before they read anything.
        ProcessLimits.seal()
        ProcessEnvironment.conceal()
        exit(run(Array(ProcessArguments.all.dropFirst())).rawValue)
    }

    static func run(_ arguments: [String]) -> Exit {
        guard !arguments.isEmpty else {
            Terminal.complain(Command.overview)
            return .usage
        }
        do throws(UsageError) {
            var rest = arguments[...]
            let early = try takeConfiguration(from: &rest)
            switch rest.popFirst() {
            case nil: throw UsageError(reason: "a command is missing")
            case "help", "--help", "-h": return try help(on: rest)
            case "--version": return Version.run(Options())
            case let name?: return run(try Command.named(name), with: early + rest)
            }
        } catch {
            return refuse(error)
        }
    }

    private static func run(_ command: Command, with arguments: [String]) -> Exit {
        do throws(UsageError) {
            let options = try Options(arguments, for: command)
            guard !options.wantsHelp else {
                Terminal.say(command.help)
                return .done
            }
            return command.run(options)
        } catch {
            return refuse(error, by: command)
        }
    }

    /// One line: what is wrong, and where to read more.
    private static func refuse(_ error: UsageError, by command: Command? = nil) -> Exit {
        let words = command.map { " \($0.name)" } ?? ""
        let help = "`countersign help\(words)` says more"
        let end = error.reason.hasSuffix("?") ? "" : ";"
        Terminal.complain("countersign\(words): \(error.reason.visible)\(end) \(help)")
        return .usage
    }

    /// `--config FILE` before the command, as if it came after it.
    private static func takeConfiguration(from arguments: inout ArraySlice<String>) throws(UsageError) -> [String] {
        let option = Option.configuration
        if let first = arguments.first, first.hasPrefix(option.name + "=") { return [arguments.removeFirst()] }
        guard let first = arguments.first, option.isCalled(first) else { return [] }
        guard arguments.count > 1 else { throw UsageError(reason: "\(option.name) needs a value: \(option.usage)") }
        return [arguments.removeFirst(), arguments.removeFirst()]
    }

    private static func help(on words: ArraySlice<String>) throws(UsageError) -> Exit {
        Terminal.say(
            try words.first.map { name throws(UsageError) in try Command.named(name).help } ?? Command.overview)
        return .done
    }
}
