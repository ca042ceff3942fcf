import Access
import Bytes

/// A grant's `actions`: what the session may do with the objects of its prefix (R17).
package struct SessionActions: Sendable {
    /// Actions of OSS.
    let objectActions: [[UInt8]]
    /// Actions of other services.
    let otherActions: [[UInt8]]

    /// The actions that reach nothing but the object they are about. Left out on purpose: those that change who may reach an
    /// object (ACL, tags, which policies may be about), and those that undo versioning.
    static let objectLevel = [
        "oss:PutObject", "oss:GetObject", "oss:DeleteObject", "oss:AbortMultipartUpload", "oss:ListParts",
        "oss:RestoreObject", "oss:GetObjectTagging", "oss:GetObjectVersion",
    ]

    package init(_ actions: [[UInt8]], isUnscoped: Bool) throws(FieldProblem) {
        guard !actions.isEmpty else { throw FieldProblem("actions", "must name at least one action") }
        var names: Set<[UInt8]> = []
        for action in actions {
            try SessionActions.check(action, isUnscoped: isUnscoped)
            guard names.insert(action).inserted else { throw FieldProblem("actions", "names \(action.text) twice") }
        }
        objectActions = actions.filter { $0.starts(with: "oss:".utf8) }
        otherActions = actions.filter { !$0.starts(with: "oss:".utf8) }
    }

    private static func check(_ action: [UInt8], isUnscoped: Bool) throws(FieldProblem) {
        if objectLevel.contains(where: { action.elementsEqual($0.utf8) }) { return }
        let parts = action.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Array.init)
        let isAction =
            parts.count == 2 && ByteSet.label.contains(all: parts[0], length: 1...32)
            && ByteSet.alphanumerics.union("*?").contains(all: parts[1], length: 1...64)
        guard isAction else { throw FieldProblem("actions", "must be names such as oss:PutObject") }
        if isUnscoped { return }
        if action.elementsEqual("oss:ListObjects".utf8) {
            throw FieldProblem("actions", "must not hold oss:ListObjects; listPrefix: true lets the prefix be listed")
        }
        let known = objectLevel.joined(separator: ", ")
        throw FieldProblem(
            "actions", "\(action.text) reaches beyond objects and needs unscoped: true; without it: \(known)")
    }
}
