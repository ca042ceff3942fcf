import Access
import Bytes
import Providers

extension Compiler {
    /// - Parameter isSandbox: whether the keys are for the sandbox, which nobody else may take for the vendor.
    func compileServer(_ fields: FieldValues, isSandbox: Bool) -> Configuration.Server {
        let cors = fields.object("cors")
        for (index, name) in (fields.strings("hosts") ?? []).enumerated()
        where !name.elementsEqual("*".utf8) && !CharacterRule.isHost(name) {
            reader.report(
                reader.join("server.hosts", index),
                "must be a host name without scheme and port, such as \"tokens.example.com\", or \"*\"")
        }
        for (index, origin) in (cors?.strings("origins") ?? []).enumerated() where !CharacterRule.isOrigin(origin) {
            reader.report(
                reader.join("server.cors.origins", index),
                "must be an origin as browsers write it, such as \"https://app.example.com\": "
                    + "in lower case, without path, and without the scheme's own port")
        }
        return Configuration.Server(
            listen: compileListen(fields, isSandbox), tls: fields.object("tls").map { compileTLS($0) },
            hosts: fields.strings("hosts") ?? [],
            transport: fields.string("transport")?.text, workers: Int(fields.integer("workers") ?? 0),
            limits: limits(fields.object("limits") ?? FieldValues()), origins: cors?.strings("origins") ?? [],
            statusInBody: fields.boolean("statusInBody") == true,
            aliases: compileAliases(fields.members("aliases") ?? []))
    }

    private func compileListen(_ fields: FieldValues, _ isSandbox: Bool) -> [HostPort] {
        var listen: [HostPort] = []
        let names = fields.strings("listen")
        let hasTLS = fields["tls"] != nil
        if hasTLS, fields.boolean("plaintext") == true {
            reader.report("server.plaintext", "must be false beside server.tls, with which all addresses speak TLS")
        }
        if names?.isEmpty == true { reader.report("server.listen", "must name at least one address") }
        for (index, name) in (names ?? []).enumerated() {
            let path = reader.join("server.listen", index)
            guard let address = HostPort(name.text) else {
                reader.report(path, "must be a numeric address and a port such as \"127.0.0.1:8080\" or \"[::1]:8080\"")
                continue
            }
            if !address.address.isLoopback, isSandbox {
                reader.report(
                    path, "is not a loopback address, and keys for the sandbox are handed out on loopback only")
            } else if !address.address.isLoopback, !hasTLS, fields.boolean("plaintext") == false {
                reader.report(
                    path,
                    "is not a loopback address; listening there needs server.tls, or server.plaintext: true without it")
            } else if let other = listen.first(where: { address.overlaps($0) }) {
                reader.report(path, "is listened on already, by \(other)")
            }
            listen.append(address)
        }
        return listen
    }

    private func limits(_ fields: FieldValues) -> Configuration.Limits {
        func number(_ name: String) -> Int { Int(fields.integer(name) ?? 0) }
        func time(_ name: String) -> Int64 { fields.integer(name) ?? 0 }
        return Configuration.Limits(
            requestLine: number("requestLine"), headers: number("headers"), headerCount: number("headerCount"),
            body: number("body"), jsonDepth: number("jsonDepth"), connections: number("connections"),
            headerTimeout: time("headerTimeout"), requestTimeout: time("requestTimeout"),
            idleTimeout: time("idleTimeout"), drainTimeout: time("drainTimeout"))
    }

    private func compileAliases(_ members: [JSONMember]) -> [(path: [UInt8], route: Int)] {
        var aliases: [(path: [UInt8], route: Int)] = []
        for member in members {
            let place = reader.note(member, in: "server.aliases")
            if let fault = Compiler.fault(ofAlias: member.name) { reader.report(place, fault) }
            let route = reader.word(member.value, place, among: Registry.routes.map(\.description.name))
            guard let route else { continue }
            if !Registry.routes[route].description.hasCallers {
                reader.report(place, "is for callbacks, which are answered at their publicURL's path")
            }
            aliases.append((member.name, route))
        }
        return aliases
    }

    private static func fault(ofAlias path: [UInt8]) -> String? {
        if !PublicURL.isPath(path) {
            return "must be a path that begins with /, without query, of characters that paths have"
        }
        return isOwn(path) ? "is a path of the service's own" : nil
    }
}
