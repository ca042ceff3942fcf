import Access
import Crypto
import Testing

@testable import Bytes
@testable import Configuration
@testable import CommandLine
@testable import Gateway
@testable import Lifecycle
@testable import TestSamples

@Suite struct CommandTests {
    @Test func `the starting configuration is valid as it is, and holds no secret`() throws {
        let (key, digest) = try KeyMaking.make()
        let text = StartingConfiguration.text(digest: digest.text)
        let configuration = try SampleConfiguration.load(text)
        #expect(configuration.grants.count == 10)
        #expect(configuration.policyTests.count == 3 && PolicyProof.failures(of: configuration).isEmpty)
        // It is for each operator to say whom OSS tells of uploads.
        #expect(configuration.warnings.count == 1)
        #expect(configuration.warnings.allSatisfy { $0.hasPrefix("grants.oss-forms: callback: ") })
        #expect(!text.contains(key.text))
        let finding = configuration.authenticator.identify(apiKey: key.span, at: 0)
        guard case .caller(let caller) = finding else {
            Issue.record("the key that init prints is not the configuration's")
            return
        }
        #expect(caller.principal.subject.text == "app")
    }

    @Test func `a made key has 256 random bits, and its digest is its SHA-256`() throws {
        let (key, digest) = try KeyMaking.make()
        #expect(key.count == 43)
        #expect(key.text != (try KeyMaking.make()).key.text)
        let expected = Hex.encode(try Digest(.sha256, of: key.span).bytes.array)
        #expect(digest == expected)
    }

    @Test func `every command is in the overview, and there is no option for a secret`() throws {
        for command in Command.allCases { #expect(Command.overview.contains("  \(command.rawValue) ")) }
        for option in ["--secret", "--key", "--secret-key", "--token", "extra"] {
            for command in Command.allCases {
                #expect(throws: UsageError.self) { try Options([option, "x"], for: command) }
            }
        }
    }

    @Test func `options are read`() throws {
        let options = try Options(["--config", "a.json5", "--format", "json"], for: .check)
        #expect(options.configuration == "a.json5")
        #expect(options.wantsJSON)
        #expect(throws: UsageError.self) { try Options(["--config"], for: .check) }
        #expect(throws: UsageError.self) { try Options(["--format", "xml"], for: .check) }
        let asked = try Options(["--parameter=key=a=b", "--parameter", "x@-", "--caller", "anonymous"], for: .mint)
        #expect(asked.all(.parameter) == ["key=a=b", "x@-"] && asked[.caller] == "anonymous" && asked[.route] == nil)
        #expect(throws: UsageError.self) { try Options(["--caller", "a", "--caller", "a"], for: .mint) }
        #expect(throws: UsageError.self) { try Options(["--caller"], for: .mint) }
        #expect(throws: UsageError.self) { try Options(["--caller", "a"], for: .check) }
    }

    @Test func `check shows the grants when asked to, and no other command does`() throws {
        #expect(try Options(["--print", "--config", "a.json5"], for: .check).wantsGrants)
        #expect(try !Options([], for: .check).wantsGrants)
        #expect(throws: UsageError.self) { try Options(["--print=yes"], for: .check) }
        for command in Command.allCases where command != .check {
            #expect(throws: UsageError.self) { try Options(["--print"], for: command) }
        }
    }

    @Test func `every command says its options, and each option what it is`() {
        for command in Command.allCases {
            for option in command.options { #expect(command.usage.contains("  \(option.usage)")) }
        }
        for option in Option.allCases { #expect(!option.summary.isEmpty, "\(option)") }
    }
}
