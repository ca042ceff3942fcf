import Bytes
import Crypto
import Net

/// Where Redis is, and as whom the service asks it.
package struct RedisSettings: Sendable {
    package struct Server: Sendable, Equatable {
        /// A name or a numeric address.
        package let host: String
        package let port: UInt16
        package let isSecured: Bool

        package init(host: String, port: UInt16, isSecured: Bool) {
            self.host = host
            self.port = port
            self.isSecured = isSecured
        }
    }

    /// They are tried in turn; the first that answers as a master is used.
    package let servers: [Server]
    /// Nil for Redis' user `default`.
    package let user: [UInt8]?
    package let password: Secret?
    /// Milliseconds until a connection or an answer that has not come is given up.
    package let timeout: Int64

    package init(servers: [Server], user: [UInt8]?, password: Secret?, timeout: Int64) {
        self.servers = servers
        self.user = user
        self.password = password
        self.timeout = timeout
    }
}
