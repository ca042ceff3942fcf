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
            statusInBody: fields.boolean("statusInBody") == true, proxies: compileProxies(fields),
            aliases: compileAliases(fields.members("aliases") ?? []))
    }

    /// - Parameter fields: those of `server`.
    func compileFront(_ fields: FieldValues) -> Configuration.Front {
        Configuration.Front(
            listen: compilePublicListen(fields, exposure(fields, isSandbox: false)),
            hosts: fields.strings("hosts") ?? [],
            hasTLS: fields["tls"] != nil, proxies: compileProxies(fields))
    }

    private func compileProxies(_ fields: FieldValues) -> Configuration.Proxies {
        var blocks: [AddressBlock] = []
        var includesLocal = false
        for (index, name) in (fields.strings("trustedProxies") ?? []).enumerated() {
            let path = reader.join("server.trustedProxies", index)
            if name.elementsEqual("unix:".utf8) {
                includesLocal = true
            } else if let block = AddressBlock(name.text) {
                if block.isEverything { reader.report(path, "is everybody, who could then call himself what he likes") }
                blocks.append(block)
            } else {
                reader.report(
                    path,
                    "must be an address, or a block such as \"10.0.0.0/8\" with no bits set beyond its prefix, or \"unix:\""
                )
            }
        }
        let sendsHeader = fields.boolean("proxyProtocol") == true
        if sendsHeader, blocks.isEmpty, !includesLocal {
            reader.report(
                "server.proxyProtocol", "needs server.trustedProxies, the only ones from whom it is understood")
        }
        return Configuration.Proxies(blocks: blocks, includesLocal: includesLocal, sendsHeader: sendsHeader)
    }

    private func compilePublicListen(_ fields: FieldValues, _ exposure: Exposure) -> [ListenAddress] {
        let names = fields.strings("listen")
        if fields["tls"] != nil, fields.boolean("plaintext") == true {
            reader.report("server.plaintext", "must be false beside server.tls, with which all addresses speak TLS")
        }
        if names?.isEmpty == true { reader.report("server.listen", "must name at least one address") }
        return compileListen(names ?? [], "server.listen", exposure)
    }

    private func limits(_ fields: FieldValues) -> Configuration.Limits {
        if let body = fields.integer("body"), let buffers = fields.integer("buffers"), body >= buffers {
            reader.report(
                "server.limits.body", "must be less than server.limits.buffers, or no such body ever comes whole")
        }
        func number(_ name: String) -> Int { Int(fields.integer(name) ?? 0) }
        func time(_ name: String) -> Int64 { fields.integer(name) ?? 0 }
        return Configuration.Limits(
            requestLine: number("requestLine"), headers: number("headers"), headerCount: number("headerCount"),
            body: number("body"), jsonDepth: number("jsonDepth"), connections: number("connections"),
            buffers: number("buffers"), connectionBuffer: number("connectionBuffer"),
            handshakes: number("handshakes"), tlsMessages: number("tlsMessages"),
            headerTimeout: time("headerTimeout"), requestTimeout: time("requestTimeout"),
            writeTimeout: time("writeTimeout"), idleTimeout: time("idleTimeout"), drainTimeout: time("drainTimeout"))
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
