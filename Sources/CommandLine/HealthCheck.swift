import Bytes
import Configuration
import HTTP
import Machine
import Net

/// `countersign healthcheck`: whether the service that the configuration describes answers, for a container's health check. It reads
/// no secret.
enum HealthCheck {
    static func run(_ options: Options) -> Exit {
        let target: Configuration.HealthCheckTarget
        do throws(ConfigurationError) {
            target = try Configuration.HealthCheckTarget.load(options.configuration)
        } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
        }
        guard let address = target.listen.first else { return .failed }
        // A listener off loopback may answer to its listed names only.
        let listed = target.hosts.first { $0 != Array("*".utf8) }
        let host: String
        switch address {
        case .network(let address) where address.address.isLoopback: host = "\(address)"
        case .network(let address): host = listed?.text ?? "\(address.reachable)"
        case .unix: host = listed?.text ?? "localhost"
        }
        let request =
            "GET \(Configuration.livenessPath.text) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
        let answer = BlockingExchange.send(
            Array(request.utf8), to: SocketAddress(address.reachable), after: Array(preamble(to: address, of: target)),
            overTLS: target.hasTLS, seconds: 3)
        guard let answer, answer.starts(with: "HTTP/1.1 200 ".utf8) else {
            Terminal.complain("countersign healthcheck: nothing healthy answers at \("\(address.reachable)".visible)")
            return .failed
        }
        return .done
    }

    /// What the service waits for where this machine counts as one of its proxies: that nobody is spoken for.
    private static func preamble(to address: ListenAddress, of target: Configuration.HealthCheckTarget)
        -> String.UTF8View
    {
        let proxies = TrustedProxies(target.proxies.blocks, includesLocal: target.proxies.includesLocal)
        let isProxy: Bool
        switch address.reachable {
        case .network(let address): isProxy = proxies.contains(ClientAddress(address.address))
        case .unix: isProxy = target.proxies.includesLocal
        }
        return (target.proxies.sendsHeader && isProxy ? "PROXY UNKNOWN\r\n" : "").utf8
    }
}
