import Bytes
import CSystem
import Configuration
import FoundationEssentials
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
    }

    /// Runs the command that the process was started with, and ends the process.
    package static func run(startingSandbox start: @escaping SandboxStart) -> Never {
        // Any command may read secrets, so all are sealed before they read anything.
        ProcessLimits.seal()
        ProcessEnvironment.conceal()
        exit(run(Array(arguments.dropFirst()), startingSandbox: start).rawValue)
    }

    /// What the process was started with, the program's own name first.
    // Unsafe: the arguments are the process's own, there as long as it is.
    static var arguments: [String] { (0..<cs_argument_count()).map { unsafe String(cString: cs_argument($0)) } }

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
            return command.run(options, startingSandbox: start)
        } catch {
            Terminal.complain("countersign \(name): \(error.reason.visible)")
            return .usage
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

    /// What can be read from standard input up to the end, or up to one byte more than may be there; nil where nothing can be.
    static func read(atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < limit {
            let room = min(buffer.count, limit - bytes.count)
            // Unsafe: the buffer is lent for the call.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(STDIN_FILENO, $0.baseAddress, room) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private static func put(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            // Nobody is left to be told that nobody listens.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// `read`, whose name `Terminal` has taken.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    // Unsafe: the buffer is lent for the call.
    unsafe read(descriptor, buffer, count)
}
