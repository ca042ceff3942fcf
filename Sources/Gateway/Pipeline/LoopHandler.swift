import Access
import Bytes
import Crypto
import HTTP
import Net
import Upstream

/// Answers an event loop's requests by the newest snapshot. A request that waits belongs to the snapshot that parked it; its
/// answer is issued only if the newest snapshot would still give it (R19).
package final class LoopHandler: RequestHandler {
    private let resources: LoopResources
    private var current: LoopSnapshot
    /// Earlier snapshots whose requests or calls have not ended.
    private var earlier: [LoopSnapshot] = []

    /// - Parameters:
    ///   - shared: what all loops, and the snapshots that follow each other, have together.
    ///   - upstream: what calls to vendors are sent with; nil for the loop's own client.
    package init(
        _ snapshot: Snapshot, _ shared: ProcessResources, _ loop: LoopAccess,
        asking upstream: (any UpstreamClient)? = nil
    ) throws(CryptoError) {
        let mailbox = loop.clients.mailbox
        let loopAudit = LoopAudit(shared.audit, loop.answers, clock: snapshot.clock) { mailbox.post($0) }
        resources = LoopResources(
            shared: shared, loop: loop, upstreamClient: upstream ?? loop.clients,
            meter: RequestMeter(shared.metrics, clock: snapshot.clock), audit: loopAudit)
        current = try LoopSnapshot(snapshot, resources)
        resources.newest.admission = current.admission
        guard let brakes = snapshot.brakes else { return }
        resources.newest.brakes = brakes.subscribe { [weak self] table, changes in
            mailbox.post { [self] in self?.take(table, noting: changes) }
        }
    }

    /// Judges by other brakes from now on.
    private func take(_ brakes: BrakeTable, noting changes: [BrakeChange]) {
        resources.newest.brakes = brakes
        for change in changes { resources.audit.note(change) }
    }

    // MARK: Snapshots

    /// The loop's share of a snapshot that answers no request yet. From any thread.
    package func prepare(_ snapshot: Snapshot) throws(CryptoError) -> LoopSnapshot {
        try LoopSnapshot(snapshot, resources)
    }

    /// Answers by another snapshot from now on. From any thread.
    /// - Parameter then: called on the loop's thread when it does; never when the loop is over.
    package func adopt(_ next: LoopSnapshot, _ then: @escaping @Sendable () -> Void) {
        resources.loop.clients.mailbox.post { [self] in
            earlier.append(current)
            current = next
            resources.newest.admission = next.admission
            earlier.removeAll { !$0.isBusy }
            then()
        }
    }

    /// Calls `then` on the loop's thread, when the loop comes to it. From any thread.
    package func call(_ then: @escaping @Sendable () -> Void) { resources.loop.clients.mailbox.post(then) }

    // MARK: Requests

    package func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering {
        current.respond(to: request, as: pending, at: instant, into: &response)
    }

    /// Answers a request whose caller is identified already, as those of the command line are.
    package func run(
        _ method: IssuingMethod, of caller: Caller, by request: borrowing Request, as pending: PendingResponse,
        at instant: Instant, into response: inout Response
    ) -> Answering {
        current.pipeline.run(method, of: caller, by: request, as: pending, at: instant, into: &response)
    }

    package func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        current.refuses(request, at: instant, into: &response)
    }

    package func respond(
        to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
        into response: inout Response
    ) {
        current.respond(to: error, from: client, by: listener, at: instant, into: &response)
    }

    package func abandon(_ pending: PendingResponse) {
        current.reporter.abandon()
        current.abandon(pending)
        for snapshot in earlier { snapshot.abandon(pending) }
    }

    package func admitsHandshake(of client: ClientAddress, at instant: Instant) -> Bool {
        current.pipeline.admitsHandshake(of: client, at: instant)
    }

    package func wasteHandshake(of client: ClientAddress, at instant: Instant) {
        current.pipeline.wasteHandshake(of: client, at: instant)
    }

    package func tick(at instant: Instant) {
        current.tick(at: instant)
        resources.audit.tick(at: instant)
        guard !earlier.isEmpty else { return }
        for snapshot in earlier { snapshot.tick(at: instant) }
        earlier.removeAll { !$0.isBusy }
    }

    package func end() { resources.audit.end() }

    /// Earlier snapshots need every tick until they have ended.
    package var nextTick: Int64? {
        guard earlier.isEmpty else { return .min }
        return [current.nextTick, resources.audit.nextTick].compactMap { $0 }.min()
    }

    package func rest(since begin: Instant) {
        resources.audit.rest(since: begin)
        resources.meter.rest(since: begin)
        current.reporter.flush()
        for snapshot in earlier { snapshot.reporter.flush() }
    }

    package var awaitsPause: Bool { resources.audit.isGathering }

    package func pause() { resources.audit.pause() }

    package var isWaiting: Bool { current.isWaiting || earlier.contains(where: \.isWaiting) }
}

// Unsafe: confined to its loop's thread, but for what says that it may be called from any.
extension LoopHandler: @unchecked Sendable {}
