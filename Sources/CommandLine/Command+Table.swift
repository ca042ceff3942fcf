import Access
import Gateway
import Lifecycle

/// The commands. This is the only list of them, of their options and of their exit codes.
extension Command {
    static let all = [
        initialize, serve, check, mint, ticket, explain, inspect, brake, release, brakes, makeKey, hashKey, audit,
        healthCheck, api, describe, version,
    ]

    static let initialize = Command(
        "init", "writes a commented starting configuration to the --config file, which must not exist",
        options: [.configuration, .provider, .callers],
        exits: [.done: "it is written", .failed: "it is not: the file exists, or cannot be made"],
        examples: ["countersign init --provider qiniu", "countersign init --provider oss,sts --callers jwt"],
        run: StartingConfiguration.write)

    static let serve = Command(
        "serve", "answers requests until SIGTERM or SIGINT; SIGHUP has it read its configuration again",
        options: [.configuration],
        exits: [
            .done: "it was told to stop, and has answered what was asked", .failed: "it cannot start",
            .invalidConfiguration: nil,
        ],
        examples: ["countersign serve --config countersign.json5"], run: { Exit(Serving.run($0.configuration)) })

    static let check = Command(
        "check", "reads the configuration, reports every mistake in it, and runs its policyTests",
        options: [.configuration, .format, .print, .against],
        exits: [.done: "the configuration is valid, and its policyTests hold", .invalidConfiguration: nil],
        examples: [
            "countersign check --config countersign.json5", "countersign check --print",
            "countersign check --config - < countersign.json5", "countersign check --against 99.0.0",
        ],
        run: Checking.run)

    static let mint = Command(
        "mint", "issues for a caller that you name what the route would issue",
        options: [.configuration, .format, .caller, .claims, .route, .grant, .parameter, .address], exits: issuing,
        examples: ["countersign mint --caller apiKey:app --grant photos --parameter key=photos/app/a.jpg"],
        run: Minting.run)

    static let ticket = Command(
        "ticket", "makes a URL ticket for a caller that you name, as POST /tickets would",
        options: [.configuration, .format, .caller, .claims, .grant, .parameter, .uses, .host], exits: issuing,
        examples: [
            "countersign ticket --caller apiKey:app --grant photos --host tokens.example.com",
            "countersign ticket --caller apiKey:app --grant photos --uses 1 --host tokens.example.com",
        ],
        run: Minting.makeTicket)

    private static let issuing: KeyValuePairs<Exit, String?> = [
        .done: "it is issued", .failed: "it is refused, or cannot be issued", .invalidConfiguration: nil,
        .upstream: nil,
    ]

    static let explain = Command(
        "explain", "explains why the service gives something to a caller, or refuses it; issues nothing",
        options: [.configuration, .format, .caller, .claims, .route, .grant, .parameter, .time, .address],
        exits: [.done: "it would be issued", .failed: "it would be refused", .invalidConfiguration: nil],
        examples: [
            "countersign explain --caller apiKey:app --route qiniu.uptoken --parameter key=photos/app/a.jpg",
            "countersign explain --caller anonymous --grant objects --parameter contentToSign@- < string.txt",
        ],
        run: Explaining.run)

    static let inspect = Command(
        "inspect",
        "shows what the token, URL, header, form or JSON answer on standard input allows, or why the vendor would refuse it",
        options: [.configuration, .format],
        exits: [
            .done: "its vendor would take it, as far as can be told",
            .failed: "its vendor would refuse it, or it is of no known kind", .invalidConfiguration: nil,
        ],
        examples: [
            "countersign inspect < token.txt", "countersign inspect --config countersign.json5 < url.txt",
            "countersign inspect < answer.json",
        ],
        run: Inspecting.run)

    static let brake = Command(
        "brake \(kinds) [NAME]",
        "stops within a second what a grant, caller, credential or issuer gives, or everything, and lists what is still out",
        options: [.configuration, .format, .reason, .duration], exits: braking(done: "it is stopped"),
        examples: [
            "countersign brake grant photos --reason prefix-too-wide --for 1h",
            "countersign brake caller apiKey:app --reason key-has-leaked",
            "countersign brake all --reason unknown-leak",
        ],
        run: Braking.brake)

    static let release = Command(
        "release \(kinds) [NAME]", "sets free again what is stopped",
        options: [.configuration, .format, .reason], exits: braking(done: "it is free again"),
        examples: ["countersign release grant photos --reason prefix-is-right"], run: Braking.release)

    static let brakes = Command(
        "brakes", "lists what is stopped, since when and until when, by whom and why",
        options: [.configuration, .format],
        exits: [
            .done: "the list is printed", .failed: "the file of the brakes cannot be read", .invalidConfiguration: nil,
        ],
        examples: ["countersign brakes"], run: Braking.list)

    private static let kinds = Brake.Kind.allCases.map(\.rawValue).joined(separator: "|")

    private static func braking(done: String) -> KeyValuePairs<Exit, String?> {
        [
            .done: done, .failed: "it is not: the file of the brakes cannot be read or written",
            .invalidConfiguration: nil,
        ]
    }

    static let makeKey = Command(
        "make-key", "makes a new API key: prints the key for the client and the entry for the configuration",
        options: [.format], exits: [.done: "the key is printed", .failed: "the system has no random bytes"],
        examples: ["countersign make-key"], run: KeyMaking.make)

    static let hashKey = Command(
        "hash-key", "prints the configuration's entry for the API key that is the one line on standard input",
        options: [.format],
        exits: [.done: "the entry is printed", .failed: "standard input has no API key in one line"],
        examples: ["countersign hash-key < key.txt"], run: KeyMaking.hash)

    static let audit = Command(
        "audit verify FILE…", "checks that these lines of the audit are complete and unchanged",
        options: [.configuration, .format, .expectedHead, .fromCluster, .instance, .keyFile],
        exits: [
            .done: "they are", .failed: "they are not, or cannot be read",
            .invalidConfiguration: "the configuration or the key cannot be used",
        ],
        examples: [
            "countersign audit verify --key-file audit.key audit.jsonl",
            "countersign audit verify --key-file old.key --key-file audit.key audit.jsonl.* audit.jsonl",
            "countersign audit verify --cluster --instance tokens-1 tokens-1/audit.jsonl.* tokens-1/audit.jsonl",
        ],
        run: AuditVerifying.run)

    static let healthCheck = Command(
        "healthcheck", "asks the running service whether it answers; for containers",
        options: [.configuration],
        exits: [.done: "it answers", .failed: "it does not", .invalidConfiguration: nil],
        examples: ["countersign healthcheck --config countersign.json5"], run: HealthCheck.run)

    static let api = Command(
        "api", "prints the reference of the HTTP API, and with --format json its OpenAPI document",
        options: [.format], exits: [.done: nil],
        examples: ["countersign api > api.md", "countersign api --format json > openapi.json"],
        run: ReferencePrinting.run)

    static let describe = Command(
        "describe", "prints these commands as a manual page, or as the completions of a shell", options: [.form],
        exits: [.done: nil],
        examples: [
            "countersign describe > countersign.1", "countersign describe --as bash > countersign.bash",
        ],
        run: Describing.run)

    static let version = Command(
        "version", "says which version this is", options: [.format], exits: [.done: nil],
        examples: ["countersign version"], run: Version.run)
}
