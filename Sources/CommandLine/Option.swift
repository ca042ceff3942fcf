import Providers

/// One thing that may follow a command. There is none for a secret: the process list shows options to everybody.
struct Option: Hashable, Sendable {
    /// With its two hyphens.
    let name: String
    /// A hyphen and a letter; nil for none.
    let shortName: String?
    /// What stands for the value in help; nil for an option without a value.
    let value: String?
    /// What it means, for help and for docs/commands.md.
    let summary: String
    /// Whether it may be given more than once.
    let isRepeatable: Bool

    private init(
        _ name: String, short: String? = nil, _ value: String?, repeatable: Bool = false, _ summary: String
    ) {
        self.name = name
        shortName = short
        self.value = value
        isRepeatable = repeatable
        self.summary = summary
    }

    /// The name with its value.
    var usage: String { value.map { "\(name) \($0)" } ?? name }

    /// The same with the short name.
    var fullUsage: String { shortName.map { "\($0), \(usage)" } ?? usage }

    /// All that it is called, the short name first.
    var names: [String] { [shortName, name].compactMap(\.self) }

    /// The values that it can have, where its usage has them all: words in small letters.
    var choices: [String] {
        guard let value, !value.contains(where: \.isUppercase) else { return [] }
        return value.split(separator: "|").map(String.init)
    }

    /// Whether its value is the name of a file.
    var takesFile: Bool { value == "FILE" }

    func isCalled(_ text: String) -> Bool { text == name || text == shortName }

    static let configuration = Option(
        "--config", short: "-c", "FILE", "the configuration; else $COUNTERSIGN_CONFIG, else countersign.json5")
    static let format = Option("--format", "text|json", "text for people, which is the default, or json for programs")
    static let help = Option("--help", short: "-h", nil, "prints this")
    static let provider = Option(
        "--provider", providers.joined(separator: "|"), repeatable: true,
        "a vendor to write examples for; several by several options, or with commas between")
    static let callers = Option(
        "--callers", "keys|jwt|keys,jwt",
        "how callers prove who they are: by API keys, which is the default, by tokens (JWT), or by either"
    )
    static let caller = Option(
        "--caller", "CALLER", "who asks: anonymous, apiKey:ID, certificate:ID or jwt:ID/SUBJECT")
    static let claims = Option(
        "--claims", "JSON|@FILE", "the claims of the caller's token, as a JSON object; exp says when it ends")
    static let route = Option("--route", "NAME", "the route, such as qiniu.uptoken")
    static let grant = Option("--grant", "NAME", "the grant to use; it says the route, too")
    static let parameter = Option(
        "--parameter", "NAME=VALUE|NAME@FILE", repeatable: true,
        "a parameter of the route; the value after = or in a file, and for NAME@- on standard input")
    static let host = Option("--host", "HOST[:PORT]", "the name by which clients call the service")
    static let time = Option("--at", "TIME", "the time of the request, such as 2027-01-01T00:00:00Z; else now")
    static let address = Option(
        "--address", "ADDRESS", "the caller's address, such as 192.0.2.1, for grants with addresses")
    static let uses = Option(
        "--uses", "NUMBER", "how often the ticket may be used, by all replicas together; Redis is asked for it")
    static let reason = Option("--reason", "TEXT", "why, for the audit and for other operators; never told to clients")
    static let duration = Option("--for", "DURATION", "how long, such as 90s, 15m, 1h or 7d; else until it is released")
    static let form = Option(
        "--as", Describing.forms.map(\.key).joined(separator: "|"),
        "a manual page, which is the default, or the completions of a shell")
    static let print = Option(
        "--print", nil, "shows each grant whole, as JSON: with its defaults, and without secrets")
    static let against = Option(
        "--against", "VERSION",
        "a version to come: warns of each key that it will not have, as far as this version knows")
    static let expectedHead = Option(
        "--expect-head", "HEAD", "the mac of a line that must be there, noted somewhere else")
    static let fromCluster = Option(
        "--cluster", nil, "asks Redis how far the audit of each replica went, and expects that of this one")
    static let instance = Option("--instance", "NAME", "another replica whose audit it is, for --cluster")
    static let keyFile = Option(
        "--key-file", "FILE", repeatable: true,
        "the audit's key, instead of a configuration; if it was changed, each key in the order of use")

    /// The vendors that `init` knows.
    static var providers: [String] { Registry.providers.map(\.name) }
}
