/// What a loop lends to its handler: made before the loop, and of use on the loop's thread; only the mailbox, which is
/// `clients.mailbox`, and the connections' counts are for any.
package struct LoopAccess: Sendable {
    package let clients: ClientPool
    package let answers = LateAnswers()
    /// Those of all loops.
    package let connections: OpenConnections

    init(_ clients: ClientPool, _ connections: OpenConnections) {
        self.clients = clients
        self.connections = connections
    }
}
