import Access
import Bytes
import Crypto
import Machine
import Providers
import Upstream

/// Credentials with which the service asks the vendor for sessions.
extension Compiler {
    /// Compiles the fields of a credential, each of which is right by itself.
    func compileSessions(
        _ name: String, _ path: String, _ provider: ProviderDescription, _ sessions: SessionDescription,
        _ given: FieldValues
    ) -> Configuration.Credential? {
        var fields = given
        let standIns = standIn(for: &fields, of: sessions)
        do throws(FieldProblem) {
            let key = key(try sessions.keySource(fields), fields, path, provider, sessions)
            let source = try sessions.makeSource(fields, key)
            if let file = source.tokenFile { _ = reader.file(at: file.text, path + "." + sessions.tokenFile.name) }
            let given = Settings(given, of: Schema.SessionCredential()).limits
            let limits = limits(given, path + ".limits")
            let isSandbox = Settings(fields, of: CredentialFields()).sandbox
            return Configuration.Credential(
                name: name, provider: provider.name, isSandbox: isSandbox, key: key,
                sessions: Configuration.Sessions(
                    source: source, trustFile: trustFile(fields[sessions.caFile], path + "." + sessions.caFile.name),
                    limits: limits, callsPerCaller: given.callsPerCaller),
                fields: fields)
        } catch {
            let origin = standIns[error.path].map { "; it is that of the environment variable \($0)" } ?? ""
            reader.report(path + "." + error.path, error.reason + origin)
            return nil
        }
    }

    /// Gives fields what the environment has for them, and the token's file a path that holds everywhere.
    /// - Returns: the environment variables by the names of the fields that they stand in for.
    private func standIn(for fields: inout FieldValues, of sessions: SessionDescription) -> [String: String] {
        var standIns: [String: String] = [:]
        for (field, variable) in sessions.standIns(fields) where fields[field] == nil {
            guard let text = reader.environment.variable(variable), !text.isEmpty else { continue }
            fields[field] = Array(text.utf8)
            standIns[field.name] = variable
        }
        fields[sessions.tokenFile] = fields[sessions.tokenFile].map { Array(text: reader.filePath(of: $0)) }
        return standIns
    }

    private func key(
        _ source: SessionKeySource, _ fields: FieldValues, _ path: String, _ provider: ProviderDescription,
        _ sessions: SessionDescription
    ) -> KeyPair? {
        switch source {
        case .fields: key(fields, path).flatMap { add(provider.sessionToken, of: fields, to: $0, path) }
        case .environment: environmentKey(path + ".identity", provider, sessions)
        case .fetched: nil
        }
    }

    private func environmentKey(
        _ path: String, _ provider: ProviderDescription, _ sessions: SessionDescription
    ) -> KeyPair? {
        guard let names = sessions.keyVariables else { return nil }
        let accessKey = reader.variable(names.accessKey, path)
        let secret = reader.secret(ofVariable: names.secretKey, path)
        guard let accessKey, let secret else { return nil }
        if let fault = Compiler.fault(of: accessKey, provider) {
            reader.report(path, "the environment variable \(names.accessKey) \(fault)")
        }
        let token = reader.environment.variable(names.securityToken) ?? ""
        return KeyPair(accessKey: accessKey, secret: secret, securityToken: token.isEmpty ? nil : Array(token.utf8))
    }

    /// Where the certificates are that are trusted instead of the system's.
    private func trustFile(_ name: [UInt8]?, _ path: String) -> String? {
        guard let name else { return nil }
        let filePath = reader.filePath(of: name)
        guard let file = reader.file(at: filePath, path) else { return filePath }
        if file.isPipe {
            reader.report(path, "the file \(filePath) is a pipe, which cannot be read again when it is used")
        } else if !file.bytes.text.contains("-----BEGIN CERTIFICATE-----") {
            reader.report(path, "the file \(filePath) holds no certificate in PEM (-----BEGIN CERTIFICATE-----)")
        }
        return filePath
    }

    private func limits(_ fields: Settings<Schema.SessionLimits>, _ path: String) -> UpstreamLimits {
        var limits = UpstreamLimits()
        limits.callTimeout = fields.callTimeout
        limits.attemptTimeout = fields.attemptTimeout
        limits.attempts = fields.attempts
        limits.callsPerSecond = fields.callsPerSecond
        limits.callBurst = fields.callBurst
        limits.slots = fields.sessions
        limits.waiters = fields.waiters
        limits.waitersPerSlot = fields.waitersPerSession
        limits.patience = fields.patience
        if limits.attemptTimeout > limits.callTimeout {
            reader.report(path + ".attemptTimeout", "must not be longer than callTimeout, which holds all attempts")
        }
        return limits
    }
}
