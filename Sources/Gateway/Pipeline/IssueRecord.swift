import Access
import Audit
import Bytes
import Configuration
import Crypto
import HTTP
import Net
import Providers

/// What the audit tells of a grant, written once: members of a line, and where in an answer the token is.
final class AuditedGrant {
    /// Each with a comma before it.
    let members: [UInt8]
    /// `"name":"` and `"name":["`, of each member that the token may be.
    let tokens: [[UInt8]]
    /// Whether what is given is the vendor's own answer.
    let isFetched: Bool

    init(_ grant: Grant, of configuration: Configuration) {
        let route = Registry.routes[grant.route]
        var line = AuditLine()
        line.add("grant", grant.name)
        if let description = grant.description { line.add("description", description) }
        line.add("route", Array(text: route.description.name))
        line.add("provider", Array(text: route.provider.name))
        line.add("credential", Array(text: configuration.credentials[grant.credential].name))
        members = line.bytes.array
        tokens = route.description.answer.token.flatMap { name in
            ["", "["].map { Array(text: "\"\(name)\":\($0)\"") }
        }
        isFetched = if case .asking = configuration.issuers[grant.index] { true } else { false }
    }
}

/// What the audit tells of each grant of a configuration, written when the first credential of the grant is issued: few of a hundred
/// thousand grants may ever be used. One event loop's.
final class AuditedGrants {
    private let configuration: Configuration
    /// By the grant's index.
    private var known: [AuditedGrant?]

    init(_ configuration: Configuration) {
        self.configuration = configuration
        known = Array(repeating: nil, count: configuration.grants.count)
    }

    subscript(grant: Grant) -> AuditedGrant {
        if let known = known[grant.index] { return known }
        let audited = AuditedGrant(grant, of: configuration)
        known[grant.index] = audited
        return audited
    }
}

/// The record of a credential that will be issued later. The permit has ended by then, so its members are written before.
struct IssueRecord {
    private let loopAudit: LoopAudit
    private let grant: AuditedGrant
    private var members: [UInt8]
    /// What the vendor does for it; nil where no vendor is asked.
    private var operation: VendorOperation?

    /// - Parameter operation: what the vendor does for it; nil where no vendor is asked.
    init(
        _ loopAudit: LoopAudit, _ grant: AuditedGrant, _ permit: borrowing Permit, of context: borrowing RequestContext,
        asking operation: VendorOperation? = nil
    ) {
        self.loopAudit = loopAudit
        self.grant = grant
        var line = AuditLine()
        line.add(permit, grant, of: context)
        members = line.bytes.array
        self.operation = operation
    }

    private var isChange: Bool { operation?.isChange ?? false }

    /// The record of a call that takes back what this one has done.
    func reversal(by operation: VendorOperation) -> IssueRecord {
        var other = self
        var line = AuditLine()
        line.add(written: members)
        line.add("cause", "undelivered")
        other.members = line.bytes.array
        other.operation = operation
        return other
    }

    /// Writes the line of a call that changes something at a vendor, before it begins; no line for any other.
    /// - Returns: what the call is to be held by until the disk has the line; nil when it need not be.
    func begin() throws(Refusal) -> HeldAnswer? {
        guard isChange else { return nil }
        return try loopAudit.enter { line in begin("calling", in: &line) }
    }

    /// The same for a call that nobody waits for.
    func announce() { loopAudit.note { line in begin("calling", in: &line) } }

    /// Writes the audit's line of the credential in an answer.
    /// - Parameter outcome: what became of the call to the vendor.
    func write(
        _ terms: IssueTerms, _ response: borrowing Response, _ outcome: String
    ) throws(Refusal) -> HeldAnswer? {
        let token = AuditToken(in: response, of: grant)
        return try loopAudit.enter { line in
            begin(isChange ? "called" : grant.isFetched ? "fetched" : "issued", in: &line)
            if isChange { line.add("outcome", Array(text: outcome)) }
            line.add(terms, token)
        }
    }

    /// Writes the line of a call that changes something at a vendor, and whose answer no client gets; no line for any other.
    func note(_ outcome: String) {
        guard isChange else { return }
        loopAudit.note { line in
            begin("called", in: &line)
            line.add("outcome", Array(text: outcome))
        }
    }

    private func begin(_ event: StaticString, in line: inout AuditLine) {
        line.begin(event, at: loopAudit.clock().unixSeconds)
        line.add(written: members)
        if let name = operation?.name { line.add("operation", Array(text: name)) }
    }
}

