import Access
import Bytes
import HTTP
import Providers

extension Compiler {
    func compileServer(_ fields: Settings<Schema.Server>, _ exposure: Exposure) -> Configuration.Server {
        for (index, name) in fields.hosts.enumerated()
        where !name.elementsEqual("*".utf8) && !CharacterRule.isHost(name) {
            reader.report(
                reader.join("server.hosts", index),
                "must be a host name without scheme and port, such as \"tokens.example.com\", or \"*\"")
        }
        for (index, origin) in fields.cors.origins.enumerated() where !CharacterRule.isOrigin(origin) {
            reader.report(
                reader.join("server.cors.origins", index),
                "must be an origin as browsers write it, such as \"https://app.example.com\": "
                    + "in lower case, without path, and without the scheme's own port")
        }
        return Configuration.Server(
            listen: compilePublicListen(fields, exposure), tls: fields.tls.map { compileTLS($0) },
            hosts: fields.hosts, publicURL: compilePublicURL(fields.publicURL),
            errorReference: compileErrorReference(fields.errorReference), transport: fields.transport?.text,
            workers: fields.workers,
            limits: checked(fields.limits), origins: fields.cors.origins, statusInBody: fields.statusInBody,
            proxies: compileProxies(fields), aliases: compileAliases(fields.aliases ?? []))
    }

    private func compilePublicURL(_ text: [UInt8]?) -> [UInt8]? {
        guard var text else { return nil }
        if text.last == UInt8(ascii: "/") { text.removeLast() }
        let isURL = PublicURL(text + [UInt8(ascii: "/")]) != nil && !text.contains(UInt8(ascii: "?"))
        if !isURL {
            reader.report(
                "server.publicURL",
                "must be https:// or http:// and a host in lower case, such as \"https://tokens.example.com\", with a port "
                    + "if it is not the scheme's own, and a path if the proxy has one for this service")
        }
        return isURL ? text : nil
    }

    private func compileErrorReference(_ text: [UInt8]?) -> [UInt8] {
        guard let text else { return Configuration.Server.standardErrorReference }
        let begins = ["https://", "http://", "/"].contains { text.starts(with: $0.utf8) }
        if !begins || text.count > 200
            || !text.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) })
        {
            reader.report(
                "server.errorReference",
                "must be a URL or a path of at most 200 characters, such as \"https://docs.example.com/errors#\"")
        }
        return text
    }

    /// Who follows a URL of a ticket sends the host of `publicURL`, unless a proxy in front sends another.
    static func warning(ofPublicURL server: Configuration.Server) -> [String] {
        guard let text = server.publicURL, let url = PublicURL(text + [UInt8(ascii: "/")]), !server.listen.isEmpty,
            server.listen.allSatisfy({ server.names(at: $0)?.contains(url.host) == false })
        else { return [] }
        return [
            "server.publicURL: its host \(url.host.text) is not in server.hosts, so a request with this Host gets 421; "
                + "add it there, unless the proxy in front sends another Host"
        ]
    }

    /// Tickets stand in URLs, so that everybody who can read the requests can use them.
    static func warning(ofTickets authenticator: Authenticator, _ server: Configuration.Server) -> [String] {
        guard authenticator.ticketKey != nil, server.tls == nil, server.listen.contains(where: { !$0.isLocal }),
            server.publicURL?.starts(with: "https://".utf8) != true
        else { return [] }
        return [
            "authentication.tickets: tickets are sent over plain HTTP off loopback, where others can read and use them; "
                + "set server.tls, or set server.publicURL to the https:// URL of the proxy in front"
        ]
    }

    /// - Parameter fields: those of `server`.
    func compileHealthCheckTarget(_ fields: Settings<Schema.Server>) -> Configuration.HealthCheckTarget {
        Configuration.HealthCheckTarget(
            listen: compilePublicListen(fields, exposure(fields, isSandbox: false)),
            hosts: fields.hosts, hasTLS: fields.tls != nil, proxies: compileProxies(fields))
    }

    private func compileProxies(_ fields: Settings<Schema.Server>) -> Configuration.Proxies {
        var blocks: [AddressBlock] = []
        var includesLocal = false
        for (index, name) in fields.trustedProxies.enumerated() {
            var path: String { reader.join("server.trustedProxies", index) }
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
        if fields.proxyProtocol, blocks.isEmpty, !includesLocal {
            reader.report(
                "server.proxyProtocol", "needs server.trustedProxies, the only ones from whom it is understood")
        }
        return Configuration.Proxies(blocks: blocks, includesLocal: includesLocal, sendsHeader: fields.proxyProtocol)
    }

    private func compilePublicListen(_ fields: Settings<Schema.Server>, _ exposure: Exposure) -> [ListenAddress] {
        let names = fields.checked(\.listen)
        if fields.tls != nil, fields.plaintext {
            reader.report("server.plaintext", "must be false beside server.tls, with which all addresses speak TLS")
        }
        if names?.isEmpty == true { reader.report("server.listen", "must name at least one address") }
        return compileListen(names ?? [], "server.listen", exposure)
    }

    private func checked(_ limits: Limits) -> Limits {
        if limits.body >= limits.buffers {
            reader.report(
                "server.limits.body", "must be less than server.limits.buffers, or no such body ever comes whole")
        }
        return limits
    }

    private func compileAliases(_ members: [JSONMember]) -> [(path: [UInt8], route: Int)] {
        var aliases: [(path: [UInt8], route: Int)] = []
        for member in members {
            let memberPath = reader.note(member, in: "server.aliases")
            if let fault = Compiler.fault(ofAlias: member.name) { reader.report(memberPath, fault) }
            let route = reader.word(member.value, memberPath, among: Registry.routes.map(\.description.name))
            guard let route else { continue }
            if !Registry.routes[route].description.grant.hasCallers {
                reader.report(memberPath, "is for callbacks, which are answered at their publicURL's path")
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
