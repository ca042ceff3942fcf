/// How often, how long and for how many a vendor is asked. Times in milliseconds where nothing else is said.
package struct UpstreamLimits: Sendable, Equatable {
    /// Seconds that a credential must have left to be handed out; a third of its life if that is less (R17).
    package var floor: Int64 = 600
    /// The same while the vendor fails.
    package var floorWhileFailing: Int64 = 300
    /// Seconds that a credential must have before it when it comes; one with less is a fault.
    package var leastLife: Int64 = 60
    /// Seconds that a credential is believed to hold at most, whatever the vendor says: the longest session of any role.
    package var longestLife: Int64 = 43_200

    /// From one failed fetch of a slot to the next: a random part of this, doubled with every failure in a row …
    package var slotBackoff: Int64 = 250
    /// … up to this. With `breakerOpen` and `attemptTimeout` it keeps recovery within 5 s of the vendor's.
    package var longestSlotBackoff: Int64 = 1_500
    /// How long a refusal that would be repeated, such as NoPermission, is remembered.
    package var refusalMemory: Int64 = 4_000
    /// How long after its last failure the vendor is taken to be failing still.
    package var outageMemory: Int64 = 30_000
    /// After this a fetch that nobody reported is given up, so that a lost report blocks nothing for ever: longer than any
    /// call.
    package var fetchLease: Int64 { callTimeout.plus(9_000) }

    /// One call with all its attempts and the pauses between them.
    package var callTimeout: Int64 = 6_000
    /// One attempt, from the connection to the answer's last byte.
    package var attemptTimeout: Int64 = 2_000
    /// No attempt is begun with less than this before the call's end.
    package var leastAttempt: Int64 = 100
    /// Attempts of one call.
    package var attempts = 4
    /// From one attempt to the next: a random part of this, doubled with every attempt …
    package var retryBackoff: Int64 = 100
    /// … up to this.
    package var longestRetryBackoff: Int64 = 1_000
    /// How long a request may be parked; then it is told to come back (`SlotTable.expire`), while the fetch goes on. A
    /// loop, which looks four times a second, lets no request wait for 2 s.
    package var patience: Int64 = 1_500

    /// Failures in a row that open the breaker.
    package var breakerThreshold = 5
    /// Different callers that must be among these failures, unless one is of a call that the service made for itself.
    package var breakerCallers = 3
    /// How long it stays open before it lets a probe through, give or take a fifth.
    package var breakerOpen: Int64 = 1_500
    /// After this a probe that nobody reported is given up: longer than any attempt.
    package var probeLease: Int64 { attemptTimeout.plus(500) }
    /// When those come back who are refused while a probe is under way.
    package var probePause: Int64 = 200

    /// Calls that may be begun in a second, the vendor's limit being 100 for an account, all its users together.
    package var callsPerSecond = 50
    /// Calls that may be begun at once after a silence. No second ever sees more than this and `callsPerSecond` together.
    package var callBurst = 50
    /// How long a call may wait for its turn within the budget.
    package var longestTurn: Int64 = 1_000

    /// Credentials remembered at a time.
    package var slots = 10_000
    /// Requests that may wait for one credential.
    package var waitersPerSlot = 4_096
    /// Requests that may wait in all.
    package var waiters = 16_384

    /// Seconds between our clock and the vendor's beyond which nothing is issued (R17).
    package var skew: Int64 = 300
    /// While the clocks disagree, one call in this time looks whether they still do.
    package var skewRecheck: Int64 = 3_000

    package init() {}

    /// The longest a slot waits because a breaker or a budget says so: no failure is for ever.
    static let longestPause: Int64 = 5_000
    /// The most seconds that a refusal asks a client to wait.
    static let longestRetryAfter: Int64 = 60
}
