import Access
import Audit
import Bytes
import Configuration
import Dispatch
import HTTP
import Inspection
import Net

/// What the page for operators asks of one loop: how the service is, its grants, what is on record, and what a token says.
final class Console {
    private let status: ConsoleStatus
    let sandbox: ConsoleSandbox
    private let configuration: Configuration
    private let audit: LoopAudit
    private let queued: QueuedAnswers

    /// Entries of a page.
    static let pageSize = 50
    /// Where lists are read and searched, so that no loop waits for it.
    private static let reading = DispatchQueue(label: "countersign.console.reading")
    /// Where the audit is verified, which takes seconds.
    private static let verifying = DispatchQueue(label: "countersign.console.verifying")

    /// - Parameter queued: what answers from queues in the loop.
    init(_ snapshot: Snapshot, _ readiness: Readiness, _ resources: LoopResources, _ queued: QueuedAnswers) {
        sandbox = ConsoleSandbox(snapshot.configuration)
        status = ConsoleStatus(of: snapshot, readiness, resources.metrics, resources.audit.shared, resources.cluster)
        configuration = snapshot.configuration
        audit = resources.audit
        self.queued = queued
    }

    /// Puts on record what an operator has had done.
    func note(_ action: StaticString, of context: borrowing RequestContext) { audit.note(action, of: context) }

    func writeStatus(at now: Instant, into body: inout ByteWriter) {
        body.append(object: { json in
            status.write(at: now, into: &json)
            json.add("sandbox", array: { sandbox.write(into: &$0) })
        })
        body.append("\n")
    }

    // MARK: Inspection

    /// Inspects a text, and has the request answered with what is found. A long text takes longer than a loop may stand.
    /// - Parameter body: a JSON object whose `text` is what is to be inspected.
    func inspect(_ body: Span<UInt8>, at now: Int64, for request: ParkedRequest) throws(Refusal) {
        let body = body.array
        // The keys that a loop signs with are its own.
        try queued.answer(request, from: Console.reading) { [configuration] in
            try Console.inspect(body.span, by: Keyrings(configuration), at: now)
        }
    }

    private static func inspect(
        _ body: Span<UInt8>, by keyrings: Keyrings, at now: Int64
    ) throws(Refusal) -> JSONMembers {
        guard let value = try? JSONReader.read(body, as: .json, maximumDepth: 2, maximumValues: 8),
            case .object(let members) = value.content, members.count == 1, let text = value["text"]?.text
        else { throw Refusal(.invalidParameter, "the body must be {\"text\": \"…\"}, what is to be inspected") }
        let input: InspectionInput
        do throws(InspectionInput.Fault) { input = try InspectionInput(reading: text) } catch {
            throw Refusal(.invalidParameter, "text: \(error)")
        }
        guard let inspection = keyrings.inspect(input, at: now) else {
            throw Refusal(.invalidParameter, "text is none of: \(Keyrings.kinds.joined(separator: ", "))")
        }
        return InspectionReport(inspection).members
    }

    // MARK: Grants

    /// Reads a page of the grants, and has the request answered with it. Words for thousands of them take longer than a loop may stand.
    func readGrants(_ query: ConsoleQuery, for request: ParkedRequest) throws(Refusal) {
        let grants = configuration.grants
        try queued.answer(request, from: Console.reading) {
            var next: Int?
            return JSONMembers { json in
                json.add(
                    "grants",
                    array: { list in
                        next = Console.write(grants.dropFirst(Int(clamping: query.position ?? 0)), query, into: &list)
                    })
                if let next { json.add("after", next) } else { json.addNull("after") }
            }
        }
    }

    /// - Returns: the index of the first grant of the next page; nil where there is none.
    private static func write(_ grants: ArraySlice<Grant>, _ query: ConsoleQuery, into list: inout JSONArray) -> Int? {
        var count = 0
        for grant in grants {
            let words = GrantWords(grant)
            guard words.have(query.search) else { continue }
            if count == pageSize { return grant.index }
            count += 1
            list.add(object: { words.write(into: &$0) })
        }
        return nil
    }

    // MARK: The audit

    /// Reads a page of the audit's file, and has the request answered with it.
    func readAsks(_ query: ConsoleQuery, for request: ParkedRequest) throws(Refusal) {
        let file = try recorded.settings.file
        try queued.answer(request, from: Console.reading) {
            let page = try AuditPage(of: file, before: query.position, with: query.search, most: Self.pageSize)
            return JSONMembers { json in
                json.add("lines", array: { list in for line in page.lines { list.add(line.text) } })
                if let before = page.before { json.add("before", before) } else { json.addNull("before") }
            }
        }
    }

    /// Has the audit's file verified, and the request answered with what is found.
    /// - Parameter body: an empty JSON object.
    func verify(_ body: Span<UInt8>, for request: ParkedRequest) throws(Refusal) {
        guard let value = try? JSONReader.read(body, as: .json, maximumDepth: 1, maximumValues: 1),
            case .object(let members) = value.content, members.isEmpty
        else { throw Refusal(.invalidParameter, "the body must be {}") }
        let audit = try recorded
        try queued.admit()
        guard audit.verification.begin() else {
            throw Refusal(.overloaded, "the audit is being verified already").retriedSoon
        }
        let clock = self.audit.clock
        // Lines that come behind it are verified, too; none before it may be missing.
        let number = audit.standing.mark.number
        try queued.answer(request, from: Console.verifying) {
            try audit.verification.run(audit.settings, reaching: number, at: { clock().unixSeconds }).members
        }
    }

    private var recorded: SharedAudit {
        get throws(Refusal) {
            guard let shared = audit.shared else { throw Refusal(.notFound, "the configuration has no audit") }
            return shared
        }
    }
}

// Unsafe: confined to its loop's thread, but for what its queue reads, which never changes.
extension Console: @unchecked Sendable {}
