import Bytes
import Configuration
import Net

/// `countersign healthcheck`: whether the service that the configuration describes answers, for a container's health check.
enum HealthCheck {
    static func run(_ options: Options) -> CommandLineTool.Exit {
        let listen: [HostPort]
        do throws(ConfigurationError) {
            listen = try Configuration.load(options.configuration).server.listen
        } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
        }
        guard let address = listen.first else { return .failed }
        let request =
            "GET \(Configuration.livenessPath.text) HTTP/1.1\r\nHost: \(address.reachable)\r\nConnection: close\r\n\r\n"
        let answer = BlockingExchange.send(Array(request.utf8), to: SocketAddress(address.reachable), seconds: 3)
        guard let answer, answer.starts(with: "HTTP/1.1 200 ".utf8) else {
            Terminal.complain("countersign healthcheck: nothing healthy answers at \(address.reachable)")
            return .failed
        }
        return .done
    }
}
