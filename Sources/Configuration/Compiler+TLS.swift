import Access
import Bytes
import Crypto

/// What the service shows to clients who call it by TLS.
extension Compiler {
    /// - Parameter fields: those of `server.tls`.
    func compileTLS(_ fields: FieldValues) -> Configuration.TLS {
        let entries = fields.objects("certificates") ?? []
        if fields.objects("certificates")?.isEmpty == true {
            reader.report("server.tls.certificates", "must hold at least one certificate")
        }
        var certificates: [Configuration.TLS.Certificate] = []
        var named: Set<[UInt8]> = []
        for (index, entry) in entries.enumerated() {
            let path = "server.tls.certificates[\(index)]"
            let names = entry.strings("names") ?? []
            if entry.strings("names")?.isEmpty == true { reader.report(path + ".names", "must hold at least one name") }
            for (place, name) in names.enumerated() {
                let namePath = reader.join(path + ".names", place)
                if !CharacterRule.isServerName(name) {
                    reader.report(
                        namePath,
                        "must be a host name such as \"t.example.com\", or \"*.example.com\" for all one label below it"
                    )
                } else if !named.insert(name.map(\.lowercasedASCII)).inserted {
                    reader.report(namePath, "is another certificate's name already")
                }
            }
            guard let certificate = compileCertificate(entry, path) else { continue }
            for (place, name) in names.enumerated()
            where CharacterRule.isServerName(name) && !certificate.covers(name) {
                reader.report(
                    reader.join(path + ".names", place), "is no name that the certificate of \(path) is for")
            }
            warn(of: certificate, path)
            certificates.append(Configuration.TLS.Certificate(names: names, certificate: certificate))
        }
        return Configuration.TLS(certificates: certificates)
    }

    private func compileCertificate(_ entry: FieldValues, _ path: String) -> ServerCertificate? {
        guard let chainName = entry.string("certificateFile"), let keyName = entry.string("keyFile") else { return nil }
        let (chainPath, keyPath) = (path + ".certificateFile", path + ".keyFile")
        let (chainPlace, keyPlace) = (reader.place(of: chainName), reader.place(of: keyName))
        let chain = reader.file(at: chainPlace, chainPath)
        guard let key = reader.file(at: keyPlace, keyPath),
            !key.isWorldReadable || reader.admits(worldReadable: keyPlace, keyPath), let chain
        else { return nil }
        do throws(ServerCertificate.Fault) {
            return try ServerCertificate(chain: chain.bytes.span, key: Secret(key.bytes))
        } catch {
            switch error {
            case .chain(let reason): reader.report(chainPath, "the file \(chainPlace) \(reason)")
            case .key(let reason): reader.report(keyPath, "the file \(keyPlace) \(reason)")
            }
            return nil
        }
    }

    /// A service that starts all the same can still take another certificate; one that does not serves nobody.
    private func warn(of certificate: ServerCertificate, _ path: String) {
        let (now, validity) = (reader.surroundings.now(), certificate.validity)
        func time(_ seconds: Int64) -> String {
            var text = ByteWriter(capacity: 20)
            ISO8601.write(seconds, into: &text)
            return text.array.text
        }
        if validity.until < now {
            reader.warnings.append(
                "\(path).certificateFile: the certificate ended at \(time(validity.until)), so that clients refuse it")
        } else if validity.from > now {
            reader.warnings.append(
                "\(path).certificateFile: until \(time(validity.from)), when the certificate begins, clients refuse it")
        }
    }
}
