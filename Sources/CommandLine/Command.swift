import Bytes
import Gateway
import Lifecycle

/// What the program can do.
enum Command: String, CaseIterable {
    case initialize = "init"
    case serve, check, mint, ticket, explain, inspect
    case hashKey = "hash-key"
    case audit, healthcheck, version

    var summary: String {
        switch self {
        case .initialize: "writes a commented starting configuration to the --config file, which must not exist"
        case .serve: "answers requests until SIGTERM or SIGINT; SIGHUP has it read its configuration again"
        case .check: "reads the configuration, says everything that is wrong with it, and runs its policyTests"
        case .mint: "issues what the route would, for a caller whom you name"
        case .ticket: "makes a URL ticket for a caller whom you name, as POST /tickets would"
        case .explain: "tells why a caller would get what it asks, or would not; issues nothing"
        case .inspect: "tells what the token, URL, header or form on standard input allows, or why it is refused"
        case .hashKey: "makes an API key: prints the key for the client and the entry for the configuration"
        case .audit: "verify FILE…: tells whether these lines of the audit are all there, as they were written"
        case .healthcheck: "asks the running service whether it answers; for containers"
        case .version: "says which version this is"
        }
    }

    /// What may follow it.
    var options: [Option] {
        switch self {
        case .initialize, .serve, .healthcheck: [.configuration]
        case .check: [.configuration, .format, .print]
        case .inspect: [.configuration, .format]
        case .mint: [.configuration, .format, .caller, .claims, .route, .grant, .parameter, .address]
        case .ticket: [.configuration, .format, .caller, .claims, .grant, .parameter, .host]
        case .explain: [.configuration, .format, .caller, .claims, .route, .grant, .parameter, .time, .address]
        case .audit: [.configuration, .format, .expectedHead, .keyFile]
        case .hashKey, .version: [.format]
        }
    }

    static let overview =
        "usage: countersign COMMAND [OPTIONS]\n"
        + allCases.map { "  \($0.rawValue)\(String(repeating: " ", count: 13 - $0.rawValue.utf8.count))\($0.summary)" }
        .joined(separator: "\n")
        + "\nThe configuration is --config FILE, else $COUNTERSIGN_CONFIG, else countersign.json5."
        + "\ninspect needs no configuration; it checks signatures by the keys of one."
        + "\n\(list(allCases.filter { $0.options.contains(.format) }.map(\.rawValue))) take --format text|json."
        + "\ncountersign COMMAND --help says what else there is."

    private static func list(_ words: [String]) -> String {
        words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
    }

    /// What it does, and with which options.
    var usage: String {
        let width = options.map(\.usage.utf8.count).max() ?? 0
        let lines = options.map { option in
            "  \(option.usage)\(String(repeating: " ", count: width - option.usage.utf8.count))  \(option.summary)"
        }
        return (["\(rawValue): \(summary)"] + lines).joined(separator: "\n")
    }

    static func hint(for name: String) -> String {
        NearestName.of(name, among: allCases.map(\.rawValue)).map { "; did you mean \($0)?" } ?? ""
    }

    func run(_ options: Options) -> CommandLineTool.Exit {
        switch self {
        case .initialize: StartingConfiguration.write(to: options.configuration)
        case .serve: CommandLineTool.Exit(Serving.run(options.configuration))
        case .check: Checking.run(options)
        case .mint: Minting.run(options)
        case .ticket: Minting.makeTicket(options)
        case .explain: Explaining.run(options)
        case .inspect: Inspecting.run(options)
        case .hashKey: KeyMaking.run(options)
        case .audit: AuditVerifying.run(options)
        case .healthcheck: HealthCheck.run(options)
        case .version: Version.run(options)
        }
    }
}
