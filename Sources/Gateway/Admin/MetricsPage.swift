import Access
import Audit
import Bytes
import Cluster
import Configuration
import Crypto
import HTTP
import Net
import Providers
import Telemetry
import Upstream

/// `/metrics`: what is known of the service, as Prometheus reads it. No label tells of a user, a key or an address.
struct MetricsPage: Sendable {
    private let metrics: Metrics
    private let connections: OpenConnections
    private let log: LogWriter
    private let record: ReloadRecord
    private let readiness: Readiness
    /// When certificates, previous keys and API keys end, by their kind; seconds since 1970.
    private let ends: [(kind: String, ends: [Int64])]
    private let audit: SharedAudit?
    private let brakes: BrakeKeeper?
    private let cluster: ClusterMember?
    private let accounts: [SessionAccount]
    /// The links to vendors and issuers, by the value of the label `target`.
    private let links: [(target: String, links: [VendorLink])]

    init(
        of snapshot: Snapshot, _ readiness: Readiness, _ shared: ProcessResources, _ connections: OpenConnections
    ) {
        self.readiness = readiness
        ends = MetricsPage.ends(of: snapshot.configuration, after: snapshot.clock().unixSeconds)
        audit = shared.audit
        cluster = shared.cluster
        brakes = snapshot.brakes
        metrics = shared.metrics
        self.connections = connections
        log = snapshot.log.writer
        record = snapshot.record
        accounts = snapshot.accounts.accounts.compactMap { $0 }
        links = [
            ("sts", accounts.map(\.sts)), ("metadata", accounts.map(\.metadata)),
            ("fetch", snapshot.links.all), ("callbackKeys", snapshot.callbackKeys.allLinks),
            ("issuerKeys", snapshot.issuerKeys.sources.compactMap { $0?.link }),
        ]
    }

    /// Leaves out what had already ended when this configuration began to serve.
    private static func ends(of configuration: Configuration, after now: Int64) -> [(kind: String, ends: [Int64])] {
        let certificates = configuration.server.tls?.certificates.map(\.certificate.validity.until) ?? []
        return [
            ("certificate", certificates),
            ("previousKey", configuration.credentials.flatMap { $0.previous.map(\.until) }),
            ("apiKey", configuration.authenticator.keyEnds),
        ].map { ($0.0, $0.1.filter { $0 > now }) }
    }

    func write(at now: Instant, into body: inout ByteWriter) {
        var page = Exposition()
        writeRequests(metrics.sums(), to: &page)
        writeConnections(to: &page)
        writeSessions(at: now, to: &page)
        writeCalls(to: &page)
        writeAudit(to: &page)
        writeBrakes(at: now, to: &page)
        writeCluster(to: &page)
        writeService(at: now, to: &page)
        MetricsPage.writeProcess(to: &page)
        body.append(page.text.bytes)
    }

    // MARK: Requests

