import Access
import Bytes
import Cluster
import Crypto
import HTTP
import Machine

extension Compiler {
    func compileCluster(_ fields: Settings<Schema.Cluster>) -> ClusterSettings? {
        var servers: [RedisSettings.Server] = []
        for (index, text) in (fields.servers ?? []).enumerated() {
            let path = "cluster.servers[\(index)]"
            guard let server = RedisSettings.Server(url: text) else {
                reader.report(path, "must be rediss://HOST:PORT, or redis://HOST:PORT without TLS")
                continue
            }
            if !server.isSecured, !server.isLocal, !fields.plaintext {
                reader.report(
                    path,
                    "is another machine, and redis:// has no TLS: use rediss://, or set cluster.plaintext to true if nobody else can read that network"
                )
            }
            servers.append(server)
        }
        if let list = fields.servers, list.isEmpty {
            reader.report(
                "cluster.servers", "must have at least one server, such as \"rediss://redis.example.com:6379\"")
        }
        if fields.user != nil, fields.checked(\.password) == nil, !reader.problems.hasAny(at: "cluster.password") {
            reader.report("cluster.password", "is missing: a user has one")
        }
        guard let key = fields.key, !servers.isEmpty else { return nil }
        checkStrength(of: key, atLeast: ClusterSettings.minimumKeyLength, "cluster.key")
        if let previous = fields.previousKey {
            checkStrength(of: previous, atLeast: ClusterSettings.minimumKeyLength, "cluster.previousKey")
        }
        let instance = fields.instance ?? Array(text: SystemFacts.hostName ?? "countersign")
        if !ByteSet.dottedWord.contains(all: instance, length: 1...128) {
            reader.report("cluster.instance", "must be 1 to 128 letters, digits, dots, hyphens and underscores")
        }
        if !Compiler.prefixBytes.contains(all: fields.prefix, length: 1...64) {
            reader.report(
                "cluster.prefix",
                "must be 1 to 64 letters, digits, colons, dots, hyphens, underscores, braces and slashes"
            )
        }
        var settings = ClusterSettings(
            redis: RedisSettings(
                servers: servers, user: fields.user, password: fields.password, timeout: fields.timeout),
            key: key, instance: instance)
        settings.trustFile = fields.trustFile.map { reader.filePath(of: $0) }
        settings.previousKey = fields.previousKey
        settings.prefix = fields.prefix
        settings.lease = fields.lease
        settings.replicas = fields.replicas
        settings.staleAfter = fields.staleAfter
        settings.whenStale = fields.whenStale
        return settings
    }

    private static let prefixBytes = ByteSet.dottedWord.union(":{}/")
}

extension RedisSettings.Server {
    /// Whether it is this machine.
    fileprivate var isLocal: Bool {
        IPAddress(host).map(\.isLoopback) ?? Localhost.isName(host.utf8)
    }

    /// - Parameter url: `rediss://HOST:PORT`, or `redis://HOST:PORT` without TLS.
    fileprivate init?(url: [UInt8]) {
        let secured = Array(text: "rediss://")
        let plain = Array(text: "redis://")
        let isSecured = url.starts(with: secured)
        guard isSecured || url.starts(with: plain) else { return nil }
        guard let asked = URLAuthority(Array(url.dropFirst(isSecured ? secured.count : plain.count))),
            let port = asked.port,
            asked.address != nil || !asked.isBracketed && Self.hostBytes.contains(all: asked.host, length: 1...253)
        else { return nil }
        self.init(host: asked.host.text, port: port, isSecured: isSecured)
    }

    private static let hostBytes = ByteSet.dottedWord
}
