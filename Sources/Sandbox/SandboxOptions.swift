import Bytes

/// What `countersign-sandbox` is started with.
struct SandboxOptions {
    /// What is wrong with the command line.
    struct Fault: Error {
        let reason: String
    }

    let listen: HostPort
    private(set) var data = ""
    private(set) var roles: [[UInt8]] = []
    /// Where callbacks of uploads may go.
    private(set) var callbackHosts: [HostPort] = []
    /// Whether it ends when the process that has started it ends.
    private(set) var endsWithParent = false
    private(set) var wantsHelp = false

    private static let standardAddress = "127.0.0.1:8090"
    private static let standardRole = "acs:ram::1234567890123456:role/demo-uploader"

    static let help = """
        usage: countersign-sandbox --data DIR [OPTIONS]
        Stands in for the vendors on this machine, so that countersign can be tried without an account: Qiniu's
        Kodo, NetEase's NOS, Alibaba's OSS and STS.
        What it gives opens nothing. It ends at SIGTERM or SIGINT.
          --data DIR          where its accounts are: DIR/keys/VENDOR/ACCESSKEY holds the secret key; those of the
                              demonstration are made where they are missing
          --listen HOST:PORT  where it listens, on loopback only; else \(standardAddress)
          --role ARN          a role that its callers may assume, one after the other; else
                              \(standardRole)
          --callback-host HOST:PORT
                              a loopback address that callbacks of uploads may go to, one after the other; else they
                              go nowhere
          --end-with-parent   it also ends when the process that has started it ends
        """

    init(_ arguments: [String]) throws(Fault) {
        var address = SandboxOptions.standardAddress
        var rest = arguments[...]
        var seen: Set<String> = []
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" {
                wantsHelp = true
                continue
            }
            if argument == "--end-with-parent" {
                endsWithParent = true
                continue
            }
            // `--data=DIR` is `--data DIR`.
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard ["--data", "--listen", "--role", "--callback-host"].contains(parts[0]) else {
                throw Fault(
                    reason: "there is no option \(parts[0].visible); there are --data, --listen, --role, "
                        + "--callback-host, --end-with-parent and --help")
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                throw Fault(reason: "\(parts[0]) needs a value")
            }
            guard seen.insert(parts[0]).inserted || ["--role", "--callback-host"].contains(parts[0]) else {
                throw Fault(reason: "\(parts[0]) is given more than once")
            }
            switch parts[0] {
            case "--data": data = value
            case "--role": roles.append(Array(value.utf8))
            case "--callback-host": callbackHosts.append(try SandboxOptions.callbackHost(value))
            default: address = value
            }
        }
        listen = try SandboxOptions.loopback(address)
        if !wantsHelp, data.isEmpty { throw Fault(reason: "--data is needed: the folder of its accounts") }
        if roles.isEmpty { roles = [Array(SandboxOptions.standardRole.utf8)] }
    }

    private static func callbackHost(_ text: String) throws(Fault) -> HostPort {
        guard let address = HostPort(text), address.address.isLoopback else {
            throw Fault(reason: "--callback-host needs a loopback address and a port, such as 127.0.0.1:8080")
        }
        return address
    }

    private static func loopback(_ text: String) throws(Fault) -> HostPort {
        guard let address = HostPort(text) else {
            throw Fault(reason: "--listen needs an address and a port, such as \(standardAddress)")
        }
        guard address.address.isLoopback else {
            throw Fault(reason: "--listen must be a loopback address: the sandbox is for this machine alone")
        }
        return address
    }
}