    private func writeRequests(_ sums: [UInt64], to page: inout Exposition) {
        page.begin("countersign_issued_total", .counter, "What was issued, by route and by provider.")
        for (index, route) in Registry.routes.enumerated() where route.description.grant.hasCallers {
            page.add(
                sums[RequestMeter.Index.issued + index], ("route", route.description.name),
                ("provider", route.provider.name))
        }
        page.begin("countersign_denied_total", .counter, "Requests that were refused, by the refusal's code.")
        for code in Refusal.Code.allCases {
            page.add(sums[RequestMeter.Index.denied + code.rawValue], ("reason", code.text.description))
        }
        // Every refusal has one of these codes; the sample stays for those who have asked for it until now.
        page.add(0, ("reason", "other"))
        page.begin("countersign_authentication_total", .counter, "Who asked, by what proved it, and whether it did.")
        for (index, proof) in RequestLabels.proofs.enumerated() {
            for (other, outcome) in RequestLabels.outcomes.enumerated() {
                let at = RequestMeter.Index.proofs + index * RequestLabels.outcomes.count + other
                page.add(sums[at], ("kind", proof), ("outcome", outcome))
            }
        }
        page.begin(
            "countersign_limits_hit_total", .counter,
            "Requests that were more, longer or slower than may be, and connections that were ended for a limit.")
        for limit in RequestLabels.Limit.allCases {
            page.add(sums[RequestMeter.Index.limits + limit.index], ("limit", limit.rawValue))
        }
        let ended = connections.endedFigures
        page.add(ended.handshakes, ("limit", "handshakes"))
        page.add(ended.buffers, ("limit", "buffers"))
        page.begin("countersign_http_requests_total", .counter, "Requests that were answered, by route and by status.")
        for (index, route) in RequestLabels.routes.enumerated() {
            for (other, status) in RequestLabels.statuses.enumerated() {
                let count = sums[RequestMeter.Index.requests + index * RequestLabels.statuses.count + other]
                guard count > 0 else { continue }
                page.add(count, ("route", route), ("status", status == 0 ? "other" : "\(status)"))
            }
        }
        page.add(
            "countersign_http_requests_abandoned_total", .counter,
            "Requests that had to wait, and were given up before their answer: the client was gone, or it took too long.",
            sums[RequestMeter.Index.abandoned])
        page.begin(
            "countersign_http_request_duration_seconds", .histogram,
            "From when a request was heard of to when it was answered.")
        for (index, route) in RequestLabels.routes.enumerated() {
            let base = RequestMeter.Index.times + index * Histogram.size
            let counts = Array(sums[base..<base + Histogram.size])
            if counts.contains(where: { $0 > 0 }) { page.add(histogram: counts, ("route", route)) }
        }
    }

    // MARK: Clients and vendors

    private func writeConnections(to page: inout Exposition) {
        let sides = [("public", connections.counts(reserved: false)), ("admin", connections.counts(reserved: true))]
        page.begin("countersign_connections_open", .gauge, "Connections of clients that are open.")
        for (name, side) in sides { page.add(side.open, ("listener", name)) }
        page.begin("countersign_connections_accepted_total", .counter, "Connections that were taken.")
        for (name, side) in sides { page.add(side.accepted, ("listener", name)) }
        page.begin("countersign_connections_refused_total", .counter, "Connections beyond those there may be.")
        for (name, side) in sides { page.add(side.refused, ("listener", name)) }
        page.begin(
            "countersign_connections_displaced_total", .counter,
            "Connections that were ended at the limit to make room for another address.")
        for (name, side) in sides { page.add(side.displaced, ("listener", name)) }
        let handshakes = connections.handshakeFigures
        page.begin("countersign_tls_handshakes_total", .counter, "TLS handshakes of clients that have ended.")
        page.add(handshakes.succeeded, ("outcome", "ok"))
        page.add(handshakes.failed, ("outcome", "failed"))
    }

    private func writeSessions(at now: Instant, to page: inout Exposition) {
        let surveys = accounts.map { $0.cache.survey(at: now) }
        page.begin("countersign_sts_slots", .gauge, "Sessions that are remembered or fetched, by how they are.")
        for state in SlotSurvey.State.allCases {
            page.add(surveys.reduce(0) { $0 + $1[state] }, ("state", state.rawValue))
        }
        page.add(
            "countersign_sts_waiters", .gauge, "Requests that wait for a session.",
            surveys.reduce(0) { $0 + $1.waiters })
        page.add(
            "countersign_sts_credential_age_seconds", .gauge, "The age of the oldest session that is handed on.",
            surveys.map(\.oldest).max() ?? 0)
        page.add(
            "countersign_sts_failing", .gauge,
            "Accounts whose last call to the vendor has failed in all its attempts.",
            accounts.count { $0.sts.isFailing })
        page.add(
            "countersign_clock_off", .gauge,
            "Accounts whose vendor's clock and ours disagree, so that nothing is issued.",
            accounts.count { $0.isClockOff(at: now) })
    }

    private func writeCalls(to page: inout Exposition) {
        page.begin(
            "countersign_upstream_calls_total", .counter, "Attempts of calls to vendors and issuers, by how they ended."
        )
        for (target, links) in links {
            let counts = links.map(\.outcomes)
            for outcome in CallOutcome.allCases {
                page.add(
                    counts.reduce(0) { $0 &+ $1[outcome] }, ("target", target), ("outcome", outcome.rawValue))
            }
        }
    }

