import Foundation
import TestTraits
import Testing

@testable import TestService

/// What an ordinary user can see of a service that runs as the same user. That takes root, who alone can have processes run as
/// somebody else: elsewhere `scripts/test` leaves these tests out, and says so.
/// In turns, since each looks at all processes of the user.
@Suite("Other processes of the same user", .alone, .unwatched, .serialized, .needsRoot, .timeLimit(.minutes(20)))
struct OtherUserTests {
    private static let user: uid_t = 65_534
    private static let becoming = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups"]

    /// Files that the user can reach: the binary, the configuration with its secrets, and a file that is there until an attack is over.
    private final class Installation {
        let folder: String
        let program: String
        let configuration: String
        let isGoingOn: String

        init(_ setup: Setup, binaryMode mode: Int) throws {
            // The test run's own folder is for root alone.
            folder = FileManager.default.temporaryDirectory.path + "/countersign-other-\(UUID().uuidString)"
            program = folder + "/countersign"
            isGoingOn = folder + "/going-on"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            // By a process of its own: what tests start side by side could inherit a file that they write, which nobody can run then.
            #expect(try Program("/bin/cp", [Program.countersign, program]).wait().code == 0)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: program)
            try Keeper.write("", to: isGoingOn, mode: 0o644)
            configuration = try setup.write(to: folder + "/etc", transport: .epoll)
            for path in ["", "/secrets", "/countersign.json5", "/secrets/qiniu"] {
                try #require(chown(folder + "/etc" + path, user, user) == 0)
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// Starts the service, as the user and by this installation's binary.
        func serve(_ environment: [String: String]) throws -> Service {
            try Service(
                serving: configuration, in: folder, environment, hasAdmin: false,
                by: ["/usr/bin/setpriv"] + becoming + ["/bin/sh", "-c", "shift && exec \(program) \"$@\"", "sh"])
        }

        /// Reads the environments and the files without a name of all processes, where the user can, for as long as it goes on, and
        /// tells what it finds of the words.
        func spy(for words: [String]) throws -> Program {
            let script = """
                {
                    while [ -e "$0" ]; do find /proc/[0-9]*/fd -lname '/memfd*' -exec cat {} +; done &
                    while [ -e "$0" ]; do cat /proc/[0-9]*/environ; done
                    wait
                } 2>/dev/null | timeout 120 grep -a -o \(words.map { "-e '\($0)'" }.joined(separator: " "))
                """
            return try Program("/usr/bin/setpriv", becoming + ["/bin/sh", "-c", script, isGoingOn])
        }
    }

    /// What somebody of the same user has found while other processes replaced the service.
    private struct Findings {
        let hasSecret: Bool
        /// Whether it could look into one of the processes at all.
        let hasEnvironment: Bool
        let log: String
    }

    /// - Parameter rounds: how often another process replaces the service.
    private func attack(binaryMode mode: Int, rounds: Int) throws -> Findings {
        // Other tests may have services of the same user.
        let secret = "secret-\(UUID().uuidString)"
        let installation = try Installation(SealingTests.setup(), binaryMode: mode)
        let service = try installation.serve(["E2E_OSS_SECRET": secret])
        var processes = [service.process.identifier]
        defer { for process in processes { kill(process, SIGKILL) } }
        let spy = try installation.spy(for: [secret, "COUNTERSIGN_PREDECESSOR=[0-9]*"])
        var log = ""
        for number in 1...rounds {
            kill(processes[number - 1], SIGUSR2)
            log = try service.process.waitForError(holding: "handed over process=", times: number)
            processes.append(try #require(SealingTests.heirs(in: log).last))
            try service.get(SealingTests.path).expectSuccess()
        }
        try FileManager.default.removeItem(atPath: installation.isGoingOn)
        let found = try spy.wait().out.split(separator: "\n")
        return Findings(
            hasSecret: found.contains { $0 == secret },
            hasEnvironment: processes.contains { found.contains("COUNTERSIGN_PREDECESSOR=\($0)") },
            log: log)
    }

    @Test func `by a binary that belongs to root and cannot be read, nobody looks in from the first instruction on`()
        throws
    {
        let loot = try attack(binaryMode: 0o711, rounds: 8)
        #expect(!loot.hasSecret && !loot.hasEnvironment)
        #expect(!loot.log.contains("could read its memory"), "\(loot.log)")
    }

    @Test func `by a binary that can be read, they look into the first moments, and the environment has no secret`()
        throws
    {
        let loot = try attack(binaryMode: 0o755, rounds: 20)
        // The attack works: it sees what is no secret.
        #expect(loot.hasEnvironment && !loot.hasSecret)
        #expect(loot.log.contains("could read its memory"), "\(loot.log)")
    }
}
