import Machine

/// `countersign describe`: the command line as other programs show it to people. It is made from the list of commands alone.
enum Describing {
    static let forms: KeyValuePairs<String, @Sendable () -> String> = [
        "man": { ManualPage.text }, "bash": { Completions.bash }, "zsh": { Completions.zsh },
        "fish": { Completions.fish },
    ]

    static func run(_ options: Options) -> Exit {
        let form = forms.first { $0.key == options[.form] } ?? forms[0]
        Terminal.say(form.value())
        return .done
    }
}
