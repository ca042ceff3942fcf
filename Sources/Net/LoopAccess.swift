/// What a loop lends to its handler: made before the loop, and of use on the loop's thread; only the mailbox, which is
/// `clients.mailbox`, is for any.
package struct LoopAccess: Sendable {
    package let clients: ClientPool
    package let answers: LateAnswers
}
