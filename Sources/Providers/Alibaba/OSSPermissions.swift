import Access
import Bytes

/// What RAM must allow for the requests that a grant signs (OSS developer guide, "RAM policies"): a session that signs for the
/// grant may do so much, and no more.
enum OSSPermissions {
    /// The policy of a grant's session: the operations that the grant names, on its key, or on all keys that begin as all of its
    /// keys do. What single callers may have of that, the grant itself holds them to.
    static func policy(for rule: OperationRule, _ context: GrantContext) throws(FieldProblem) -> [UInt8] {
        guard let bucket = context.bucket else {
            throw FieldProblem("bucket", "is needed, since the session's policy names it")
        }
        let actions = try SessionActions(actions(for: rule.operations), of: .oss, isUnscoped: false)
        var policy = ByteWriter(capacity: 512)
        do throws(SessionPolicy.Fault) {
            switch context.target {
            case .key(let template) where template.isConstant:
                try SessionPolicy.oss.write(actions, on: bucket.span, key: template.literalStart.span, into: &policy)
            case .key(let template), .prefix(let template):
                try SessionPolicy.oss.write(actions, on: bucket.span, start: template.literalStart.span, into: &policy)
            case .anything: try SessionPolicy.oss.write(actions, on: bucket.span, start: Span(), into: &policy)
            }
        } catch {
            throw problem(error, context.target)
        }
        return policy.array
    }

    private static func problem(_ fault: SessionPolicy.Fault, _ target: Grant.Target) -> FieldProblem {
        let field = if case .key = target { "key" } else { "keyPrefix" }
        return switch fault {
        case .bucket: FieldProblem("bucket", OSS.bucketFault)
        case .prefix: FieldProblem(field, "must hold no * ? $ \" or \\, which the session's policy reads otherwise")
        case .tooLong:
            FieldProblem(field, "makes a session policy longer than \(SessionPolicy.maximumLength) bytes")
        }
    }

    /// In the order of the operations, each once.
    static func actions(for operations: [OperationTable.Operation]) -> [[UInt8]] {
        operations.reduce(into: []) { actions, operation in
            let action = action(for: operation)
            if !actions.contains(action) { actions.append(action) }
        }
    }

    static func action(for operation: OperationTable.Operation) -> [UInt8] {
        func has(_ name: StaticString) -> Bool { operation.subResources.contains { $0.span.equals(name) } }
        let method = operation.method.span
        let action: StaticString =
            if method.equals("GET") || method.equals("HEAD") {
                has("uploadId") ? "oss:ListParts" : has("versionId") ? "oss:GetObjectVersion" : "oss:GetObject"
            } else if method.equals("DELETE") {
                has("uploadId") ? "oss:AbortMultipartUpload" : "oss:DeleteObject"
            } else {
                "oss:PutObject"
            }
        return action.array
    }
}
