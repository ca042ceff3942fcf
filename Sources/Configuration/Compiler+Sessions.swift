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
        _ name: String, _ path: String, _ provider: ProviderDescription, _ given: FieldValues
    ) -> Configuration.Credential? {
        var fields = Settings(given, of: STSAccount.fields)
        let standIns = standIn(for: &fields)
        do throws(FieldProblem) {
            let source = try STSAccount.keySource(of: fields)
            let key = key(source, fields.values, path, provider)
            let account = try STSAccount(fields, key: key)
            if case .oidc(_, _, let tokenFile) = account.identity {
                _ = reader.file(at: tokenFile.text, path + ".oidcTokenFile")
            }
            let given = Settings(given, of: Schema.SessionCredential()).limits
            let limits = limits(given, path + ".limits")
            let isSandbox = Settings(fields.values, of: CredentialFields()).sandbox
            return Configuration.Credential(
                name: name, provider: provider.name, isSandbox: isSandbox, key: key,
                sessions: Configuration.Sessions(
                    account: account, trustFile: trustFile(fields.caFile, path + ".caFile"), limits: limits,
                    callsPerCaller: given.callsPerCaller),
                fields: fields.values)
        } catch {
            let origin = standIns[error.path].map { "; it is that of the environment variable \($0)" } ?? ""
            reader.report(path + "." + error.path, error.reason + origin)
            return nil
        }
    }

    /// Gives the fields of identity `oidc` what the environment has for them, and its file a path that holds everywhere.
    /// - Returns: the environment variables by the names of the fields that they stand in for.
    private func standIn(for fields: inout Settings<STSAccount.Fields>) -> [String: String] {
        guard fields.identity == .oidc else { return [:] }
        var standIns: [String: String] = [:]
        for (field, variable) in STSAccount.standIns where fields.values[field] == nil {
            guard let text = reader.environment.variable(variable.rawValue), !text.isEmpty else { continue }
            fields.values[field] = Array(text.utf8)
            standIns[field.name] = variable.rawValue
        }
        fields.oidcTokenFile = fields.oidcTokenFile.map { Array(text: reader.filePath(of: $0)) }
        return standIns
    }

    private func key(
        _ source: STSAccount.KeySource, _ fields: FieldValues, _ path: String, _ provider: ProviderDescription
    ) -> KeyPair? {
        switch source {
        case .fields: key(fields, path)
        case .environment: environmentKey(path + ".identity", provider)
        case .fetched: nil
        }
    }

    private func environmentKey(_ path: String, _ provider: ProviderDescription) -> KeyPair? {
        let name = STSAccount.Variable.accessKeyID.rawValue
        let accessKey = reader.variable(name, path)
        let secret = reader.secret(ofVariable: STSAccount.Variable.accessKeySecret.rawValue, path)
        guard let accessKey, let secret else { return nil }
        if let fault = Compiler.fault(of: accessKey, provider) {
            reader.report(path, "the environment variable \(name) \(fault)")
        }
        let token = reader.environment.variable(STSAccount.Variable.securityToken.rawValue) ?? ""
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
