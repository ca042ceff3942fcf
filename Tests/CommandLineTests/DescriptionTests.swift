import Foundation
import Testing

@testable import CommandLine

/// `countersign describe`: whoever reads the manual or lets a shell complete sees every command and option that there is.
@Suite struct DescriptionTests {
    private static let forms = Describing.forms.map { (name: $0.key, text: $0.value()) }

    /// What a form says of one command.
    private static func part(of command: Command, in form: String) throws -> String {
        let text = try #require(forms.first { $0.name == form }?.text)
        func between(_ start: String, _ end: String) throws -> String {
            let rest = try #require(text.components(separatedBy: start).dropFirst().last)
            return try #require(rest.components(separatedBy: end).first)
        }
        switch form {
        case "man": return try between(".SS \(command.usage.replacing("-", with: "\\-"))\n", "\n.S")
        case "bash": return try between("\n        \(command.name))", "\n")
        case "zsh": return try between("\n    \(command.name))\n", ";;")
        default:
            let condition = "'__fish_seen_subcommand_from \(command.name)'"
            return text.components(separatedBy: "\n").filter { $0.contains(condition) }.joined(separator: "\n")
        }
    }

    /// How a form writes an option.
    private static func name(of option: Option, in form: String) -> String {
        switch form {
        case "man": "\\fB" + option.name.replacing("-", with: "\\-") + (option.value == nil ? "\\fR" : "")
        case "fish": "-l \(option.name.dropFirst(2)) "
        default: option.name
        }
    }

    @Test(arguments: ["man", "bash", "zsh", "fish"])
    func `every command is there, with each of its options and no other`(form: String) throws {
        for command in Command.all {
            let part = try DescriptionTests.part(of: command, in: form)
            let words = part.split(whereSeparator: { " ,'\n{}[]()*".contains($0) }).map(String.init)
            for option in Command.everyOption {
                let name = DescriptionTests.name(of: option, in: form)
                let isThere = words.contains(name) || (form == "fish" && part.contains(name))
                #expect(isThere == command.options.contains(option), "\(form): \(command.name) \(option.name)")
            }
        }
    }

    @Test func `values are offered where the usage has them all`() {
        #expect(Option.format.choices == ["text", "json"])
        #expect(Option.callers.choices == ["keys", "jwt", "keys,jwt"])
        #expect(Option.claims.choices.isEmpty && Option.configuration.choices.isEmpty && Option.help.choices.isEmpty)
        #expect(Command.everyOption.filter(\.takesFile) == [.configuration, .keyFile])
        for form in ["bash", "zsh", "fish"] {
            let text = DescriptionTests.forms.first { $0.name == form }?.text ?? ""
            #expect(text.contains("text json") && text.contains("keys jwt keys,jwt") && text.contains("verify"))
        }
    }

    @Test func `a form that is not there is refused with those that are`() throws {
        let command = try Command.named("describe")
        #expect(throws: UsageError.self) { try Options(["--as", "html"], for: command) }
        #expect(try Options(["--as", "zsh"], for: command)[.form] == "zsh")
    }

    @Test func `the manual has no line that roff would take for a request, and every way to end`() {
        let requests = [".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi"]
        for line in ManualPage.text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains { line.hasPrefix($0) }, "\(line)")
        }
        for exit in Exit.allCases { #expect(ManualPage.text.contains("\\fB\(exit.rawValue)\\fR\n")) }
    }
}
