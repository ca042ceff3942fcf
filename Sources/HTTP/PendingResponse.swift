/// Where an answer belongs that comes later than its request.
package struct PendingResponse: Sendable, Hashable {
    /// The loop's token of the connection.
    package let connection: UInt64
    /// Counts those of the connection's requests whose answers came later.
    package let number: UInt64

    /// A connection has one at a time, so that its token tells them apart.
    package func hash(into hasher: inout Hasher) { hasher.combine(connection) }

    package init(connection: UInt64, number: UInt64) {
        self.connection = connection
        self.number = number
    }
}

/// Whether a request is answered.
package enum Answering: Sendable {
    /// The response is filled in.
    case done
    /// It will be finished as the request's `PendingResponse`, unless it is abandoned first.
    case later
}
