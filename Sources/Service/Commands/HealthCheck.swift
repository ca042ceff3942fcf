import Bytes
import Configuration
import Net

/// `countersign healthcheck`: whether the service that the configuration describes answers, for a container's health check.
enum HealthCheck {
    static func run(_ options: Options) -> CommandLineTool.Exit {
        let server: Configuration.Server
        do throws(ConfigurationError) {
            server = try Configuration.load(options.configuration).server
        } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
        }
        guard let address = server.listen.first else { return .failed }
        // A listener off loopback may answer to its listed names only.
        let listed = server.hosts.first { $0 != Array("*".utf8) }
        let host = address.address.isLoopback ? "\(address)" : listed?.text ?? "\(address.reachable)"
        let request =
            "GET \(Configuration.livenessPath.text) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
        let answer = BlockingExchange.send(
            Array(request.utf8), to: SocketAddress(address.reachable), overTLS: server.tls != nil, seconds: 3)
        guard let answer, answer.starts(with: "HTTP/1.1 200 ".utf8) else {
            Terminal.complain("countersign healthcheck: nothing healthy answers at \(address.reachable)")
            return .failed
        }
        return .done
    }
}
