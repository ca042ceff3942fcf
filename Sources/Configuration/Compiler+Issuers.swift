import Access
import Bytes
import Crypto
import Machine
import Providers

/// The issuers of tokens.
extension Compiler {
    func compileIssuers(
        _ entries: [Settings<Schema.JWT>]
    ) -> [(issuer: JWTIssuer, source: Configuration.KeySource?)] {
        var issuers: [(issuer: JWTIssuer, source: Configuration.KeySource?)] = []
        for (index, entry) in entries.enumerated() {
            let path = "authentication.jwt[\(index)]"
            guard let (issuer, source) = compileIssuer(entry, path) else { continue }
            if issuers.contains(where: { $0.issuer.issuer == issuer.issuer }) {
                reader.report(
                    path + ".issuer", "is another entry's issuer already, so that nobody could tell them apart")
            }
            issuers.append((issuer, source))
        }
        return issuers
    }

    private func compileIssuer(
        _ fields: Settings<Schema.JWT>, _ path: String
    ) -> (JWTIssuer, Configuration.KeySource?)? {
        let algorithms = compileAlgorithms(fields, path)
        let keys = compileKeys(of: fields, for: algorithms, path)
        if fields.leeway % 1000 != 0 { reader.report(path + ".leeway", "must be in whole seconds") }
        guard let id = fields.id, let issuer = fields.issuer, let audience = fields.audience, let algorithms, let keys
        else { return nil }
        let (known, source): (JWTIssuer.Keys, Configuration.KeySource?) =
            switch keys {
            case .known(let keys): (.known(keys), nil)
            case .fetched(let source): (.fetched(from: fields.jwksUrl ?? []), source)
            }
        do throws(CryptoError) {
            let issuer = try JWTIssuer(
                id: id, issuer: issuer, audience: audience, algorithms: algorithms, keys: known,
                leeway: fields.leeway / 1000)
            return (issuer, source)
        } catch {
            reader.report(path, "cannot be used now: \(error)")
            return nil
        }
    }

    private func compileAlgorithms(_ fields: Settings<Schema.JWT>, _ path: String) -> [SignatureAlgorithm]? {
        guard let names = fields.algorithms else { return nil }
        let path = path + ".algorithms"
        if names.isEmpty { reader.report(path, "must name at least one") }
        var algorithms: [SignatureAlgorithm] = []
        for (index, name) in names.enumerated() {
            let known = SignatureAlgorithm.allCases
            guard let algorithm = known.first(where: { $0.rawValue.utf8.elementsEqual(name) }) else {
                reader.report(
                    reader.join(path, index), FieldReader.unknown(name.text, among: known.map(\.rawValue)))
                continue
            }
            algorithms.append(algorithm)
        }
        guard !names.isEmpty, algorithms.count == names.count else { return nil }
        guard algorithms.contains(.hs256), algorithms.count > 1 else { return algorithms }
        reader.report(
            path, "has HS256 beside algorithms of public keys, so that whoever knows those could sign (R10)")
        return nil
    }

    // MARK: Keys

    private enum Keys {
        case known(JWTKeySet)
        case fetched(Configuration.KeySource)
    }

    /// Where keys may be said to be.
    private enum Source {
        case url([UInt8]), jwks(file: [UInt8]), publicKey(file: [UInt8]), secret(Secret)
    }

