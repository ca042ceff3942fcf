import Bytes

extension Configuration {
    /// Where clients reach the service, and how: all that a health check has to know. It takes neither secrets nor any file but the
    /// configuration's own, so that a health check need not be able to read any other.
    package struct HealthCheckTarget: Sendable {
        package let listen: [ListenAddress]
        package let hosts: [[UInt8]]
        /// Whether clients speak TLS.
        package let hasTLS: Bool
        package let proxies: Proxies

        /// Reads it from the file of a configuration. Of the rest only the form is judged.
        package static func load(
            _ path: String, in environment: Environment = .process
        ) throws(ConfigurationError) -> HealthCheckTarget {
            try Compiler(reading: path, environment).compileHealthCheckTarget()
        }
    }
}
