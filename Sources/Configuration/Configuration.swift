import Access
import Audit
import Bytes
import Cluster
import Crypto
import HTTP
import Providers
import Telemetry
import Upstream

/// A configuration that has been read, checked and compiled; it never changes.
package struct Configuration: Sendable {
    package struct Server: Sendable {
        package let listen: [ListenAddress]
        /// Nil where clients speak plain HTTP.
        package let tls: TLS?
        package let hosts: [[UInt8]]
        /// What clients reach it by, without a slash at the end; nil where that is only known of each request.
        package let publicURL: [UInt8]?
        /// The start of the `type` of each error; the code of the error follows it.
        package let errorReference: [UInt8]
        /// `epoll`, `dispatch`, or nil for the system's own.
        package let transport: String?
        /// 0 for one on each core.
        package let workers: Int
        package let limits: Limits
        package let origins: [[UInt8]]
        /// Whether errors of `/distribute-token.json` travel with HTTP 200.
        package let statusInBody: Bool
        package let proxies: Proxies
        /// Paths that stand for routes of the registry.
        package let aliases: [(path: [UInt8], route: Int)]

        /// The path of the project's own page about errors.
        package static let standardErrorReference = Array("/docs/api.md#".utf8)

        /// The names that a Host field may have at a listener (R1), in lower case; nil where it may have every one.
        package func names(at listener: ListenAddress) -> [[UInt8]]? {
            let listed = hosts.map { $0.map(\.lowercasedASCII) }
            if listed.contains([UInt8(ascii: "*")]) { return nil }
            if case .network(let listener) = listener, listener.address.isLoopback {
                return listed + [Array("localhost".utf8), listener.hostBytes]
            }
            return listed.isEmpty ? nil : listed
        }
    }

    /// The admin's listeners, and who may ask there.
    package struct Admin: Sendable {
        /// Empty where it is told nowhere.
        package let listen: [ListenAddress]
        /// Who may ask for more than whether it is alive and ready; nil where everybody may who reaches it.
        package let authenticator: Authenticator?
        /// Whether there is a page for operators.
        package let hasConsole: Bool
        /// The connections that may be open at once.
        package let connections: Int
    }

    /// The proxies whose word is taken for the client's address.
    package struct Proxies: Sendable {
        package let blocks: [AddressBlock]
        /// Whether clients of the Unix socket are such proxies.
        package let includesLocal: Bool
        /// Whether their connections begin with the PROXY protocol.
        package let sendsHeader: Bool
    }

    /// What clients are shown on all addresses, but for the admin's on loopback.
    package struct TLS: Sendable {
        package struct Certificate: Sendable {
            package let names: [[UInt8]]
            package let certificate: ServerCertificate
        }

        /// The first is shown to those who call none of the names.
        package let certificates: [Certificate]
        /// Whose certificates clients may show; nil to ask for none.
        package let clientAuthorities: ClientAuthorities?
    }

    package struct Credential: Sendable {
        package let name: String
        package let provider: String
        /// Whether it is for trying things out: its key opens nothing.
        package let isSandbox: Bool
        /// Nil only for one that is fetched while the service runs (identities `oidc` and `ecs`).
        package let key: KeyPair?
        /// What signed before it.
        package var previous: [PreviousKey] = []
        /// How the vendor is asked for sessions; nil where the key signs here.
        package let sessions: Sessions?
        /// How the vendor is asked for what callers want to know.
        package var fetches = FetchLimits()
        /// Where the secret key stands in the text, if it is a variable of the environment; else nil.
        var environmentSecret: TextPosition?
        /// What the file says of it.
        package let fields: FieldValues
    }

    /// A pair by which nothing is signed any more.
    package struct PreviousKey: Sendable {
        package let pair: KeyPair
        /// When nothing that it has signed is believed any more, in seconds since 1970.
        package let until: Int64
    }

    package struct Sessions: Sendable {
        package let source: any SessionSource
        /// Where the certificates are that are trusted instead of the system's.
        package let trustFile: String?
        package let limits: UpstreamLimits
        /// How many calls may begin for one caller, who shapes sessions by what it asks and by its claims.
        package let callsPerCaller: Rate?
    }

    /// Where the keys of an issuer of tokens are fetched; times in milliseconds.
    package struct KeySource: Sendable, Equatable {
        package let endpoint: VendorEndpoint
        package let path: [UInt8]
        /// From one time to the next.
        package let refresh: Int64
        /// How long they are used when they cannot be fetched again.
        package let keep: Int64
    }

    /// How vendors' public keys are had that callbacks are signed by; times in milliseconds.
    package struct CallbackKeys: Sendable, Equatable {
        /// How many are remembered at a time.
        package let remembered: Int
        /// How old a key is when the next is fetched, and how old one may be that is used.
        package let refresh, keep: Int64
        /// For the vendor's usual key, and for all others together.
        package let callsPerSecond, strangeCallsPerSecond: Int
        /// How many callbacks may wait in a loop.
        package let waiting: Int
    }

    /// How the service notices a changed configuration.
    package struct Reload: Sendable {
        /// Whether the files are looked at for changes.
        package let watches: Bool
        /// Milliseconds from one look to the next.
        package let interval: Int64
    }

    /// Where it stands what the operator has stopped.
    package struct Brake: Sendable {
        package let file: String
        /// How many brakes and releases there may be.
        package let entries: Int

        package init(file: String, entries: Int) {
            self.file = file
            self.entries = entries
        }
    }

    /// How often anybody may ask, by whatever grant.
    package struct Rates: Sendable {
        package let perAddress, perCaller: Rate?
        /// How many are counted apart at a time.
        package let identities: Int
    }

    /// Where the service says that it is alive.
    package static let livenessPath = Array("/livez".utf8)
    /// Where the admin listener says whether it can do its work.
    package static let readinessPath = Array("/readyz".utf8)
    /// Where the service explains why a caller would get a token, or would not.
    package static let explanationPath = Array("/explain".utf8)
    /// Where the admin listener tells what is stopped, and has things stopped and set free.
    package static let brakesPath = Array("/brakes".utf8)
    /// Where the admin listener tells what the service has counted.
    package static let metricsPath = Array("/metrics".utf8)
    /// Where the admin listener tells what callers can ask.
    package static let openAPIPath = Array("/openapi.json".utf8)
    /// Where callers find what they may do.
    package static let grantsPath = Array("/grants".utf8)
    /// Where callers have tickets made.
    package static let ticketsPath = Array("/tickets".utf8)
    /// Paths that no alias may have.
    static let ownPaths = [livenessPath, grantsPath, ticketsPath]

    package let server: Server
    package let admin: Admin
    package let credentials: [Credential]
    package let authenticator: Authenticator
    /// By the ids of the issuers whose keys are fetched.
    package let keySources: [[UInt8]: KeySource]
    package let grants: [Grant]
    /// By the index of the grant.
    package let issuers: [IssuerKind]
    package let policy: Policy
    package let rates: Rates
    /// What the operator says that the grants must give and refuse.
    package let policyTests: [PolicyTest]
    /// How many of them cannot hold, since their callers are shut out (`PolicyTestRunner`).
    package var suspendedTests = 0
    package let callbackKeys: CallbackKeys
    package let reload: Reload
    /// Nil where the service keeps no audit.
    package let audit: AuditSettings?
    /// Nil where nothing can be stopped by `countersign brake`.
    package let brake: Brake?
    /// Nil for a service that is alone.
    package let cluster: ClusterSettings?
    package let log: Log.Settings
    /// What counts from the service's start to its end.
    package let fixed: [RestartOnlySetting]
    /// The keys that it gives and that a later version will not have.
    package let deprecated: [DeprecatedKey]
    /// Settings that are allowed, but should be reviewed.
    package var warnings: [String]

    /// Reads a configuration from a file.
    /// - Parameter listing: takes the grants, if they are to be shown.
    package static func load(
        _ path: String, in environment: Environment = .process, listing: GrantListing? = nil
    ) throws(ConfigurationError) -> Configuration {
        try Compiler(reading: path, environment, listing: listing).compile()
    }

    /// Reads a secret that stands alone in a file, by the rules for the secret files that a configuration names.
    package static func secret(inFile path: String, in environment: Environment = .process) throws(ConfigurationError)
        -> Secret
    {
        var reader = FieldReader([], folder: ".", environment)
        if let secret = reader.secret(inFile: path, "") { return secret }
        throw ConfigurationError(file: path, problems: reader.problems.problems)
    }
}
