import Gateway

/// countersign(1), from the commands and their options.
enum ManualPage {
    static var text: String {
        let lines =
            [
                #".TH COUNTERSIGN 1 "" "Countersign \#(Version.number)" "User Commands""#, ".SH NAME",
                #"countersign \- hands out the smallest credential for object storage that will do"#, ".SH SYNOPSIS",
                #"\fBcountersign\fR \fICOMMAND\fR [\fIOPTIONS\fR]"#, ".SH COMMANDS",
            ] + Command.all.flatMap(section) + [".SH OPTIONS"]
            + Command.everyOption.flatMap { tagged(bold($0.fullUsage), escaped($0.summary)) } + [".SH EXIT STATUS"]
            + Exit.allCases.flatMap { tagged(bold("\($0.rawValue)"), escaped($0.meaning)) }
        return lines.joined(separator: "\n")
    }

    private static func section(_ command: Command) -> [String] {
        let options = command.options.map { bold($0.usage) }.joined(separator: ", ")
        let exits = command.allExits.flatMap { tagged("Exit \($0.code.rawValue)", escaped($0.meaning)) }
        return [".SS \(escaped(command.usage))", escaped("It \(command.summary)."), ".PP", "Options: \(options)"]
            + exits + [".PP", ".nf"] + command.examples.map(escaped) + [".fi"]
    }

    private static func tagged(_ tag: String, _ text: String) -> [String] { [".TP", tag, text] }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    /// The text as roff prints it: a hyphen that can be copied, and no line that is a request.
    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : text
    }
}
