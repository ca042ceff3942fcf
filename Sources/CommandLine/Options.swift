import FoundationEssentials
import Telemetry

/// One thing that may follow a command.
enum Option: String, CaseIterable {
    case configuration = "--config"
    case format = "--format"
    case caller = "--caller"
    case claims = "--claims"
    case route = "--route"
    case grant = "--grant"
    case parameter = "--parameter"
    case host = "--host"
    case time = "--at"
    case address = "--address"
    case expectedHead = "--expect-head"
    case keyFile = "--key-file"
    case print = "--print"

    var usage: String { placeholder.isEmpty ? rawValue : "\(rawValue) \(placeholder)" }

    private var placeholder: String {
        switch self {
        case .configuration, .keyFile: "FILE"
        case .format: "text|json"
        case .caller: "CALLER"
        case .claims: "JSON|@FILE"
        case .route, .grant: "NAME"
        case .parameter: "NAME=VALUE|NAME@FILE"
        case .host: "HOST[:PORT]"
        case .time: "TIME"
        case .address: "ADDRESS"
        case .print: ""
        case .expectedHead: "HEAD"
        }
    }

    var summary: String {
        switch self {
        case .configuration: "the configuration; else $COUNTERSIGN_CONFIG, else countersign.json5"
        case .format: "for people or for programs"
        case .caller: "who asks: anonymous, apiKey:ID, certificate:ID or jwt:ID/SUBJECT"
        case .claims: "what the caller's token says, as a JSON object; its exp is when it ends"
        case .route: "what is asked for, such as qiniu.uptoken"
        case .grant: "the grant to use; it says the route, too"
        case .parameter: "a parameter of the route, one after the other; of @- the value is on standard input"
        case .host: "what clients call the service by"
        case .time: "when it is asked, such as 2027-01-01T00:00:00Z; else now"
        case .address: "the address that it is asked from, such as 192.0.2.1, for grants with `addresses`"
        case .expectedHead: "the mac of a line that must be there, noted somewhere else"
        case .keyFile: "the audit's key, in a configuration's stead"
        case .print: "shows each grant whole, as JSON: with its defaults, and without secrets"
        }
    }
}

struct UsageError: Error {
    let reason: String
}

/// What follows the command. There is no option for a secret: the process list shows options to everybody.
struct Options {
    var configuration = ProcessInfo.processInfo.environment["COUNTERSIGN_CONFIG"] ?? standardConfiguration
    /// Whether the operator has named a configuration.
    var namesConfiguration = ProcessInfo.processInfo.environment["COUNTERSIGN_CONFIG"] != nil
    var wantsJSON = false
    var wantsHelp = false
    /// Whether the grants are to be shown.
    var wantsGrants = false
    /// All others, in their order.
    private var values: [(option: Option, value: String)] = []
    /// What `audit verify` reads, in this order.
    private(set) var files: [String] = []

    private static let standardConfiguration = "countersign.json5"

    init() {}

    init(_ arguments: [String], for command: Command) throws(UsageError) {
        var rest = arguments[...]
        var words: [String] = []
        while let argument = rest.popFirst() {
            if command == .audit, !argument.hasPrefix("-") {
                words.append(argument)
                continue
            }
            // `--config=FILE` is `--config FILE`.
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 1, parts[0] == "--help" || parts[0] == "-h" {
                wantsHelp = true
                continue
            }
            guard let option = Option(rawValue: parts[0]), command.options.contains(option) else {
                let known = command.options.map(\.usage) + ["--help"]
                throw UsageError(reason: "there is no option \(parts[0]); there are \(known.joined(separator: ", "))")
            }
            if option == .print {
                guard parts.count == 1 else { throw UsageError(reason: "--print has no value") }
                wantsGrants = true
                continue
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                throw UsageError(reason: "\(option.rawValue) needs a value: \(option.usage)")
            }
            try take(value, of: option)
        }
        if command == .audit, !wantsHelp { files = try Options.files(toVerify: words) }
    }

    private static func files(toVerify words: [String]) throws(UsageError) -> [String] {
        guard words.first == "verify" else { throw UsageError(reason: "what it can do is: verify FILE…") }
        return Array(words.dropFirst())
    }

    private mutating func take(_ value: String, of option: Option) throws(UsageError) {
        switch option {
        case .configuration: (configuration, namesConfiguration) = (value, true)
        case .format:
            guard value == "text" || value == "json" else { throw UsageError(reason: "--format is text or json") }
            wantsJSON = value == "json"
        default:
            if option == .expectedHead, !AuditVerifier.isHead(Array(value.utf8)) {
                throw UsageError(reason: "--expect-head needs the 64 hex digits of a line's mac")
            }
            guard option == .parameter || self[option] == nil else {
                throw UsageError(reason: "\(option.rawValue) is given more than once")
            }
            values.append((option, value))
        }
    }

    /// What an option that is given once says.
    subscript(option: Option) -> String? { values.first { $0.option == option }?.value }

    /// What an option that may be given again and again says.
    func all(_ option: Option) -> [String] { values.filter { $0.option == option }.map(\.value) }
}
