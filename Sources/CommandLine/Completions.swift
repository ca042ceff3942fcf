/// What a shell offers while somebody types a command line, as a script of that shell.
enum Completions {
    /// Each command and `help`, in the order of the overview.
    private static let commands = Command.all.map { (name: $0.name, summary: $0.summary) } + [help]
    private static let help = (name: "help", summary: "prints the options, exit codes and examples of a command")
    private static let names = commands.map(\.name).joined(separator: " ")

    // MARK: bash

    static var bash: String {
        let values = Command.everyOption.compactMap { option -> String? in
            let pattern = option.names.joined(separator: " | ")
            if option.takesFile { return "    \(pattern)) compopt -o default; return ;;" }
            if option.value == nil { return nil }
            return "    \(pattern)) words='\(option.choices.joined(separator: " "))' ;;"
        }
        let commands = Command.all.map { command in
            let words = command.fixedWords + command.options.flatMap(\.names)
            let files = command.takesFiles ? "compopt -o default; " : ""
            return "        \(command.name)) \(files)words='\(words.joined(separator: " "))' ;;"
        }
        return """
            # Completions of countersign(1) for bash.
            _countersign() {
                local word=${COMP_WORDS[COMP_CWORD]} command='' words='' at
                for ((at = 1; at < COMP_CWORD; at++)); do
                    case ${COMP_WORDS[at]} in
                    \(Option.configuration.names.joined(separator: " | "))) ((at++)) ;;
                    -*) ;;
                    *)
                        command=${COMP_WORDS[at]}
                        break
                        ;;
                    esac
                done
                case ${COMP_WORDS[COMP_CWORD - 1]} in
            \(values.joined(separator: "\n"))
                *)
                    case $command in
                    '' | help) words='\(names)' ;;
            \(commands.joined(separator: "\n"))
                    esac
                    ;;
                esac
                mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
            }
            complete -F _countersign countersign
            """
    }

    // MARK: zsh

    static var zsh: String {
        let descriptions = commands.map { "        '\($0.name):\(quoted($0.summary))'" }
        let cases = Command.all.map { command in
            let fixed = command.fixedWords.joined(separator: " ")
            let words = fixed.isEmpty ? [] : ["'1:word:(\(fixed))'"]
            let files = command.takesFiles ? ["'*:file:_files'"] : []
            let arguments = (command.options.map(zsh) + words + files).joined(separator: " \\\n            ")
            return "    \(command.name))\n        _arguments \(arguments)\n        ;;"
        }
        return """
            #compdef countersign
            _countersign() {
                local -a commands
                commands=(
            \(descriptions.joined(separator: "\n"))
                )
                if ((CURRENT == 2)); then
                    _describe command commands
                    return
                fi
                shift words
                ((CURRENT--))
                case $words[1] in
                help) _describe command commands ;;
            \(cases.joined(separator: "\n"))
                esac
            }
            _countersign "$@"
            """
    }

    /// As `_arguments` takes it: `(-c --config)'{-c,--config}'[what it is]:FILE:_files'`.
    private static func zsh(_ option: Option) -> String {
        let summary = quoted(option.summary).replacing("[", with: "\\[").replacing("]", with: "\\]")
        let choices = option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
        let offer = option.takesFile ? "_files" : choices
        let value = option.value == nil ? "" : ":\(option.name.dropFirst(2)):\(offer)"
        let exclusion = option.isRepeatable ? "*" : "(\(option.names.joined(separator: " ")))"
        let names = option.names.count == 1 ? option.name : "'{\(option.names.joined(separator: ","))}'"
        return "'\(exclusion)\(names)[\(summary)]\(value)'"
    }

    // MARK: fish

    static var fish: String {
        let start = "complete -c countersign"
        let first = commands.map { command in
            "\(start) -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'"
        }
        let rest = Command.all.flatMap { command in
            let condition = "\(start) -n '__fish_seen_subcommand_from \(command.name)'"
            let words = command.fixedWords.map { "\(condition) -a \($0)" }
            let files = command.takesFiles ? ["\(condition) -F"] : []
            return words + files + command.options.map { "\(condition) \(fish($0)) -d '\(quoted($0.summary))'" }
        }
        return
            ([
                "# Completions of countersign(1) for fish.", "\(start) -f",
                "\(start) -n '__fish_seen_subcommand_from help' -a '\(names)'",
            ] + first + rest).joined(separator: "\n")
    }

    private static func fish(_ option: Option) -> String {
        let names = (option.shortName.map { "-s \($0.dropFirst()) " } ?? "") + "-l \(option.name.dropFirst(2))"
        if option.takesFile { return "\(names) -r -F" }
        if option.value == nil { return names }
        return option.choices.isEmpty ? "\(names) -x" : "\(names) -x -a '\(option.choices.joined(separator: " "))'"
    }

    /// What can stand between single quotes, in zsh also where a colon ends a field.
    private static func quoted(_ text: String) -> String { text.replacing("'", with: "’").replacing(":", with: ",") }
}
