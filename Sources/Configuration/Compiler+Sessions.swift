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
        var fields = given
        let standIns = standIn(for: &fields)
        do throws(FieldProblem) {
            let source = try STSAccount.keySource(of: fields)
            let key = key(source, fields, path, provider)
            let account = try STSAccount(fields, key: key)
            if case .oidc(_, _, let tokenFile) = account.identity {
                _ = reader.file(at: tokenFile.text, path + ".oidcTokenFile")
            }
            let given = fields.object("limits") ?? FieldValues()
            let limits = limits(given, path + ".limits")
            // One that is wrong has been reported.
            guard let share = given.rate("callsPerCaller") else { return nil }
            return Configuration.Credential(
                name: name, provider: provider.name, isSandbox: account.endpoints.isSandbox, key: key,
                sessions: Configuration.Sessions(
                    account: account, trustFile: trustFile(fields, path + ".caFile"), limits: limits,
                    callsPerCaller: share),
                fields: fields)
        } catch {
            let origin = standIns[error.path].map { "; it is that of the environment variable \($0)" } ?? ""
            reader.report(path + "." + error.path, error.reason + origin)
            return nil
        }
    }

    /// Gives the fields of identity `oidc` what the environment has for them, and its file a path that holds everywhere.
    /// - Returns: the environment variables by the names of the fields that they stand in for.
    private func standIn(for fields: inout FieldValues) -> [String: String] {
        guard fields.string("identity")?.text == "oidc" else { return [:] }
        var standIns: [String: String] = [:]
        for (field, variable) in STSAccount.standIns where fields[field] == nil {
            guard let text = reader.surroundings.variable(variable.rawValue), !text.isEmpty else { continue }
            fields[field] = .string(Array(text.utf8))
            standIns[field] = variable.rawValue
        }
        if let file = fields.string("oidcTokenFile") {
            fields["oidcTokenFile"] = .string(Array(text: reader.place(of: file)))
        }
        return standIns
    }

    private func key(
        _ source: STSAccount.KeySource, _ fields: FieldValues, _ path: String, _ provider: ProviderDescription
    ) -> KeyPair? {
        switch source {
        case .fields: key(fields, path)
        case .environment: environmentKey(path + ".identity", provider)
        case .sandbox: sandboxKey(fields, path, named: "LTAISANDBOX")
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
        let token = reader.surroundings.variable(STSAccount.Variable.securityToken.rawValue) ?? ""
        return KeyPair(accessKey: accessKey, secret: secret, securityToken: token.isEmpty ? nil : Array(token.utf8))
    }

    /// Where the certificates are that are trusted instead of the system's.
    private func trustFile(_ fields: FieldValues, _ path: String) -> String? {
        guard let name = fields.string("caFile") else { return nil }
        let place = reader.place(of: name)
        if let file = reader.file(at: place, path), !file.bytes.text.contains("-----BEGIN CERTIFICATE-----") {
            reader.report(path, "the file \(place) holds no certificate in PEM (-----BEGIN CERTIFICATE-----)")
        }
        return place
    }

    private func limits(_ fields: FieldValues, _ path: String) -> UpstreamLimits {
        var limits = UpstreamLimits()
        func time(_ name: String, _ limit: inout Int64) { limit = fields.integer(name) ?? limit }
        func number(_ name: String, _ limit: inout Int) { limit = fields.integer(name).map { Int($0) } ?? limit }
        time("callTimeout", &limits.callTimeout)
        time("attemptTimeout", &limits.attemptTimeout)
        number("attempts", &limits.attempts)
        number("callsPerSecond", &limits.callsPerSecond)
        number("callBurst", &limits.callBurst)
        number("sessions", &limits.slots)
        number("waiters", &limits.waiters)
        number("waitersPerSession", &limits.waitersPerSlot)
        time("patience", &limits.patience)
        if limits.attemptTimeout > limits.callTimeout {
            reader.report(path + ".attemptTimeout", "must not be longer than callTimeout, which holds all attempts")
        }
        return limits
    }
}
