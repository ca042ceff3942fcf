import Bytes

/// One thing that the program can do, as its help, its table in docs/commands.md, and whatever else describes it say it.
struct Command: Sendable {
    let name: String
    /// The name with what follows it that is no option.
    let usage: String
    /// One sentence, without its full stop.
    let summary: String
    let options: [Option]
    /// How it can end, apart from a wrong command line.
    let exits: [(code: Exit, meaning: String)]
    /// Command lines, each as one types it.
    let examples: [String]
    let run: @Sendable (Options) -> Exit

    /// - Parameters:
    ///   - usage: the name, and words for what follows it that is no option: the first as it must stand there.
    ///   - options: its own; every command has `--help`, too.
    ///   - exits: each with what it means here, or nil for what it means everywhere.
    init(
        _ usage: String, _ summary: String, options: [Option], exits: KeyValuePairs<Exit, String?>,
        examples: [String], run: @escaping @Sendable (Options) -> Exit
    ) {
        name = usage.split(separator: " ").first.map(String.init) ?? usage
        self.usage = usage
        self.summary = summary
        self.options = options + [.help]
        self.exits = exits.map { ($0.key, $0.value ?? $0.key.meaning) }
        self.examples = examples
        self.run = run
    }

    /// The words of which one must stand behind the name.
    var fixedWords: [String] {
        usage.split(separator: " ").dropFirst().first.map { $0.split(separator: "|").map(String.init) } ?? []
    }

    /// Whether a name can follow that word.
    private var takesName: Bool { usage.hasSuffix("[NAME]") }

    /// Whether names of files can follow.
    var takesFiles: Bool { usage.hasSuffix("FILE…") }

    /// Whether what is no option can follow.
    func check(_ operands: [String]) throws(UsageError) {
        let words = fixedWords
        if !words.isEmpty, operands.first.map({ !words.contains($0) }) ?? true {
            let hint = operands.first.flatMap { NearestName.of($0, among: words) }.map { "; did you mean \($0)?" } ?? ""
            throw UsageError(reason: "what it can do is: \(usage.dropFirst(name.count + 1))\(hint)")
        }
        let most = words.isEmpty ? 0 : takesName ? 2 : takesFiles ? .max : 1
        if operands.count > most { throw UsageError(reason: "\(operands[most]) cannot stand here") }
    }

    static func named(_ name: String) throws(UsageError) -> Command {
        if let command = all.first(where: { $0.name == name }) { return command }
        let hint = NearestName.of(name, among: all.map { $0.name }).map { "; did you mean \($0)?" } ?? ""
        throw UsageError(reason: "there is no command \(name)\(hint)")
    }
}
