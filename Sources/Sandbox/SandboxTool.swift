import Machine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `countersign-sandbox`: the sandbox as a program of its own.
package enum SandboxTool {
    /// How it ended, as the shell sees it.
    private enum Exit: Int32 {
        case done = 0
        case failed = 1
        case usage = 2
    }

    /// Runs until it is asked to stop, and ends the process.
    package static func run() -> Never { exit(run(Array(CommandLine.arguments.dropFirst())).rawValue) }

    private static func run(_ arguments: [String]) -> Exit {
        let options: SandboxOptions
        do throws(SandboxOptions.Fault) { options = try SandboxOptions(arguments) } catch {
            Terminal.complain("countersign-sandbox: \(error.reason)")
            return .usage
        }
        if options.wantsHelp {
            Terminal.say(SandboxOptions.help)
            return .done
        }
        do {
            try serve(options)
            return .done
        } catch {
            Terminal.complain("countersign-sandbox: \(error)")
            return .failed
        }
    }

    private static func serve(_ options: SandboxOptions) throws {
        // A peer that is gone is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let accounts = try AccountFolder(options.data)
        let sandbox = try Sandbox(
            accounts, roles: options.roles, callbackHosts: options.callbackHosts, data: options.data)
        let server = try SandboxServer(sandbox, on: options.listen, by: try SandboxClock.reading(options.data))
        let signals = [SIGTERM, SIGINT].map { number in Signals.take(number) { server.stop() } }
        let parent = options.endsWithParent ? ParentProcess.whenEnded { server.stop() } : nil
        Terminal.say("countersign-sandbox: listening on http://\(server.address)")
        server.run()
        withExtendedLifetime((signals, parent)) {}
    }
}
