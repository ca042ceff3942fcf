import Bytes

/// What the program can do.
enum Command: String, CaseIterable {
    case initialize = "init"
    case serve, check, inspect
    case hashKey = "hash-key"
    case healthcheck, version

    var summary: String {
        switch self {
        case .initialize: "writes a commented starting configuration to the --config file, which must not exist"
        case .serve: "answers requests until SIGTERM or SIGINT; SIGHUP has it read its configuration again"
        case .check: "reads the configuration, and says everything that is wrong with it"
        case .inspect: "tells what the token, URL, header or form on standard input allows, or why it is refused"
        case .hashKey: "makes an API key: prints the key for the client and the entry for the configuration"
        case .healthcheck: "asks the running service whether it answers; for containers"
        case .version: "says which version this is"
        }
    }

    var takesConfiguration: Bool { self != .hashKey && self != .version }
    var takesFormat: Bool { self == .check || self == .inspect || self == .hashKey || self == .version }

    static let overview =
        "usage: countersign COMMAND [OPTIONS]\n"
        + allCases.map { "  \($0.rawValue)\(String(repeating: " ", count: 13 - $0.rawValue.utf8.count))\($0.summary)" }
        .joined(separator: "\n")
        + "\nThe configuration is --config FILE, else $COUNTERSIGN_CONFIG, else countersign.json5."
        + "\ninspect needs no configuration; it checks signatures by the keys of one."
        + "\ncheck, inspect, hash-key and version take --format text|json."

    static func hint(for name: String) -> String {
        NearestName.of(name, among: allCases.map(\.rawValue)).map { "; did you mean \($0)?" } ?? ""
    }

    func run(_ options: Options, startingSandbox start: @escaping SandboxStart) -> CommandLineTool.Exit {
        switch self {
        case .initialize: StartingConfiguration.write(to: options.configuration)
        case .serve: Serving.run(options, startingSandbox: start)
        case .check: Checking.run(options)
        case .inspect: Inspecting.run(options)
        case .hashKey: KeyMaking.run(options)
        case .healthcheck: HealthCheck.run(options)
        case .version: Version.run(options)
        }
    }
}
