import Access
import Bytes

/// What sessions of one route are like: the vendor's policies, and the words of the answers.
package struct SessionForm: Sendable {
    /// The policies of a credential's sessions.
    let policy: @Sendable (_ credential: FieldValues) -> SessionPolicy
    /// The longest object key of the vendor, in bytes.
    let longestKey: Int
    /// What the members are called that tell what a session is for.
    let names: (bucket: StaticString, key: StaticString, prefix: StaticString)
    /// Where the buckets of a credential are, as members beside those.
    let place: @Sendable (_ credential: FieldValues) -> JSONMembers
    /// Writes a whole answer: a JSON object with a credential and what it is for.
    package let write: @Sendable (SessionCredential, _ scope: JSONMembers, inout ByteWriter) -> Void

    /// The shortest and the longest sessions that are asked for, in seconds: from the vendors' least to the longest that a role can
    /// have.
    package static let durations: ClosedRange<Int64> = 900...43_200
}

extension RouteDescription {
    /// A route whose answers are sessions.
    /// - Parameter answer: its members are those that `form` writes.
    convenience init(
        _ name: String, path: String, _ summary: String, sessions form: SessionForm, answer: RouteAnswer
    ) {
        self.init(
            name, path: path, summary,
            request: RouteRequest(
                SessionIssuer.Parameters(longestKey: form.longestKey).descriptions, withoutKey: .prefix
            ) { ask, _ throws(AskError) in try SessionIssuer.check(ask) },
            grant: RouteGrant(
                SessionIssuer.Fields(of: form.policy(FieldValues())), scope: [.bucket, .keyPrefix],
                lifetime: .upTo(SessionForm.durations.upperBound), enforcement: .session
            ) { grant, context throws(FieldProblem) in .session(try SessionIssuer(grant, context, form)) },
            answer: answer)
    }
}
