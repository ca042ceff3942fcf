import Access
import Audit
import Bytes
import Gateway
import Machine

/// The command line cannot be understood.
struct UsageError: Error {
    let reason: String
}

/// What follows the command.
struct Options {
    private(set) var configuration = ProcessEnvironment.own["COUNTERSIGN_CONFIG"] ?? standardConfiguration
    /// Whether somebody has said which configuration.
    private(set) var namesConfiguration = ProcessEnvironment.own["COUNTERSIGN_CONFIG"] != nil
    private(set) var wantsJSON = false
    /// Those without a value.
    private var flags: Set<Option> = []
    /// All others, in their order.
    private var values: [(option: Option, value: String)] = []
    /// What is no option, in its order.
    private(set) var operands: [String] = []

    private static let standardConfiguration = "countersign.json5"

    init() {}

    init(_ arguments: [String], for command: Command) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            // `--config=FILE` is `--config FILE`.
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = command.options.first(where: { $0.isCalled(parts[0]) }) else {
                let hint = NearestName.of(parts[0], among: command.options.map(\.name)).map { "; did you mean \($0)?" }
                throw UsageError(reason: "there is no option \(parts[0])\(hint ?? "")")
            }
            guard option.value != nil else {
                if parts.count > 1 { throw UsageError(reason: "\(option.name) takes no value") }
                flags.insert(option)
                continue
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                throw UsageError(reason: "\(option.name) needs a value: \(option.usage)")
            }
            try take(value, of: option)
        }
        if !wantsHelp { try command.check(operands) }
    }

    var wantsHelp: Bool { has(.help) }

    /// Whether an option without a value is given.
    func has(_ option: Option) -> Bool { flags.contains(option) }

    private mutating func take(_ value: String, of option: Option) throws(UsageError) {
        switch option {
        case .configuration: (configuration, namesConfiguration) = (value, true)
        case .format:
            guard value == "text" || value == "json" else { throw UsageError(reason: "--format is text or json") }
            wantsJSON = value == "json"
        default:
            if option == .form, !option.choices.contains(value) {
                throw UsageError(reason: "\(option.name) is one of: \(option.choices.joined(separator: ", "))")
            }
            if option == .expectedHead, !AuditVerifier.isHead(Array(value.utf8)) {
                throw UsageError(reason: "--expect-head needs the 64 hex digits of a line's mac")
            }
            if option == .against, !Options.isToCome(value) {
                throw UsageError(reason: "--against needs a version after \(Version.number), such as 99.0.0")
            }
            guard option.isRepeatable || self[option] == nil else {
                throw UsageError(reason: "\(option.name) is given more than once")
            }
            values.append((option, value))
        }
    }

    /// The version to come that a configuration is checked against.
    var against: ReleaseVersion? { self[.against].flatMap { ReleaseVersion($0) } }

    private static func isToCome(_ text: String) -> Bool {
        guard let own = ReleaseVersion(Version.number), let version = ReleaseVersion(text) else { return false }
        return own < version
    }

    /// What an option that is given once says.
    subscript(option: Option) -> String? { values.first { $0.option == option }?.value }

    /// What an option that may be given again and again says.
    func all(_ option: Option) -> [String] { values.filter { $0.option == option }.map(\.value) }
}
