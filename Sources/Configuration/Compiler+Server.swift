import Access
import Bytes
import Providers

extension Compiler {
    func compileServer(_ fields: FieldValues, _ exposure: Exposure) -> Configuration.Server {
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
            listen: compilePublicListen(fields, exposure), tls: fields.object("tls").map { compileTLS($0) },
            hosts: fields.strings("hosts") ?? [],
            transport: fields.string("transport")?.text, workers: Int(fields.integer("workers") ?? 0),
            limits: limits(fields.object("limits") ?? FieldValues()), origins: cors?.strings("origins") ?? [],
            statusInBody: fields.boolean("statusInBody") == true,
            aliases: compileAliases(fields.members("aliases") ?? []))
    }

    private func compilePublicListen(_ fields: FieldValues, _ exposure: Exposure) -> [HostPort] {
        let names = fields.strings("listen")
        if fields["tls"] != nil, fields.boolean("plaintext") == true {
            reader.report("server.plaintext", "must be false beside server.tls, with which all addresses speak TLS")
        }
        if names?.isEmpty == true { reader.report("server.listen", "must name at least one address") }
        return compileListen(names ?? [], "server.listen", exposure)
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
