import Access
import Bytes
import Cluster
import HTTP

/// One use of a ticket whose uses are counted. Nothing that it gives leaves before it is counted.
struct TicketUse {
    private let id: [UInt8]
    private let uses: TicketUses
    /// Seconds until the ticket ends.
    private let lifetime: Int64
    private let cluster: ClusterMember?
    private let post: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// - Parameters:
    ///   - cluster: counts it; nil for a service that is alone and cannot.
    ///   - post: has work run on the loop's thread.
    /// - Returns: nil for a ticket that can be used any number of times.
    init?(
        of ticket: Ticket, counting cluster: ClusterMember?,
        _ post: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, at instant: Instant
    ) {
        guard let uses = ticket.uses else { return nil }
        id = ticket.id
        self.uses = uses
        lifetime = max(0, ticket.endsAt - instant.unixSeconds)
        self.cluster = cluster
        self.post = post
    }

    /// Counts the use.
    /// - Parameter then: told what came of it, on the loop's thread.
    func spend(then: @escaping @Sendable (TicketCounter.Verdict) -> Void) {
        guard let cluster else { return post { then(.unavailable) } }
        cluster.spend(id, uses, lifetime: lifetime) { [post] verdict in post { then(verdict) } }
    }
}

extension Refusal {
    /// - Returns: nil where the use is counted.
    init?(_ verdict: TicketCounter.Verdict) {
        switch verdict {
        case .counted: return nil
        case .exhausted: self = .ticketSpent
        case .forgotten: self = .ticketForgotten
        case .unavailable: self = .clusterUnavailable
        }
    }
}