    private func compileKeys(
        of fields: Settings<Schema.JWT>, for algorithms: [SignatureAlgorithm]?, _ path: String
    ) -> Keys? {
        let known = Schema.JWT()
        let sources: [(field: AnyField, source: Source?)] = [
            (known.jwksUrl, fields.jwksUrl.map { .url($0) }), (known.jwksFile, fields.jwksFile.map { .jwks(file: $0) }),
            (known.publicKeyFile, fields.publicKeyFile.map { .publicKey(file: $0) }),
            (known.secret, fields.secret.map { .secret($0) }),
        ]
        let given = sources.filter { $0.source != nil }
        guard let (field, found) = given.first, let source = found, given.count == 1 else {
            // What was given and not understood has been reported.
            let names = sources.map(\.field.name).joined(separator: ", ")
            let reason =
                given.isEmpty
                ? "needs one of \(names)"
                : "has \(given.map(\.field.name).joined(separator: " and ")): keep one of them, since its keys come from one place"
            if !given.isEmpty || !reader.problems.hasAny(at: path) { reader.report(path, reason) }
            return nil
        }
        guard let algorithms else { return nil }
        let fieldPath = path + "." + field.name
        let isSecret = if case .secret = source { true } else { false }
        if isSecret != (algorithms == [.hs256]) {
            reader.report(fieldPath, isSecret ? "is for HS256 alone" : "has public keys, and HS256 needs a secret")
            return nil
        }
        if case .url(let url) = source { return compileSource(url, fields, fieldPath).map { .fetched($0) } }
        do throws(JWTKeySet.Fault) {
            guard let keys = try readKeys(source, fieldPath) else { return nil }
            for algorithm in algorithms where !keys.keys.contains(where: { $0.fits(algorithm) }) {
                throw JWTKeySet.Fault("has no key for \(algorithm.rawValue)")
            }
            return .known(keys)
        } catch {
            reader.report(fieldPath, error.reason)
            return nil
        }
    }

    private func compileSource(
        _ url: [UInt8], _ fields: Settings<Schema.JWT>, _ path: String
    ) -> Configuration.KeySource? {
        guard let refresh = fields.checked(\.jwksRefresh), let keep = fields.checked(\.jwksKeep) else { return nil }
        if keep <= refresh {
            reader.report(path.dropLast("Url".utf8.count) + "Keep", "must be longer than jwksRefresh")
        }
        // After the slashes of the scheme.
        let start = url.firstIndex(of: UInt8(ascii: "/")).map { $0 + 2 } ?? url.count
        let end = url[min(start, url.count)...].firstIndex(of: UInt8(ascii: "/")) ?? url.count
        let file = Array(url[end...])
        do throws(VendorEndpoint.Fault) {
            let endpoint = try VendorEndpoint(Array(url[..<end]))
            guard PublicURL.isPath(file) else {
                reader.report(path, "must have a path of characters that paths have, and no query")
                return nil
            }
            return Configuration.KeySource(endpoint: endpoint, path: file, refresh: refresh, keep: keep)
        } catch {
            reader.report(path, error.reason.description)
            return nil
        }
    }

    private func readKeys(_ source: Source, _ path: String) throws(JWTKeySet.Fault) -> JWTKeySet? {
        let name: [UInt8]
        switch source {
        case .secret(let secret):
            checkStrength(of: secret, atLeast: VerificationKey.shortestSecret, path)
            return VerificationKey(secret).map { JWTKeySet([JWTKeySet.Key($0)]) }
        case .url: return nil
        case .jwks(let file), .publicKey(let file): name = file
        }
        guard let file = reader.file(at: reader.filePath(of: name), path) else { return nil }
        do throws(JWTKeySet.Fault) {
            if case .jwks = source { return try JWTKeySet(jwks: file.bytes.span) }
            return JWTKeySet([JWTKeySet.Key(VerificationKey(try publicKey(file.bytes)))])
        } catch {
            throw JWTKeySet.Fault("the file \(reader.filePath(of: name)) \(error.reason)")
        }
    }

    private func publicKey(_ pem: [UInt8]) throws(JWTKeySet.Fault) -> PublicKey {
        let text = pem.text
        if text.contains("PRIVATE KEY-----") {
            throw JWTKeySet.Fault("has the private half of a key, which belongs to the issuer alone")
        }
        guard text.split(separator: "-----BEGIN ", omittingEmptySubsequences: false).count == 2 else {
            throw JWTKeySet.Fault("must have one public key in PEM (-----BEGIN PUBLIC KEY-----)")
        }
        do throws(PublicKey.Fault) { return try PublicKey(pem: pem.span) } catch {
            throw JWTKeySet.Fault(error.description)
        }
    }
}
