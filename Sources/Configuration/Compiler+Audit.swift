import Access
import Audit
import Bytes
import Crypto

extension Compiler {
    func compileAudit(_ fields: Settings<Schema.Audit>) -> AuditSettings? {
        guard let file = fields.file, let key = fields.key else { return nil }
        checkStrength(of: key, atLeast: AuditSettings.minimumKeyLength, "audit.key")
        var settings = AuditSettings(file: reader.filePath(of: file), key: key)
        settings.durability = fields.durability
        settings.failsClosed = fields.failClosed
        settings.maximumSize = fields.maxSize
        settings.queue = fields.queue
        settings.deniedPerMinute = fields.deniedPerMinute
        return settings
    }

    static func warning(withoutAudit server: Configuration.Server) -> [String] {
        guard server.listen.contains(where: { !$0.isLocal }) else { return [] }
        return ["audit: is not there, so nobody will be able to tell what was issued, and to whom"]
    }
}
