import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Net
import Upstream

/// One loop's share of a snapshot: the pipelines, and the loop's part of the calls to vendors.
package final class LoopSnapshot {
    /// What requests of callers go through.
    var pipeline: Pipeline
    private var admin: AdminPipeline
    /// The index of the first of the admin's listeners.
    private let firstAdminListener: Int
    private let upstream: LoopUpstream
    private let keys: LoopTokens
    let reporter: RequestReporter
    let admission: Admission

    init(_ snapshot: Snapshot, _ resources: LoopResources) throws(CryptoError) {
        let loop = resources.loop
        let (configuration, log) = (snapshot.configuration, snapshot.log)
        let accesses = AccessLog(log)
        let errorReference = configuration.server.errorReference
        reporter = RequestReporter(
            resources.meter, accesses, resources.audit, explainingErrorsAt: errorReference)
        var tools = LoopCallTools(loop, resources.upstreamClient, at: snapshot.clock, log)
        tools.sessions = resources.cluster?.sessions
        upstream = try LoopUpstream(snapshot, tools, loop.answers)
        keys = LoopTokens(snapshot.issuerKeys, configuration.authenticator.makeMemory(), tools)
        admission = Admission(configuration, keys: keys)
        pipeline = try Pipeline(
            admission, upstream, reporter, resources, log: log)
        let readiness = Readiness(snapshot, resources.audit.shared, resources.cluster)
        let queued = QueuedAnswers(loop)
        admin = try AdminPipeline(
            snapshot, readiness,
            MetricsPage(of: snapshot, readiness, resources.shared, loop.connections),
            RequestReporter(resources.meter, accesses, nil, explainingErrorsAt: errorReference),
            configuration.admin.hasConsole ? Console(snapshot, readiness, resources, queued) : nil, queued)
        firstAdminListener = configuration.server.listen.count
    }

    func respond(
        to request: borrowing Request, as pending: PendingResponse, at instant: Instant, into response: inout Response
    ) -> Answering {
        guard request.listener < firstAdminListener else {
            return admin.respond(
                to: request, as: pending, by: request.listener - firstAdminListener, at: instant, through: &pipeline,
                into: &response)
        }
        return pipeline.respond(to: request, as: pending, at: instant, into: &response)
    }

    func refuses(_ request: borrowing Request, at instant: Instant, into response: inout Response) -> Bool {
        guard request.listener < firstAdminListener else {
            return admin.refuses(request, by: request.listener - firstAdminListener, at: instant, into: &response)
        }
        return pipeline.refuses(request, at: instant, into: &response)
    }

    func respond(
        to error: RequestError, from client: ClientAddress, by listener: Int, at instant: Instant,
        into response: inout Response
    ) {
        // Requests at the admin's listeners count for no address.
        let sender = listener < firstAdminListener ? client : .none
        pipeline.refuse(error, from: sender, at: instant, into: &response)
    }

    func abandon(_ pending: PendingResponse) { upstream.abandon(pending) }

    func tick(at instant: Instant) {
        upstream.tick(at: instant)
        keys.tick(at: instant)
    }

    var nextTick: Int64? { keys.nextTick }

    /// Whether a request waits for an answer by it, or a call of it is under way.
    var isWaiting: Bool { upstream.isWaiting }

    /// The same, with fetches of issuers' keys, for which no request waits.
    var isBusy: Bool { isWaiting || keys.isWaiting }
}

// Unsafe: made elsewhere, and confined to its loop's thread from then on.
extension LoopSnapshot: @unchecked Sendable {}
