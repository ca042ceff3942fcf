import Access
import Bytes
import Providers

extension Compiler {
    func compileBrake(_ fields: Settings<Schema.Brake>) -> Configuration.Brake? {
        fields.file.map { Configuration.Brake(file: reader.filePath(of: $0), entries: fields.entries) }
    }

    func compileBrakeTarget(_ root: Settings<Schema.Root>) -> Configuration.BrakeTarget {
        let grants = (root.grants ?? []).filter { grant in
            let route = grant.value["route"]?.text.flatMap { Registry.route(named: $0.text) }
            return route.map { Registry.routes[$0].description.grant.hasCallers } ?? true
        }
        return Configuration.BrakeTarget(
            brake: root.brake.flatMap { compileBrake($0) }, grants: grants.map(\.name.text),
            credentials: (root.credentials ?? []).compactMap { compileBrakeTarget($0) },
            issuers: root.authentication.jwt.compactMap { $0.id?.text },
            auditFile: root.audit?.file.map { reader.filePath(of: $0) })
    }

    /// Nil for a credential of no known provider.
    private func compileBrakeTarget(_ credential: JSONMember) -> Configuration.BrakeTarget.Credential? {
        let path = noteNamed(credential, in: "credentials")
        guard let provider = credential.value["provider"]?.text.flatMap({ Registry.provider(named: $0.text) }) else {
            return nil
        }
        return Configuration.BrakeTarget.Credential(
            name: credential.name.text, provider: provider.name,
            fields: reader.read(credential.value, path, by: Schema.credential(of: provider)))
    }
}