    /// The samples are there without an audit, too, so that a query finds them.
    private func writeAudit(to page: inout Exposition) {
        let standing = audit?.standing ?? AuditStanding()
        page.add(
            "countersign_audit_lines_total", .counter, "Lines of the audit that are on the disk.", standing.mark.number)
        page.add(
            "countersign_audit_groups_total", .counter, "Times that lines of the audit were brought to the disk.",
            standing.groups)
        page.add(
            "countersign_audit_faults_total", .counter, "Times that the audit could not be written.", standing.faults)
        page.add(
            "countersign_audit_lost_total", .counter,
            "Lines that were never written although something was given or refused.", standing.lost)
        page.add(
            "countersign_audit_ready", .gauge, "0 while the audit cannot be written, else 1.",
            standing.isReady ? 1 : 0)
    }

    /// The samples are there for a service that is alone, too, so that a query finds them.
    private func writeCluster(to page: inout Exposition) {
        let standing = cluster?.standing
        page.add(
            "countersign_cluster_ready", .gauge, "0 while Redis is not heard, else 1.",
            standing?.isHeard ?? true ? 1 : 0)
        page.add(
            "countersign_cluster_replicas", .gauge, "Replicas that lived when Redis was heard last, this one included.",
            standing?.replicas ?? 1)
        page.add("countersign_cluster_losses_total", .counter, "Times that Redis was lost.", standing?.losses ?? 0)
        page.add(
            "countersign_cluster_leases_total", .counter, "Leases of rates that were asked for.",
            standing?.leases.asked ?? 0)
        page.add(
            "countersign_cluster_leases_failed_total", .counter, "Leases of rates that were asked for in vain.",
            standing?.leases.failed ?? 0)
    }

    private func writeBrakes(at now: Instant, to page: inout Exposition) {
        let inForce = brakes?.current.inForce(at: now.unixSeconds) ?? []
        page.begin("countersign_brakes", .gauge, "Brakes in force: what the operator has stopped, by its kind.")
        for kind in Brake.Kind.allCases {
            page.add(inForce.count { $0.subject.kind == kind }, ("kind", kind.rawValue))
        }
        page.add(
            "countersign_brake_file_ready", .gauge, "0 while the file of the brakes cannot be read or written, else 1.",
            brakes?.fault == nil ? 1 : 0)
    }

    // MARK: The service itself

    private func writeService(at now: Instant, to page: inout Exposition) {
        let standing = record.standing
        page.add(
            "countersign_ready", .gauge, "0 while requests had better go elsewhere, as /readyz says, else 1.",
            readiness.isReady(at: now) ? 1 : 0)
        page.begin(
            "countersign_credential_end_timestamp_seconds", .gauge,
            "When the first of the credentials of a kind ends, or has ended since the configuration was taken up.")
        for (kind, ends) in ends { if let first = ends.min() { page.add(first, ("kind", kind)) } }
        page.begin(
            "countersign_reloads_total", .counter, "Configurations that came after the first, by what became of them.")
        page.add(standing.generation - 1, ("outcome", "ok"))
        page.add(standing.refusals, ("outcome", "failed"))
        page.add(
            "countersign_configuration_timestamp_seconds", .gauge, "When the configuration was taken up.",
            standing.since)
        page.add(
            "countersign_log_lines_lost_total", .counter, "Lines of the log that nobody read in time.", log.lostLines)
        page.begin("countersign_build_info", .gauge, "Which version this is.")
        page.add(1, ("version", Version.number))
    }

    private static func writeProcess(to page: inout Exposition) {
        let figures = ProcessFigures.read()
        page.begin("process_cpu_seconds_total", .counter, "Processor time that the process has taken.")
        page.add(real: figures.processorTime)
        if let memory = figures.residentMemory {
            page.add("process_resident_memory_bytes", .gauge, "Memory that the process has.", memory)
        }
        if let files = figures.openFiles {
            page.add("process_open_fds", .gauge, "Files and sockets that are open.", files)
        }
        if let limit = figures.fileLimit {
            page.add("process_max_fds", .gauge, "Files and sockets that may be open.", limit)
        }
        if let start = figures.startTime {
            page.begin("process_start_time_seconds", .gauge, "When the process started.")
            page.add(real: start)
        }
    }
}
