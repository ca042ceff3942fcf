import Testing

@testable import Bytes
@testable import Sandbox

@Suite struct OptionsTests {
    @Test func `without more than a folder it listens where the demonstration looks for it`() throws {
        let options = try SandboxOptions(["--data", "local/demo"])
        #expect("\(options.listen)" == "127.0.0.1:8090" && options.data == "local/demo" && !options.wantsHelp)
        #expect(!options.endsWithParent)
        #expect(options.roles.map(\.text) == ["acs:ram::1234567890123456:role/demo-uploader"])
    }

    @Test func `everything can be said, roles more than once`() throws {
        let options = try SandboxOptions([
            "--role=r1", "--listen", "[::1]:0", "--data=a=b", "--role", "r2", "--callback-host", "127.0.0.1:80",
            "--callback-host=[::1]:81", "--end-with-parent",
        ])
        #expect(options.endsWithParent)
        #expect(options.callbackHosts.map { "\($0)" } == ["127.0.0.1:80", "[::1]:81"])
        #expect("\(options.listen)" == "[::1]:0" && options.data == "a=b")
        #expect(options.roles.map(\.text) == ["r1", "r2"])
        #expect(try SandboxOptions(["--help"]).wantsHelp)
    }

    @Test func `callbacks go to loopback alone, and nowhere unless it is said`() throws {
        #expect(try SandboxOptions(["--data", "d"]).callbackHosts.isEmpty)
        let two = ["--data", "d", "--callback-host", "127.0.0.1:1", "--callback-host=[::1]:2"]
        #expect(try SandboxOptions(two).callbackHosts.map { "\($0)" } == ["127.0.0.1:1", "[::1]:2"])
        for wrong in ["192.0.2.1:80", "127.0.0.1", "app.example.com:80", "0.0.0.0:80"] {
            #expect(throws: SandboxOptions.Fault.self) {
                try SandboxOptions(["--data", "d", "--callback-host", wrong])
            }
        }
    }

    @Test(arguments: [
        ([], "--data is needed"), (["--data"], "--data needs a value"), (["--data="], "--data needs a value"),
        (["local/demo"], "there is no option local/demo"), (["--port", "1"], "there is no option --port"),
        (["--data", "d", "--data", "e"], "more than once"),
        (["--data", "d", "--listen", "8090"], "an address and a port"),
        (["--data", "d", "--listen", "0.0.0.0:8090"], "must be a loopback address"),
        (["--data", "d", "--listen", "[::]:8090"], "must be a loopback address"),
        (["--data", "d", "--listen", "192.0.2.1:8090"], "must be a loopback address"),
        (["--data", "d", "--callback-host", "192.0.2.1:80"], "--callback-host needs a loopback address"),
        (["--data", "d", "--callback-host", "localhost"], "--callback-host needs a loopback address"),
    ])
    func `what is wrong is said`(arguments: [String], words: String) {
        do throws(SandboxOptions.Fault) {
            _ = try SandboxOptions(arguments)
            Issue.record("it is taken")
        } catch { #expect(error.reason.contains(words), "\(error.reason)") }
    }
}
