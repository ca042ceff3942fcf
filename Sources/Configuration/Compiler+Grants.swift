import Access
import Bytes
import Providers

extension Compiler {
    /// Compiles one entry of `grants`; nil when too much is wrong with it, which is then noted.
    func compileGrant(
        _ member: JSONMember, _ credentials: [Configuration.Credential], _ identities: Set<[UInt8]>
    ) -> Grant? {
        let path = "grants." + member.name.text
        reader.note(path, at: member.nameOffset)
        guard case .string(let name)? = member.value["route"]?.content, let route = Registry.route(named: name.text)
        else {
            let known = Registry.routes.map(\.description.name)
            let nearest: String? =
                if case .string(let name)? = member.value["route"]?.content {
                    NearestName.of(name.text, among: known)
                } else { nil }
            let hint = nearest.map { "; did you mean \($0)?" } ?? ""
            reader.report(path, "needs a route, one of \(known.joined(separator: ", "))\(hint)")
            return nil
        }
        let description = Registry.routes[route].description
        let fields = reader.read(member.value, path, by: Schema.grant(of: description))
        let callers = compileCallers(fields, path, identities)
        guard let target = compileTarget(fields, path, description, callers),
            let credential = compileCredential(fields, path, Registry.routes[route].provider, credentials)
        else { return nil }
        let issuer: any TokenIssuer
        do throws(FieldProblem) {
            issuer = try description.makeIssuer(
                GrantFields(fields, target: target, accessKey: credentials[credential].accessKey))
        } catch {
            reader.report(path + "." + error.path, error.reason)
            return nil
        }
        if let template = issuer.vendorName { check(template, path + ".policy", callers) }
        let (lifetime, maxLifetime) = compileLifetimes(fields, path, description)
        return Grant(
            name: member.name, route: route, credential: credential, callers: callers, bucket: fields.string("bucket"),
            target: target, withoutKey: description.withoutKey, lifetime: lifetime, maxLifetime: maxLifetime,
            issuer: issuer)
    }

    private func compileCallers(
        _ fields: FieldValues, _ path: String, _ identities: Set<[UInt8]>
    ) -> [CallerSelector] {
        var callers: [CallerSelector] = []
        for (index, name) in (fields.strings("callers") ?? []).enumerated() {
            let place = "\(path).callers[\(index)]"
            guard let selector = selector(name.text) else {
                reader.report(place, "must be \"anonymous\", \"authenticated\" or \"apiKey:ID\"")
                continue
            }
            if case .identity(_, let id) = selector, !identities.contains(id) {
                reader.report(place, "names an API key that authentication.apiKeys does not have")
            }
            callers.append(selector)
        }
        if fields.strings("callers")?.isEmpty == true { reader.report(path + ".callers", "must name somebody") }
        if callers.contains(.anonymous), fields.boolean("public") != true {
            reader.report(
                path + ".callers", "anonymous needs public: true in the grant, since anybody may use it then (R10)")
        }
        if fields.boolean("public") == true, !callers.contains(.anonymous) {
            reader.report(path + ".public", "is true, but anonymous is not among the callers")
        }
        return callers
    }

    private func compileCredential(
        _ fields: FieldValues, _ path: String, _ provider: ProviderDescription,
        _ credentials: [Configuration.Credential]
    ) -> Int? {
        guard let name = fields.string("credential")?.text else { return nil }
        guard let index = credentials.firstIndex(where: { $0.name == name }) else {
            reader.report(path + ".credential", reader.unknown(name, among: credentials.map(\.name)))
            return nil
        }
        guard credentials[index].provider == provider.name else {
            reader.report(path + ".credential", "must be one of provider \(provider.name) for this route")
            return nil
        }
        return index
    }

    // MARK: Bucket and key

    private func compileTarget(
        _ fields: FieldValues, _ path: String, _ route: RouteDescription, _ callers: [CallerSelector]
    ) -> Grant.Target? {
        let isUnscoped = fields.boolean("unscoped") == true
        if let bucket = fields.string("bucket"), !BucketRule.admits(bucket.span) {
            reader.report(path + ".bucket", BucketRule.fault.description)
        }
        let (key, prefix) = (fields.template("key"), fields.template("keyPrefix"))
        let isWhole = fields.string("bucket") != nil && (key != nil || prefix != nil)
        if !isWhole, !isUnscoped {
            let names = route.takesFixedKey ? "key or keyPrefix" : "keyPrefix"
            reader.report(path, "needs bucket and \(names); a grant for more needs unscoped: true")
            return nil
        }
        if isWhole, isUnscoped {
            reader.report(path + ".unscoped", "is true, but bucket and key or keyPrefix scope the grant")
        }
        if key != nil, prefix != nil {
            reader.report(path + ".keyPrefix", "cannot stand beside key")
            return nil
        }
        if fields.strings("extensions") != nil, key?.usesExtension != true {
            reader.report(path + ".extensions", "needs ${ext} in key")
        }
        for (index, name) in (fields.strings("extensions") ?? []).enumerated() {
            let isPlain =
                (1...8).contains(name.count) && name.allSatisfy { $0 >= 48 && $0 <= 57 || $0 >= 97 && $0 <= 122 }
            if !isPlain { reader.report("\(path).extensions[\(index)]", "must be 1 to 8 of a-z 0-9") }
        }
        if let key {
            check(key, path + ".key", callers)
            checkKey(key, path + ".key", route)
            return .key(key.limited(to: fields.strings("extensions")))
        }
        guard let prefix else { return .anything }
        check(prefix, path + ".keyPrefix", callers)
        checkKey(prefix, path + ".keyPrefix", route)
        if !prefix.endsInSlash {
            reader.report(path + ".keyPrefix", "must end in /, else users/1 would also admit users/10")
        }
        if prefix.usesExtension { reader.report(path + ".keyPrefix", "cannot have ${ext}") }
        return .prefix(prefix)
    }

    /// R9: what a caller's name stands in must not be shared by callers of different identities.
    private func check(_ template: KeyTemplate, _ path: String, _ callers: [CallerSelector]) {
        guard template.namesCaller || template.namesSource else { return }
        if callers.contains(.anonymous) {
            reader.report(path, "names the caller, and anonymous callers have no name (R9)")
        }
        let isOne = callers.count == 1 && callers.allSatisfy { if case .identity = $0 { true } else { false } }
        if !template.namesSource, !isOne {
            reader.report(
                path, "must have ${caller.source}, or callers must be one kind:id, else two callers could share it (R9)"
            )
        }
    }

    /// R13 for the part of a key that the configuration gives, the places taken as one letter.
    private func checkKey(_ template: KeyTemplate, _ path: String, _ route: RouteDescription) {
        let sample = template.sample
        if let fault = ObjectKeyRule.fault(of: sample.span, maximumLength: route.maximumKeyLength) {
            reader.report(path, fault.description)
        }
    }

    // MARK: Lifetime

    /// Seconds: what is given when nothing is asked, and the most that may be asked.
    private func compileLifetimes(
        _ fields: FieldValues, _ path: String, _ route: RouteDescription
    ) -> (lifetime: Int64, maxLifetime: Int64) {
        let most = fields.integer("maxLifetime").map { $0 / 1000 }
        let lifetime = fields.integer("lifetime").map { $0 / 1000 } ?? min(3600, most ?? 3600)
        if let most, most < lifetime {
            reader.report(path + ".maxLifetime", "must not be shorter than lifetime")
        }
        return (lifetime, most ?? lifetime)
    }
}
