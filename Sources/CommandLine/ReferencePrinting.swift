import Gateway
import Machine

/// `countersign api`: docs/api.md, or docs/openapi.json.
enum ReferencePrinting {
    static func run(_ options: Options) -> Exit {
        Terminal.say(options.wantsJSON ? APIReference.openAPI : APIReference.text)
        return .done
    }
}
