import Machine

/// `countersign version`
enum Version {
    static let number = "0.1.0"

    static func run(_ options: Options) -> CommandLineTool.Exit {
        Terminal.say(options.wantsJSON ? "{\"version\":\"\(number)\"}" : "countersign \(number)")
        return .done
    }
}
