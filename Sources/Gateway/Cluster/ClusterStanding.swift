import Cluster

/// How a replica stands with the others.
package struct ClusterStanding: Sendable {
    /// Replicas that lived when Redis was heard last, this one included; before, as many as are supposed.
    package var replicas: Int64 = 1
    /// Why Redis is not heard; nil while it is.
    package var fault: String? = "Redis has not answered yet"
    /// When it was heard last, in monotonic milliseconds; nil before.
    package var heardAt: Int64?
    /// What Redis' process calls itself.
    package var runID: [UInt8] = []
    /// The number of the connection.
    var connection: UInt64 = 0
    /// Since when the uses of tickets are known there.
    package var epoch: [UInt8] = []
    /// Whether the brakes of all replicas have been compared since the start.
    var knowsBrakes = false
    /// Times that Redis was lost.
    package var losses: Int64 = 0
    package var leases = LeaseCount()

    package var isHeard: Bool { fault == nil }
}
