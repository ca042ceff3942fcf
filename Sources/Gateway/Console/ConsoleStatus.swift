import Access
import Audit
import Bytes
import Cluster
import Configuration
import Crypto
import HTTP
import Providers
import Telemetry
import Upstream

/// How the service is, in JSON: what the page draws. It tells no secret, no caller and no key of an object.
struct ConsoleStatus: Sendable {
    private let configuration: Configuration
    private let record: ReloadRecord
    private let readiness: Readiness
    private let metrics: Metrics
    private let audit: SharedAudit?
    private let brakes: BrakeKeeper?
    private let cluster: ClusterMember?
    private let accounts: [SessionAccount]

    init(
        of snapshot: Snapshot, _ readiness: Readiness, _ metrics: Metrics, _ audit: SharedAudit?,
        _ cluster: ClusterMember?
    ) {
        configuration = snapshot.configuration
        record = snapshot.record
        accounts = snapshot.accounts.accounts.compactMap { $0 }
        self.readiness = readiness
        self.metrics = metrics
        self.audit = audit
        brakes = snapshot.brakes
        self.cluster = cluster
    }

    func write(at now: Instant, into json: inout JSONObject) {
        json.add("time", time: now.unixSeconds)
        json.add("version", Version.number)
        json.add("configuration", object: { writeConfiguration(into: &$0) })
        json.add(
            "parts",
            array: { list in
                for part in readiness.parts(at: now) {
                    list.add(object: { json in
                        json.add("name", part.name)
                        json.add("state", part.state.name)
                    })
                }
            })
        json.add("requests", object: { writeRequests(into: &$0) })
        writeCredentials(at: now, into: &json)
        writeAudit(into: &json)
        if let brakes {
            let report = BrakeReport(brakes.current, at: now.unixSeconds)
            json.add("brakes", array: { report.write(into: &$0) })
        } else {
            json.addNull("brakes")
        }
        writeCluster(at: now, into: &json)
        json.add(
            "routes",
            array: { list in
                for route in Registry.routes where route.description.grant.hasCallers {
                    list.add(route.description.name)
                }
            })
    }

    private func writeConfiguration(into json: inout JSONObject) {
        let standing = record.standing
        json.add("generation", standing.generation)
        json.add("since", time: standing.since)
        guard let refusal = standing.refusal else { return json.addNull("refusal") }
        json.add(
            "refusal",
            object: { json in
                json.add("time", time: refusal.time)
                json.add(
                    "problems",
                    array: { list in for problem in refusal.problems { list.add(object: { $0.add(problem) }) } })
            })
    }

    /// Of all routes together. `times` has the requests by how long they took: as many as `bounds`, in nanoseconds, and one for longer.
    /// What the admin listener answers, this page's own asks among it, is left out.
    private func writeRequests(into json: inout JSONObject) {
        let sums = metrics.sums()
        let routes = RequestLabels.routes.indices.filter { $0 != RequestLabels.admin }
        let statuses = RequestLabels.statuses.count
        let answered = routes.reduce(UInt64(0)) { sum, route in
            let base = RequestMeter.Index.requests + route * statuses
            return sums[base..<base + statuses].reduce(sum, &+)
        }
        json.add("answered", Int64(clamping: answered))
        json.add(
            "refused",
            object: { json in
                for code in Refusal.Code.allCases {
                    json.add(code.text, Int64(clamping: sums[RequestMeter.Index.denied + code.rawValue]))
                }
            })
        json.add(
            "clauses",
            object: { json in
                for (clause, count) in metrics.refusals.sorted(by: { $0.key < $1.key }) {
                    json.add(named: Array(text: clause), Int64(clamping: count))
                }
            })
        json.add("bounds", array: { list in for bound in Histogram.bounds { list.add(Int64(clamping: bound / 1000)) } })
        json.add(
            "times",
            array: { list in
                for bucket in 0...Histogram.bounds.count {
                    let count = routes.reduce(UInt64(0)) {
                        $0 &+ sums[RequestMeter.Index.times + $1 * Histogram.size + bucket]
                    }
                    list.add(Int64(clamping: count))
                }
            })
    }

    private func writeCredentials(at now: Instant, into json: inout JSONObject) {
        json.add(
            "credentials",
            array: { list in
                for credential in configuration.credentials {
                    list.add(object: { json in
                        json.add("name", visible: credential.name)
                        json.add("provider", visible: credential.provider)
                        json.add("sandbox", credential.isSandbox)
                        json.add(
                            "previous",
                            array: { list in
                                for old in credential.previous { list.add(ISO8601.write(old.until).text) }
                            })
                    })
                }
            })
        let certificates = configuration.server.tls?.certificates.map(\.certificate.validity.until) ?? []
        let ends: [(kind: StaticString, end: Int64?)] = [
            ("certificate", certificates.min()), ("API key", configuration.authenticator.keyEnds.min()),
        ]
        json.add(
            "ends",
            array: { list in
                for (kind, end) in ends {
                    guard let end else { continue }
                    list.add(object: { json in
                        json.add("kind", kind)
                        json.add("end", time: end)
                    })
                }
            })
        let surveys = accounts.map { $0.cache.survey(at: now) }
        json.add(
            "sessions",
            object: { json in
                json.add("count", surveys.reduce(0) { $0 + $1[.fresh] + $1[.stale] + $1[.refreshing] })
                json.add("oldest", surveys.map(\.oldest).max() ?? 0)
            })
    }

    /// All replicas, as Redis knew them when somebody looked last.
    private func writeCluster(at now: Instant, into json: inout JSONObject) {
        guard let cluster else { return json.addNull("cluster") }
        json.add(
            "cluster",
            object: { json in
                json.add("instance", cluster.settings.instance)
                json.add("fault", visible: cluster.standing.fault)
                json.add(
                    "replicas",
                    array: { list in
                        for entry in cluster.replicas(at: now.monotonic) { list.add(object: { $0.add(entry) }) }
                    })
            })
    }

    private func writeAudit(into json: inout JSONObject) {
        guard let audit else { return json.addNull("audit") }
        let standing = audit.standing
        json.add(
            "audit",
            object: { json in
                json.add("lines", standing.mark.number)
                json.add("head", hex: standing.mark.head.bytes)
                json.add("fault", visible: standing.fault)
                guard let last = audit.verification.last else { return json.addNull("verification") }
                json.add(
                    "verification",
                    object: { json in
                        json.add("time", time: last.time)
                        json.add(last.members)
                    })
            })
    }
}

extension JSONObject {
    /// What is wrong with a configuration; without a line and a column where that is not in its text.
    fileprivate mutating func add(_ problem: Problem) {
        add("path", visible: problem.path)
        add("line", problem.position?.line)
        add("column", problem.position?.column)
        add("reason", visible: problem.reason)
    }

    fileprivate mutating func add(_ entry: ReplicaList.Entry) {
        add("instance", visible: entry.instance.text)
        add("silence", entry.silence)
        add("leases", entry.leases?.asked)
        add("failedLeases", entry.leases?.failed)
        guard let head = entry.head else { return addNull("audit") }
        add(
            "audit",
            object: { json in
                json.add("lines", head.count)
                json.add("head", visible: head.code.text)
                json.add("file", visible: head.file.text)
                json.add("time", time: head.time)
            })
    }

    private mutating func add(_ name: StaticString, _ number: (some BinaryInteger)?) {
        if let number { add(name, Int64(clamping: number)) } else { addNull(name) }
    }
}
