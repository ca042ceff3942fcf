import Gateway
import Machine

/// `countersign version`
extension Version {
    static func run(_ options: Options) -> Exit {
        Terminal.say(options.wantsJSON ? "{\"version\":\"\(number)\"}" : "countersign \(number)")
        return .done
    }
}
