import Access
import Bytes

/// A grant's `actions`: what the session may do with the objects of its prefix (R17).
package struct SessionActions: Sendable {
    /// Actions of storage.
    let objectActions: [[UInt8]]
    /// Actions of other services.
    let otherActions: [[UInt8]]

    /// - Parameter policy: what they stand in.
    package init(_ actions: [[UInt8]], of policy: SessionPolicy, isUnscoped: Bool) throws(FieldProblem) {
        guard !actions.isEmpty else { throw FieldProblem("actions", "must name at least one action") }
        var names: Set<[UInt8]> = []
        for action in actions {
            try SessionActions.check(action, of: policy, isUnscoped: isUnscoped)
            guard names.insert(action).inserted else { throw FieldProblem("actions", "names \(action.text) twice") }
        }
        objectActions = actions.filter { $0.span.begins(with: policy.service) }
        otherActions = actions.filter { !$0.span.begins(with: policy.service) }
    }

    private static func check(
        _ action: [UInt8], of policy: SessionPolicy, isUnscoped: Bool
    ) throws(FieldProblem) {
        if policy.objectActions.contains(where: { action.elementsEqual($0.utf8) }) { return }
        let parts = action.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map(Array.init)
        let isAction =
            parts.count == 2 && ByteSet.label.contains(all: parts[0], length: 1...32)
            && ByteSet.alphanumerics.union("*?").contains(all: parts[1], length: 1...64)
        guard isAction else { throw FieldProblem("actions", "must be names such as \(policy.service)PutObject") }
        if isUnscoped { return }
        if action.span.equals(policy.listing.action) {
            throw FieldProblem(
                "actions", "must not hold \(policy.listing.action); listPrefix: true lets the prefix be listed")
        }
        let known = policy.objectActions.joined(separator: ", ")
        throw FieldProblem(
            "actions", "\(action.text) reaches beyond objects and needs unscoped: true; without it: \(known)")
    }
}
