import Access
import Crypto
import Foundation
import Machine
import Providers
import Testing

@testable import Bytes
@testable import CommandLine
@testable import Configuration
@testable import Gateway
@testable import Lifecycle
@testable import TestSamples

@Suite struct CommandTests {
    // MARK: init

    private static let keyed: [Set<StartingConfiguration.Callers>] = [[.keys], [.jwt], [.keys, .jwt]]

    /// The text of a starting configuration, with values in place of what only the operator knows.
    private static func filled(_ providers: [String], _ callers: Set<StartingConfiguration.Callers>, digest: [UInt8])
        throws
        -> String
    {
        let text = try StartingConfiguration(providers: providers, callers: callers).text(digest: digest.text)
        return text.replacing("<YOUR-ROLE-ARN>", with: "acs:ram::1234567890123456:role/uploader")
            .replacing("<YOUR-AWS-ROLE-ARN>", with: "arn:aws:iam::111122223333:role/uploader")
            .replacing("<YOUR-DOMAIN>", with: "media.example.com").replacing("<YOUR-ISSUER>", with: "id.example.com")
            .replacing(#/<YOUR-[A-Z-]+>/#, with: "media")
    }

    @Test func `every provider's sample is valid, and only in the configuration that asks for it`() throws {
        for provider in Registry.providers.map(\.name) {
            for callers in CommandTests.keyed {
                let text = try CommandTests.filled([provider], callers, digest: try KeyMaking.make().digest)
                let configuration = try SampleConfiguration.load(text)
                #expect(configuration.credentials.map(\.provider) == [provider])
                #expect(!configuration.grants.isEmpty && !configuration.policyTests.isEmpty)
                #expect(PolicyTestRunner.run(configuration).failures.isEmpty, "\(provider)")
                for other in Registry.providers where other.name != provider {
                    #expect(!text.contains(other.sample.variable))
                }
            }
        }
        #expect(throws: UsageError.self) { try StartingConfiguration(providers: ["qiniux"], callers: [.keys]) }
    }

    @Test(arguments: keyed)
    func `with the values put in, the starting configuration is valid, and holds no secret`(
        callers: Set<StartingConfiguration.Callers>
    ) throws {
        let (key, digest) = try KeyMaking.make()
        let text = try CommandTests.filled(["qiniu", "nos", "oss", "sts"], callers, digest: digest)
        let configuration = try SampleConfiguration.load(text)
        #expect(configuration.grants.count == 11)
        #expect(configuration.policyTests.count == 9 && PolicyTestRunner.run(configuration).failures.isEmpty)
        // It is for each operator to say whom OSS tells of uploads.
        #expect(configuration.warnings.count == 1)
        #expect(configuration.warnings.allSatisfy { $0.hasPrefix("grants.oss-forms: callback: ") })
        #expect(!text.contains(key.text) && !text.contains("HS256"))
        if callers.contains(.keys) {
            guard case .caller(let caller) = configuration.authenticator.identify(apiKey: key.span, at: 0) else {
                Issue.record("the key that init prints is not the configuration's")
                return
            }
            #expect(caller.principal.subject.text == "app")
        }
        #expect(text.contains(digest.text) == callers.contains(.keys))
        for word in ["jwt", "RS256", "jwksUrl"] { #expect(text.contains(word) == callers.contains(.jwt), "\(word)") }
        #expect(text.contains("${caller.source}/${caller.id}") == (callers.count > 1))
    }

    @Test func `what only the operator knows is refused until it is put in`() throws {
        let text = try StartingConfiguration(providers: ["qiniu", "nos", "oss", "sts"], callers: [.jwt]).text(
            digest: "")
        let places = text.matches(of: #/<YOUR-[A-Z-]+>/#).count
        do throws(ConfigurationError) {
            _ = try Configuration.load(
                "c.json5",
                in: Environment(
                    variable: { _ in "a-secret-of-the-tests" },
                    file: { _ in ReadFile(bytes: Array(text.utf8), isWorldReadable: false) }))
            Issue.record("it is taken")
        } catch {
            #expect(error.problems.count == places)
            #expect(error.problems.allSatisfy { $0.reason.hasPrefix("put your own value in place of <YOUR-") })
        }
    }

    @Test
    func
        `without a provider all samples are comments, so that nothing is missing`()
        throws
    {
        let digest = try KeyMaking.make().digest
        let text = try CommandTests.filled([], [.keys], digest: digest)
        let configuration = try SampleConfiguration.load(text)
        #expect(configuration.grants.isEmpty && configuration.credentials.isEmpty)
        let all = try CommandTests.filled(Registry.providers.map(\.name), [.keys], digest: digest)
        #expect(Registry.providers.allSatisfy { text.contains($0.sample.variable) })
        let isSame = text.replacing("// ", with: "") == all.replacing("// ", with: "")
        #expect(isSame)
    }

    // MARK: make-key and hash-key

    @Test func `a made key has 256 random bits, and its digest is its SHA-256`() throws {
        let (key, digest) = try KeyMaking.make()
        #expect(key.count == 43)
        #expect(key.text != (try KeyMaking.make()).key.text)
        let expected = Hex.encode(try Digest(.sha256, of: key.span).bytes.array)
        #expect(digest == expected)
    }

    @Test func `a key that is there is hashed if it is one line that a header can have`() {
        for (text, key) in [("abc\n", "abc"), ("abc", "abc"), ("abc\r\n", "abc"), ("a=b/c+~.-_\n", "a=b/c+~.-_")] {
            #expect(KeyMaking.key(in: Array(text.utf8)) == Array(key.utf8), "\(text)")
        }
        let long = String(repeating: "k", count: 4097)
        for text in ["", "\n", "a\nb", "a\n\n", "a b", " a", "a\t", "ä", "\0", long, long + "\n"] {
            #expect(KeyMaking.key(in: Array(text.utf8)) == nil, "\(text.prefix(20))")
        }
    }

    // MARK: The table of commands

    @Test func `every command is in the overview, and there is no option for a secret`() throws {
        for command in Command.all { #expect(Command.overview.contains("  \(command.name) ")) }
        #expect(Set(Command.all.map(\.name)).count == Command.all.count)
        for option in ["--secret", "--key", "--secret-key", "--token", "extra"] {
            for command in Command.all {
                #expect(throws: UsageError.self) { try Options([option, "x"], for: command) }
            }
        }
    }

    @Test func `check shows the grants when asked to, and no other command does`() throws {
        #expect(try Options(["--print", "--config", "a.json5"], for: .check).has(.print))
        #expect(try !Options([], for: .check).has(.print))
        #expect(throws: UsageError.self) { try Options(["--print=yes"], for: .check) }
        for command in Command.all where command.name != Command.check.name {
            #expect(throws: UsageError.self) { try Options(["--print"], for: command) }
        }
    }

    @Test func `every command says its options, how it ends, and an example that is understood`() throws {
        for command in Command.all {
            let help = command.help
            for option in command.options {
                #expect(help.contains("  \(option.fullUsage)") && help.contains(option.summary))
            }
            #expect(help.contains("\n  0  ") && help.contains("\n  2  the command line is wrong"))
            #expect(Set(command.exits.map(\.code)).count == command.exits.count && command.exits.first?.code == .done)
            #expect(!command.examples.isEmpty)
            for example in command.examples {
                let words = example.split(separator: " ").prefix { $0 != "<" && $0 != ">" }.map(String.init)
                #expect(words.prefix(2) == ["countersign", command.name])
                #expect(throws: Never.self, "\(example)") { try Options(Array(words.dropFirst(2)), for: command) }
            }
        }
    }

    @Test func `docs/commands.md has the tables of commands and of options`() throws {
        let text = try Repository.text("docs/commands.md")
        let table = text.components(separatedBy: "<!-- commands -->\n").dropFirst().first?
            .components(separatedBy: "\n<!-- end -->").first
        #expect(table == Command.tables, "put this after <!-- commands -->:\n\(Command.tables)\n")
    }

    // MARK: Options

    @Test func `options are read`() throws {
        let options = try Options(["--config", "a.json5", "--format", "json"], for: .check)
        #expect(options.configuration == "a.json5")
        #expect(options.wantsJSON)
        #expect(try Options(["-c", "-"], for: .check).configuration == "-")
        #expect(try Options(["-h"], for: .check).wantsHelp)
        #expect(throws: UsageError.self) { try Options(["--config"], for: .check) }
        #expect(throws: UsageError.self) { try Options(["--help=x"], for: .check) }
        #expect(throws: UsageError.self) { try Options(["--format", "xml"], for: .check) }
        let asked = try Options(["--parameter=key=a=b", "--parameter", "x@-", "--caller", "anonymous"], for: .mint)
        #expect(asked.all(.parameter) == ["key=a=b", "x@-"] && asked[.caller] == "anonymous" && asked[.route] == nil)
        #expect(throws: UsageError.self) { try Options(["--caller", "a", "--caller", "a"], for: .mint) }
        #expect(throws: UsageError.self) { try Options(["--caller"], for: .mint) }
        #expect(throws: UsageError.self) { try Options(["--caller", "a"], for: .check) }
    }

    @Test func `two hyphens end the options, so that a file may be called like one`() throws {
        let options = try Options(["verify", "--format", "json", "--", "--config", "-a"], for: .audit)
        #expect(options.operands == ["verify", "--config", "-a"] && options.wantsJSON && !options.namesConfiguration)
        #expect(throws: UsageError.self) { try Options(["--", "a"], for: .check) }
        #expect(throws: Never.self) { try Options(["--"], for: .check) }
        #expect(throws: UsageError.self) { try Options(["file"], for: .audit) }
    }

    @Test func `a typo has one line with the nearest name`() {
        func reason(_ body: () throws(UsageError) -> Void) -> String {
            do throws(UsageError) { try body() } catch { return error.reason }
            return ""
        }
        let command = reason { () throws(UsageError) in _ = try Command.named("chek") }
        #expect(command == "there is no command chek; did you mean check?")
        let option = reason { () throws(UsageError) in _ = try Options(["--frmat", "json"], for: .check) }
        #expect(option == "there is no option --frmat; did you mean --format?")
    }

    @Test func `numbers agree with their nouns`() {
        #expect([0, 1, 2].map { $0.counted("grant") } == ["0 grants", "1 grant", "2 grants"])
    }
}
