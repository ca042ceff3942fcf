import Bytes
import Gateway
import Machine

/// `countersign version`
extension Version {
    static func run(_ options: Options) -> CommandLineTool.Exit {
        Terminal.say(options.wantsJSON ? String(json: { $0.add("version", number) }) : "countersign \(number)")
        return .done
    }
}
