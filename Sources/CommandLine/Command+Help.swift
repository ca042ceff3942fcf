/// What the program says of itself.
extension Command {
    /// All commands.
    static let overview = """
        usage: countersign COMMAND [OPTIONS]

        \(rows(all.map { ($0.name, $0.summary) }))

        `countersign help COMMAND` prints its options, exit codes and examples.
        The configuration is --config FILE, also before the command, else $COUNTERSIGN_CONFIG, else countersign.json5.
        Exit codes: \(Exit.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")).
        """

    /// One command: what it does, with which options, and how it ends.
    var help: String {
        """
        usage: countersign \(usage) [OPTIONS]

        It \(summary).

        Options:
        \(Command.rows(options.map { ($0.fullUsage, $0.summary) }))

        Exit codes:
        \(Command.rows(allExits.map { ("\($0.code.rawValue)", $0.meaning) }))

        \(examples.count == 1 ? "Example" : "Examples"):
        \(examples.map { "  \($0)" }.joined(separator: "\n"))
        """
    }

    /// With that of a wrong command line, by their numbers.
    var allExits: [(code: Exit, meaning: String)] {
        (exits + [(.usage, Exit.usage.meaning)]).sorted { $0.code.rawValue < $1.code.rawValue }
    }

    /// Two columns.
    private static func rows(_ rows: [(String, String)]) -> String {
        let width = rows.map { $0.0.utf8.count }.max() ?? 0
        return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.utf8.count))  \($1)" }
            .joined(separator: "\n")
    }

    // MARK: docs/commands.md

    /// The tables of all commands and of all options, in Markdown.
    static var tables: String {
        let commands = all.map { command in
            let options = command.options.filter { $0 != Option.help }.map { "`\($0.name)`" }.joined(separator: " ")
            let exits = command.allExits.filter { $0.code != .usage }.map { "\($0.code.rawValue) \($0.meaning)" }
            return
                "| `\(command.usage.replacing("|", with: "\\|"))` | \(command.summary) | \(options) | \(exits.joined(separator: "; ")) |"
        }
        let options = everyOption.map { option in
            "| `\(option.fullUsage.replacing("|", with: "\\|"))` | \(option.summary) |"
        }
        return
            (["| Command | What it does | Options | Exit codes |", "|---|---|---|---|"] + commands
            + ["", "| Option | Meaning |", "|---|---|"] + options).joined(separator: "\n")
    }

    /// In the order in which commands name them.
    static var everyOption: [Option] {
        var options: [Option] = []
        for option in all.flatMap(\.options) where !options.contains(option) { options.append(option) }
        return options
    }
}
