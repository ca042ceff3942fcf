import Access
import Bytes

/// Where the service listens, and whom it may let in there.
extension Compiler {
    /// What lets addresses off loopback be listened on.
    struct Exposure {
        /// Whether the keys are for the sandbox, which nobody else may take for the vendor.
        let isSandbox: Bool
        /// Whether nothing protects what is sent there.
        let isUnprotected: Bool
    }

    /// - Parameter fields: those of `server`.
    func exposure(_ fields: Settings<Schema.Server>, isSandbox: Bool) -> Exposure {
        Exposure(
            isSandbox: isSandbox, isUnprotected: fields.tls == nil && fields.checked(\.plaintext) == false)
    }

    /// - Parameter taken: what others of its listeners have.
    func compileListen(
        _ names: [[UInt8]], _ path: String, _ exposure: Exposure, beside taken: [ListenAddress] = []
    ) -> [ListenAddress] {
        var listen: [ListenAddress] = []
        for (index, name) in names.enumerated() {
            var addressPath: String { reader.join(path, index) }
            guard let address = ListenAddress(name.text) else {
                reader.report(addressPath, Compiler.fault(ofAddress: name.text))
                continue
            }
            if !address.isLocal, exposure.isSandbox {
                reader.report(
                    addressPath, "is not a loopback address, and keys for the sandbox are handed out on loopback only")
            } else if !address.isLocal, exposure.isUnprotected {
                reader.report(
                    addressPath,
                    "is not a loopback address; listening there needs server.tls, or server.plaintext: true without it")
            } else if let other = (taken + listen).first(where: { address.overlaps($0) }) {
                reader.report(addressPath, "is listened on already, by \(other)")
            }
            listen.append(address)
        }
        return listen
    }

    private static func fault(ofAddress text: String) -> String {
        if text.hasPrefix("unix:") {
            return "must be the absolute path of a file, of at most \(ListenAddress.longestPath) bytes"
        }
        let port = text.split(separator: ":", omittingEmptySubsequences: false).last.map { Array($0.utf8) } ?? []
        if let number = Decimal.parse(port.span), number > 65_535 {
            return "has a port above 65535; ports are from 0 to 65535"
        }
        return "must be a numeric address and a port such as \"127.0.0.1:8080\" or \"[::1]:8080\""
    }

    // MARK: The admin

    /// - Parameter taken: where everybody else is listened to.
    func compileAdmin(
        _ fields: Settings<Schema.Admin>, _ exposure: Exposure, beside taken: [ListenAddress]
    ) -> Configuration.Admin {
        let entries = fields.checked(\.auth)
        _ = ids(entries?.map(\.id), "admin.auth")
        let keys = compileKeys(entries ?? [], "admin.auth")
        let listen = compileListen(fields.checked(\.listen) ?? [], "admin.listen", exposure, beside: taken)
        if entries?.isEmpty == true, let open = listen.first(where: { !$0.isLocal }) {
            reader.report("admin.listen", "\(open) is not a loopback address; listening there needs admin.auth")
        }
        var settings = Authenticator.Settings()
        settings.apiKeys = keys
        return Configuration.Admin(
            listen: listen, authenticator: keys.isEmpty ? nil : Authenticator(settings),
            hasConsole: fields.console, connections: fields.connections)
    }
}
