import Access
import Bytes
import Crypto
import Telemetry

extension Compiler {
    func compileAudit(_ fields: FieldValues) -> AuditSettings? {
        guard let file = fields.string("file"), let key = fields.secret("key") else { return nil }
        if key.count < AuditSettings.minimumKeyLength {
            reader.report("audit.key", "must have at least \(AuditSettings.minimumKeyLength) bytes (R10)")
        }
        return AuditSettings(
            file: reader.place(of: file), key: key,
            durability: AuditSettings.Durability(name: fields.string("durability")?.text ?? "") ?? .batch,
            failsClosed: fields.boolean("failClosed") != false, maximumSize: Int(fields.integer("maxSize") ?? 0),
            queue: Int(fields.integer("queue") ?? 0),
            deniedPerMinute: Int(fields.integer("deniedPerMinute") ?? 0))
    }

    static func warning(withoutAudit server: Configuration.Server) -> [String] {
        guard server.listen.contains(where: { !$0.isLocal }) else { return [] }
        return ["audit: is not there, so nobody will be able to tell what was issued, and to whom"]
    }
}