/// The digest by which a token's line is found in the audit: 16 bytes of its SHA-256.
struct AuditToken {
    private var digest: Digest?
    private static let length = 16

    init(_ token: Span<UInt8>) { digest = try? Digest(.sha256, of: token) }

    /// The token that an answer gives; nothing where the answer is the vendor's own.
    init(in response: borrowing Response, of grant: AuditedGrant) {
        let body = response.body.bytes
        let range = response.contentType == .text ? AuditToken.line(in: body) : AuditToken.member(of: grant, in: body)
        if let range { digest = try? Digest(.sha256, of: body.extracting(range)) }
    }

    private static func line(in body: Span<UInt8>) -> Range<Int> {
        0..<(body.firstIndex(of: UInt8(ascii: "\n")) ?? body.count)
    }

    private static func member(of grant: AuditedGrant, in body: Span<UInt8>) -> Range<Int>? {
        for name in grant.tokens {
            guard let start = end(of: name, in: body),
                let end = body.firstIndex(of: UInt8(ascii: "\""), from: start)
            else { continue }
            return start..<end
        }
        return nil
    }

    /// Where the value of a member begins. A client's value cannot look like one, since its quotes are escaped.
    private static func end(of name: [UInt8], in body: Span<UInt8>) -> Int? {
        var start = 0
        while let quote = body.firstIndex(of: UInt8(ascii: "\""), from: start) {
            if body.extracting(quote..<body.count).begins(with: name.span) { return quote + name.count }
            start = quote + 1
        }
        return nil
    }

    func write(into line: inout AuditLine) {
        guard let digest else { return }
        line.add("fingerprint", hex: digest.bytes.extracting(0..<AuditToken.length))
    }
}

extension AuditLine {
    /// What is permitted, to whom.
    mutating func add(_ permit: borrowing Permit, _ grant: AuditedGrant, of context: borrowing RequestContext) {
        add(requestOf: context)
        add(context.caller)
        add(written: grant.members)
        if !permit.bucket.isEmpty { add("bucket", permit.bucket) }
        switch permit.extent {
        case .object: add("key", permit.key)
        case .prefix: add("prefix", permit.key)
        case .bucket, .service: break
        }
    }

    mutating func add(requestOf context: borrowing RequestContext) {
        add("requestId", context.id.bytes)
        guard let trace = context.trace else { return }
        var digits = ByteWriter(capacity: 32)
        trace.write(into: &digits)
        add("traceId", digits.bytes)
    }

    mutating func add(_ caller: Caller) {
        let principal = caller.principal
        // Only a token has a subject beside the id.
        let subject = principal.kind == .jwt ? principal.subject : []
        add("principal", kind: principal.kind.nameBytes, id: principal.id.span, subject: subject.span)
        guard let ticket = caller.ticket else { return }
        add("by", "ticket")
        add("ticket", ticket.id)
    }

    /// What the operator has said of something, when, and why.
    mutating func add(_ brake: Brake) {
        add("kind", Array(text: brake.subject.kind.rawValue))
        if !brake.subject.name.isEmpty { add("name", brake.subject.name) }
        add("reason", brake.reason)
        add("by", brake.by)
        add("at", ISO8601.write(brake.at / 1000))
        if let until = brake.until { add("until", ISO8601.write((until + 999) / 1000)) }
    }

    mutating func add(_ terms: IssueTerms, _ token: AuditToken) {
        if let lifetime = terms.lifetime { add("lifetime", lifetime) }
        if let limit = terms.limitedBy { add("limitedBy", limit) }
        if let id = terms.accessKeyID { add("accessKeyId", id) }
        token.write(into: &self)
    }
}

extension AuditLine {
    /// Writes that an identified caller was refused.
    mutating func write(_ refusal: Refusal, of context: borrowing RequestContext) {
        begin("denied", at: context.instant.unixSeconds)
        add(requestOf: context)
        add(context.caller)
        add("route", Array(text: RequestLabels.routes[context.route]))
        add("status", Int64(refusal.status))
        add("code", refusal.code.text)
        if let subject = refusal.subject { add(subject.kind, Array(text: subject.name)) }
    }
}

extension Principal.Kind {
    fileprivate var nameBytes: StaticString {
        switch self {
        case .anonymous: "anonymous"
        case .apiKey: "apiKey"
        case .jwt: "jwt"
        case .certificate: "certificate"
        }
    }
}
