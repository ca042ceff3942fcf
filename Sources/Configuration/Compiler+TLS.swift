import Access
import Bytes
import Crypto
import Machine

/// What the service shows to clients who call it by TLS.
extension Compiler {
    /// - Parameter fields: those of `server.tls`.
    func compileTLS(_ fields: Settings<Schema.TLS>) -> Configuration.TLS {
        let entries = fields.certificates ?? []
        if fields.certificates?.isEmpty == true {
            reader.report("server.tls.certificates", "must hold at least one certificate")
        }
        var certificates: [Configuration.TLS.Certificate] = []
        var named: Set<[UInt8]> = []
        for (index, entry) in entries.enumerated() {
            let path = "server.tls.certificates[\(index)]"
            let names = entry.names ?? []
            if entry.names?.isEmpty == true { reader.report(path + ".names", "must hold at least one name") }
            check(names, path + ".names", beside: &named)
            guard let certificate = compileCertificate(entry, path) else { continue }
            for (nameIndex, name) in names.enumerated()
            where CharacterRule.isServerName(name) && !certificate.covers(name) {
                reader.report(
                    reader.join(path + ".names", nameIndex), "is no name that the certificate of \(path) is for")
            }
            warn(of: certificate, path)
            certificates.append(Configuration.TLS.Certificate(names: names, certificate: certificate))
        }
        return Configuration.TLS(certificates: certificates, clientAuthorities: compileAuthorities(fields))
    }

    /// - Parameter named: the names of other certificates, in lower case.
    private func check(_ names: [[UInt8]], _ path: String, beside named: inout Set<[UInt8]>) {
        for (index, name) in names.enumerated() {
            if !CharacterRule.isServerName(name) {
                reader.report(
                    reader.join(path, index),
                    "must be a host name such as \"t.example.com\", or \"*.example.com\" for all one label below it")
            } else if !named.insert(name.map(\.lowercasedASCII)).inserted {
                reader.report(reader.join(path, index), "is another certificate's name already")
            }
        }
    }

    private func compileAuthorities(_ fields: Settings<Schema.TLS>) -> ClientAuthorities? {
        let (path, listPath) = ("server.tls.clientCAFile", "server.tls.crlFile")
        guard let name = fields.clientCAFile else {
            if fields.crlFile != nil { reader.report(listPath, "needs clientCAFile beside it") }
            return nil
        }
        let (filePath, listFilePath) = (reader.filePath(of: name), fields.crlFile.map { reader.filePath(of: $0) })
        let file = reader.file(at: filePath, path)
        let list = listFilePath.flatMap { reader.file(at: $0, listPath) }
        guard let file, list != nil || fields.crlFile == nil else { return nil }
        do throws(ClientAuthorities.Fault) {
            let authorities = try ClientAuthorities(file.bytes, revocations: list?.bytes)
            if let end = authorities.revocationsEnd, end < reader.environment.now() {
                reader.warnings.append(
                    "\(listPath): a list ended at \(Compiler.time(end)), so that no certificate of its authority is accepted"
                )
            }
            if authorities.authoritiesEnd < reader.environment.now() {
                let end = Compiler.time(authorities.authoritiesEnd)
                reader.warnings.append(
                    "\(path): an authority ended at \(end), so that no certificate below it is accepted")
            }
            return authorities
        } catch {
            switch error {
            case .authorities(let reason): reader.report(path, "the file \(filePath) \(reason)")
            case .revocations(let reason): reader.report(listPath, "the file \(listFilePath ?? "") \(reason)")
            }
            return nil
        }
    }

    private func compileCertificate(_ entry: Settings<Schema.Certificate>, _ path: String) -> ServerCertificate? {
        guard let chainName = entry.certificateFile, let keyName = entry.keyFile else { return nil }
        let (chainPath, keyPath) = (path + ".certificateFile", path + ".keyFile")
        let (chainFilePath, keyFilePath) = (reader.filePath(of: chainName), reader.filePath(of: keyName))
        let chain = reader.file(at: chainFilePath, chainPath)
        guard let key = reader.file(at: keyFilePath, keyPath),
            !key.isWorldReadable || reader.admits(worldReadable: keyFilePath, keyPath), let chain
        else { return nil }
        do throws(ServerCertificate.Fault) {
            return try ServerCertificate(chain: chain.bytes.span, key: Secret(key.bytes))
        } catch {
            switch error {
            case .chain(let reason): reader.report(chainPath, "the file \(chainFilePath) \(reason)")
            case .key(let reason): reader.report(keyPath, "the file \(keyFilePath) \(reason)")
            case .mismatch:
                reader.report(
                    keyPath,
                    "the file \(keyFilePath) is not the key of the certificate in \(chainFilePath): write both files, "
                        + "then reload; a service that runs keeps the pair that it has")
            }
            return nil
        }
    }

    /// A service that starts all the same can still take another certificate; one that does not serves nobody.
    private func warn(of certificate: ServerCertificate, _ path: String) {
        let (now, validity) = (reader.environment.now(), certificate.validity)
        if validity.until < now {
            reader.warnings.append(
                "\(path).certificateFile: the certificate ended at \(Compiler.time(validity.until)); clients refuse it")
        } else if validity.from > now {
            reader.warnings.append(
                "\(path).certificateFile: until it begins at \(Compiler.time(validity.from)), clients refuse it")
        }
    }

    static func time(_ seconds: Int64) -> String {
        var text = ByteWriter(capacity: 20)
        ISO8601.write(seconds, into: &text)
        return text.array.text
    }
}
