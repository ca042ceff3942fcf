import Foundation
import TestTraits
import Testing

@testable import TestService

/// `countersign-sandbox` as a program.
@Suite(.waiting, .timeLimit(.minutes(20))) struct SandboxProgramTests {
    private func run(_ arguments: String...) throws -> Program.Outcome {
        try Program(Program.sandbox, arguments).wait()
    }

    @Test func `it makes its keys, says where it listens, answers, and ends at SIGTERM and SIGINT`() throws {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for signal in [SIGTERM, SIGINT] {
            let program = try Program(Program.sandbox, ["--data", folder + "/data", "--listen", "127.0.0.1:0"])
            let line = try program.waitForOutput(holding: "\n")
            let port = try #require(
                line.wholeMatch(of: #/countersign-sandbox: listening on http:\/\/127\.0\.0\.1:(\d+)\n/#)?.output.1)
            let answer = try CurlTests.curl(["http://127.0.0.1:\(port)/?Action=AssumeRole"])
            #expect(answer.out.contains(#""Code":"#), "\(answer.out)\(answer.err)")
            let file = folder + "/data/keys/alibaba/demo-sts-access-key"
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            program.signal(signal)
            let outcome = try program.wait()
            #expect(outcome.code == 0 && outcome.out == line && outcome.err.isEmpty, "\(outcome)")
        }
    }

    @Test func `it goes on after the shell that has started it`() throws {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let script = "\"$0\" --data \"$1\" --listen 127.0.0.1:0 & echo $!; wait"
        let shell = try Program("/bin/sh", ["-c", script, Program.sandbox, folder + "/data"])
        let told = try shell.waitForOutput(holding: "listening on")
        let sandbox = try #require(
            told.firstMatch(of: #/^\d+$/#.anchorsMatchLineEndings()).flatMap { pid_t($0.output) })
        shell.signal(SIGKILL)
        // It holds the shell's standard output.
        #expect(throws: Program.Failure.self) { try shell.wait(within: 1) }
        #expect(kill(sandbox, SIGTERM) == 0)
    }

    @Test func `told so, it ends with the process that has started it, however that ends`() throws {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let script = "\"$0\" --data \"$1\" --listen 127.0.0.1:0 --end-with-parent & wait"
        let shell = try Program("/bin/sh", ["-c", script, Program.sandbox, folder + "/data"])
        _ = try shell.waitForOutput(holding: "listening on")
        shell.signal(SIGKILL)
        // It holds the shell's standard output until it ends, too.
        #expect(try shell.wait().code == 128 + SIGKILL)
    }

    @Test func `what it cannot do it says, and how it ends tells why`() throws {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let data = folder + "/data"
        let help = try run("--help")
        #expect(help.code == 0 && help.out.hasPrefix("usage: countersign-sandbox --data DIR"))
        let open = try run("--data", data, "--listen", "0.0.0.0:0")
        #expect(open.code == 2 && open.err.contains("must be a loopback address") && open.out.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: data))
        #expect(try run("--port", "1").code == 2)
        let listener = try Listener()
        let taken = try run("--data", data, "--listen", "127.0.0.1:\(listener.port)")
        #expect(taken.code == 1 && taken.err.hasPrefix("countersign-sandbox: cannot listen on"), "\(taken)")
        try Keeper.write("two words", to: data + "/keys/alibaba/LTAI")
        let unfit = try run("--data", data, "--listen", "127.0.0.1:0")
        #expect(unfit.code == 1 && unfit.err.contains("must hold a secret key alone"), "\(unfit)")
        #expect(!unfit.err.contains("two words"))
    }

    /// `scripts/with-sandbox` with a sandbox and a command of the shell's.
    private func withSandbox(_ options: [String], _ command: String) throws -> Program {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../scripts/with-sandbox")
        let sandbox = [Program.sandbox, "--listen", "127.0.0.1:0"] + options
        return try Program(script.standardizedFileURL.path, sandbox + ["--", "/bin/sh", "-c", command])
    }

    /// The sandbox writes to the same pipes, so that who waits for their end waits for both.
    @Test func `scripts/with-sandbox is the command once the sandbox listens, and nothing is left when it ends`() throws
    {
        let folder = try Keeper.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let outcome = try withSandbox(["--data", folder], "echo ran; exit 7").wait()
        #expect(outcome.code == 7 && outcome.out == "ran\n", "\(outcome)")
        #expect(outcome.err.hasPrefix("countersign-sandbox: listening on http://127.0.0.1:"), "\(outcome)")
        for signal in [SIGTERM, SIGKILL] {
            let program = try withSandbox(["--data", folder], "echo ran; exec sleep 600")
            _ = try program.waitForOutput(holding: "ran\n")
            program.signal(signal)
            #expect(try program.wait().code == 128 + signal)
        }
    }

    @Test func `scripts/with-sandbox runs nothing without a sandbox that listens`() throws {
        let outcome = try withSandbox(["--port", "1"], "echo ran").wait()
        #expect(outcome.code == 1 && outcome.out.isEmpty, "\(outcome)")
        #expect(outcome.err.contains("there is no option --port") && outcome.err.contains("does not listen"))
    }
}
